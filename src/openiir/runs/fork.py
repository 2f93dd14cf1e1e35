"""Fork a run: create a run that shares its first steps and has other values of some keys from a step on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from openiir.core.errors import InputError
from openiir.core.hashing import canonical
from openiir.core.storage import Log, RunFile, SharedSteps, content_hash
from openiir.core.toml import validate_record
from openiir.plugin import Scenario
from openiir.runs.build import document_permissions, read_terms, study_folder
from openiir.runs.changes import Change, Terms, apply_change, find_terms, set_key
from openiir.runs.moments import (
    ScheduledEvent,
    count_steps,
    find_step,
    parse_events,
    plan_steps,
    resolve_events,
)
from openiir.runs.run_io import check_replayable, open_checked
from openiir.runs.study import Study, check_terms
from openiir.runs.trust import Trust, allow_imports
from openiir.runs.types import find_type


@dataclass(frozen=True)
class ForkPlan:
    """Plan of a fork: its study, the step at which keys change, and the number of shared steps."""

    document: dict[str, Any]
    """The study of the fork."""
    step: int
    set: dict[str, Any]
    """Keys and values that change from this step on."""
    events: tuple[dict[str, Any], ...]
    """Events that are added. Without any, and without keys that change, the fork is equal to its parent."""
    shared: int
    """Number of first steps that are copied from the parent."""


def fork(
    parent: Path,
    moment: int | str,
    sets: Mapping[str, Any],
    folder: Path,
    trust: Trust | None = None,
    events: Sequence[str] = (),
) -> tuple[RunFile, ForkPlan]:
    """Create a run that shares its parent's steps before a moment, and changes these keys from then on.

    The moment is a step's number or label. `events` are added, as `parse_events` reads them. The fork is
    prepared, not executed, and no longer needs its parent. Keys that already have the value are dropped;
    where none is left, the fork shares all steps of the parent. Raises InputError for a step that the parent
    does not have, for a key that cannot change during a run and for a parent that does not replay here, and
    Untrusted where the fork lacks permissions.
    """
    with open_checked(parent) as run:
        check_replayable(run)
        run.db.execute("begin")  # one view of a run that may be growing
        plan = _plan(run, moment, sets, events, trust or Trust())
        forked = RunFile.create(folder)
        try:
            prefix = SharedSteps(run, plan.shared, begun=plan.document == run.study())

            def share(db: Any) -> None:
                prefix.copy_to(forked, db)
                content = run.state("content") or content_hash(run.db).content
                origin = {
                    "from": "fork",
                    "content": content,
                    "steps": len(run.steps()),
                    "step": plan.step,
                    "set": plan.set,
                }
                origin |= {"events": plan.events} if plan.events else {}
                db.execute("insert into state values ('origin', ?)", (canonical(origin),))

            start = (run.personas(), run.chunks(until=0), run.fitted_parts())
            forked.declare(plan.document, *start, run.study_folder(), share)
        except BaseException:
            forked.withdraw()
            raise
        return forked, plan


def _plan(
    run: RunFile, moment: int | str, sets: Mapping[str, Any], events: Sequence[str], trust: Trust
) -> ForkPlan:
    document = run.study()
    scenario = find_type(document["type"])
    labels = _list_labels(run, scenario, document)
    step = find_step(labels, moment, f"fork of {run.folder}") if isinstance(moment, str) else moment
    where = f"fork of {run.folder} at step {step}"
    _check_step(run, step)
    document["model"], changing = _split_model_keys(
        document["model"], _check_changeable(scenario, sets, where), where
    )
    terms, changes = read_terms(document, scenario)
    acting = _drop_idle_keys(scenario, find_terms(scenario, terms, changes, step, where), changing, where)
    if acting:
        document["change"].append(Change(step=step, set=acting).model_dump(mode="json"))
    added = _resolve_added(run, scenario, document, parse_events(events, step), step, where)
    if added:
        document["event"] = [*document.get("event", ()), *added]
    study = validate_record(Study, document, where)
    permissions = document_permissions(document, study_folder(run, scenario))
    trust.check(permissions, str(run.folder))
    with allow_imports(permissions):
        check_terms(study, scenario, terms.config, run.personas(), where)
    unchanged = document == run.study()
    return ForkPlan(document, step, acting, tuple(added), len(run.steps()) if unchanged else step - 1)


def _list_labels(run: RunFile, scenario: Scenario, document: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the labels of the steps on record and of those that are planned after them."""
    taken = [label for _, label in Log(run).steps()]
    plan = plan_steps(scenario, *read_terms(document, scenario), f"fork of {run.folder}")
    return (*taken, *(() if isinstance(plan, int) else plan[len(taken) :]))


