"""Planned steps of a run by their labels, and the `[[event]]` entries of a study that happen at them."""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ConfigDict

from openiir.core.errors import InputError, UnknownName
from openiir.core.files import read_toml
from openiir.core.records import Persona, Record
from openiir.core.toml import validate_record
from openiir.plugin import Scenario
from openiir.runs.changes import Change, Moment, Terms, apply_change, parse_assignment, sort_moments

M = TypeVar("M", bound=Moment)


class ScheduledEvent(Moment):
    """An `[[event]]` entry: at this step this kind of thing happens; other keys are the type's own."""

    model_config = ConfigDict(extra="allow")

    kind: str

    def as_record(self, scenario: Scenario, where: str) -> Record:
        """Return the entry's own keys as the type's record for the kind; raises InputError."""
        where = f"{where} [[event]] {self.kind!r} at step {self.step}"
        if self.kind not in scenario.events:
            what = f"kind of event of the type {scenario.name!r}"
            raise InputError(f"{where}: {UnknownName(what, self.kind, scenario.events)}")
        return validate_record(scenario.events[self.kind], self.model_extra, where)


def plan_steps(
    scenario: Scenario, terms: Terms, changes: Iterable[Change], where: str
) -> tuple[str, ...] | int:
    """Return the labels of all planned steps; if unknown beforehand, their largest number, or 0."""
    plan = scenario.planned_steps(terms.config)
    for change in sort_moments(changes):
        if not isinstance(plan, int) and change.step > len(plan):
            break
        terms = apply_change(scenario, terms, change.set, f"{where} [[change]] at step {change.step}")
        later = scenario.planned_steps(terms.config)
        if isinstance(plan, int) or isinstance(later, int):
            most = count_steps(plan), count_steps(later)
            plan = max(most) if all(most) else 0
        else:
            plan = [*plan[: change.step - 1], *later[change.step - 1 :]]
    return plan if isinstance(plan, int) else tuple(plan)


def count_steps(plan: Sequence[str] | int) -> int:
    """Return the largest number of steps of a plan; 0 if unknown."""
    return plan if isinstance(plan, int) else len(plan)


def find_step(plan: Sequence[str] | int, label: str, where: str) -> int:
    """Return the number of the step with this label; raises InputError for none, or for several."""
    labels = () if isinstance(plan, int) else plan
    found = [number for number, one in enumerate(labels, 1) if one == label]
    if len(found) == 1:
        return found[0]
    if found:
        steps = ", ".join(map(str, found))
        raise InputError(f"{where}: {label!r} is the label of the steps {steps}; name one by its number")
    if not labels:
        raise InputError(
            f"{where}: no step is called {label!r}: this type does not say beforehand which steps it will "
            "take; name the step by its number"
        )
    near = get_close_matches(label, labels, n=3) or (labels[0], labels[-1])
    raise InputError(
        f"{where}: no step is called {label!r}; of the {len(labels)} steps the nearest are called "
        f"{', '.join(map(repr, dict.fromkeys(near)))}"
    )


def resolve_changes(
    scenario: Scenario, terms: Terms, changes: Sequence[Change], where: str
) -> tuple[Change, ...]:
    """Replace the labels at which changes take effect by step numbers, in the order of the entries."""
    found = [change for change in changes if not change.at]
    resolved = []
    for change in changes:
        if change.at:
            plan = plan_steps(scenario, terms, found, where)
            change = _at_step(change, find_step(plan, change.at, f"{where} [[change]]"))
            found.append(change)
        resolved.append(change)
    return tuple(resolved)


def resolve_events(
    scenario: Scenario, events: Sequence[ScheduledEvent], labels: Sequence[str] | int, most: int, where: str
) -> tuple[ScheduledEvent, ...]:
    """Replace the labels of events by step numbers, and fill in the defaults of their keys.

    `most` is the largest number of steps that the run can take, 0 if unknown. Raises InputError for an
    unknown kind or label, an invalid key, and an event after the last step.
    """
    resolved = []
    for event in events:
        if event.at:
            event = _at_step(event, find_step(labels, event.at, f"{where} [[event]] {event.kind!r}"))
        values = event.as_record(scenario, where).model_dump(mode="json")
        if 0 < most < event.step:
            raise InputError(
                f"{where} [[event]] {event.kind!r} at step {event.step}: the run has at most {most} steps"
            )
        resolved.append(ScheduledEvent(step=event.step, kind=event.kind, **values))
    return tuple(resolved)


def _at_step(moment: M, step: int) -> M:
    return moment.model_copy(update={"step": step, "at": ""})


def read_events(document: Mapping[str, Any], scenario: Scenario) -> dict[int, list[tuple[str, Record]]]:
    """Read a stored study's events: kind and typed record of each, by step, in the order of the study."""
    found: dict[int, list[tuple[str, Record]]] = {}
    for values in document.get("event", ()):
        event = ScheduledEvent.model_validate(values)
        typed = event.as_record(scenario, "the study on record")
        found.setdefault(event.step, []).append((event.kind, typed))
    return found


def list_missed(document: Mapping[str, Any], last: int) -> list[str]:
    """List the changes and events of a stored study that its run ended too early to apply."""
    late = [(one["step"], "[[change]]") for one in document["change"]]
    late += [(one["step"], f"[[event]] {one['kind']!r}") for one in document.get("event", ())]
    return [
        f"the {what} at step {step} was never applied: the run ended after step {last}"
        for step, what in late
        if step > last
    ]


def check_events(
    scenario: Scenario, config: Any, events: Sequence[ScheduledEvent], personas: Sequence[Persona], where: str
) -> None:
    """Have the scenario type check the study's events, sorted by step; raises InputError."""
    typed = [(event.step, event.as_record(scenario, where)) for event in sort_moments(events)]
    try:
        scenario.check_events(config, typed, personas)
    except InputError as error:
        raise InputError(f"{where} [[event]]: {error}") from None


def parse_events(texts: Iterable[str], step: int) -> list[dict[str, Any]]:
    """Read a fork's events: each text is one entry, or names a TOML file with `[[event]]` entries.

    An entry is written as `kind=KIND,key=value,...`. Where no moment is named, the event happens at the
    fork's step.
    """
    found: list[dict[str, Any]] = []
    for text in texts:
        found += [_parse_event(text)] if "=" in text else _read_event_file(Path(text))
    return [values if {"step", "at"} & values.keys() else {"step": step, **values} for values in found]


def _parse_event(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(f"event = {{ {text} }}")["event"]  # type: ignore[no-any-return]
    except ValueError:
        return dict(parse_assignment(part, "--event") for part in text.split(","))


def _read_event_file(path: Path) -> list[dict[str, Any]]:
    values = read_toml(path)
    events = values.pop("event", None)
    if values or not isinstance(events, list) or not all(isinstance(one, dict) for one in events):
        raise InputError(f"{path}: a file of events has [[event]] entries and nothing else")
    return events