def _resolve_added(
    run: RunFile,
    scenario: Scenario,
    document: Mapping[str, Any],
    events: Sequence[Mapping[str, Any]],
    step: int,
    where: str,
) -> list[dict[str, Any]]:
    """Return the added events as they are stored; raises InputError for an event before the fork's step."""
    read = [validate_record(ScheduledEvent, values, f"{where} --event") for values in events]
    most = count_steps(plan_steps(scenario, *read_terms(document, scenario), where))
    added = resolve_events(scenario, read, _list_labels(run, scenario, document), most, where)
    for event in added:
        if event.step < step:
            raise InputError(
                f"{where} --event: {event.kind!r} at step {event.step} is in the shared steps; fork there"
            )
    return [event.model_dump(mode="json") for event in added]


def _check_step(run: RunFile, step: int) -> None:
    steps = len(run.steps())
    done = run.state("status") == "done"
    last = steps if done else steps + 1
    if 1 <= step <= last:
        return
    so_far = f"{run.folder} has {steps} steps" if done else f"{run.folder} has got to step {steps} so far"
    after = "; after its last step nothing is left to change" if step == last + 1 and done else ""
    raise InputError(f"no fork at step {step}: {so_far}{after}; name a step from 1 to {last}")


def _check_changeable(scenario: Scenario, sets: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return the keys without `config.`; InputError for a key that is fixed when a run starts."""
    found = {}
    fixed = Study.model_fields.keys() - {"config", "answers", "model"} - scenario.Config.model_fields.keys()
    for key, value in sets.items():
        if key.split(".")[0] in fixed:
            raise InputError(
                f"{where}: {key!r} is settled when a run starts, and a fork keeps its parent's start; "
                f"run the study anew with --set {key}=..., or fork with keys of [config], [answers] or "
                "persona.ID"
            )
        found[key.removeprefix("config.")] = value
    return found


def _split_model_keys(
    model: dict[str, Any] | None, sets: Mapping[str, Any], where: str
) -> tuple[dict[str, Any] | None, dict[str, Any]]:
    """Separate the `[model]` table, which a fork may add where its parent has none, from the other keys."""
    naming = {key: value for key, value in sets.items() if key.split(".")[0] == "model"}
    if naming and model is not None:
        raise InputError(
            f"{where}: this run names its model already ({model['name']}); run the study anew for another"
        )
    table: dict[str, Any] = {}
    for key, value in naming.items():
        set_key(table, key.split("."), value, where)
    return table.get("model", model), {key: value for key, value in sets.items() if key not in naming}


def _drop_idle_keys(scenario: Scenario, holding: Terms, sets: dict[str, Any], where: str) -> dict[str, Any]:
    """Drop keys that change nothing, so that a fork without changes has exactly its parent's study."""
    after = apply_change(scenario, holding, sets, where)
    acting = sets
    for key in sets:
        rest = {name: value for name, value in acting.items() if name != key}
        try:
            if apply_change(scenario, holding, rest, where) == after:
                acting = rest
        except InputError:
            continue  # the others cannot be without this one
    return acting
