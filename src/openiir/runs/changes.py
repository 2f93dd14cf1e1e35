"""Change keys of a study: before the start by `--set key=value`, from a step on by `[[change]]` entries."""

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pydantic import Field, model_validator

from openiir.core.asking import AnswererChoice
from openiir.core.errors import InputError
from openiir.core.records import Record
from openiir.core.toml import validate_record
from openiir.plugin import Scenario
from openiir.runs.tools import PERSONA, DeclaredTools, change_tools

ANSWERS = "answers"
"""First part of dotted keys that choose answerers; a type's own key of that name is `config.answers`."""
R = TypeVar("R", bound=Record)


class Moment(Record):
    """A moment of a run: the start of a step, given by the step's number or planned label."""

    step: int = Field(0, ge=1)
    """Number of the step, from 1; 0 as long as only its label is known."""
    at: str = Field("", exclude=True)
    """Label of the step, such as "round 10"; empty once its number is known."""

    @model_validator(mode="after")
    def _named_once(self) -> "Moment":
        if bool(self.step) == bool(self.at):
            raise ValueError('name its moment by one of two keys: step = 10, or at = "round 10"')
        return self


M = TypeVar("M", bound=Moment)


class Change(Moment):
    """A `[[change]]` entry: values of keys of `[config]`, `[answers]` or a persona from this step on."""

    set: dict[str, Any]


@dataclass(frozen=True)
class Terms:
    """The configuration, the choice of answerers and the members' tools that apply at a step."""

    config: Any
    answers: AnswererChoice
    tools: DeclaredTools = field(default_factory=dict)


def apply_change(scenario: Scenario, terms: Terms, set_: Mapping[str, Any], where: str) -> Terms:
    """Replace dotted keys of configuration, answerers, tools; InputError for structural or unknown keys."""
    answers = {key: value for key, value in set_.items() if key.split(".")[0] == ANSWERS}
    members = {key: value for key, value in set_.items() if key.split(".")[0] == PERSONA}
    rest = {key: value for key, value in set_.items() if key not in answers and key not in members}
    config = {key.removeprefix("config."): value for key, value in rest.items()}
    fixed = [key for key in config if key.split(".")[0] in scenario.structural]
    changed = replace_keys(terms.config, config, where) if config and not fixed else terms.config
    nested = filter(lambda key: "." in key, scenario.structural)
    fixed += [key for key in nested if _values_at(changed, key) != _values_at(terms.config, key)]
    if fixed:
        raise InputError(
            f"{where}: {fixed[0]!r} is structural and cannot change during a run; start another run"
        )
    return Terms(
        changed,
        _change_answers(terms.answers, answers, where) if answers else terms.answers,
        change_tools(terms.tools, flatten_tables(members, is_value=lambda table: "by" in table), where),
    )


def _values_at(value: Any, key: str) -> Any:
    """Return the value of a dotted key of a record; for a part such as `systems[]`, those of all entries."""
    part, _, rest = key.partition(".")
    inner = getattr(value, part.removesuffix("[]"))
    if part.endswith("[]"):
        return [_values_at(entry, rest) for entry in inner]
    return _values_at(inner, rest) if rest else inner


def find_terms(scenario: Scenario, terms: Terms, changes: Iterable[Change], step: int, where: str) -> Terms:
    """Return the configuration and choice of answerers that apply at a step, its own changes included."""
    for change in sort_moments(changes):
        if change.step <= step:
            terms = apply_change(scenario, terms, change.set, f"{where} [[change]] at step {change.step}")
    return terms


def unfold_terms(scenario: Scenario, terms: Terms, changes: Iterable[Change], where: str) -> Iterator[Terms]:
    """Yield configuration and choice of answerers at the start and after each change."""
    yield terms
    for change in sort_moments(changes):
        terms = apply_change(scenario, terms, change.set, f"{where} [[change]] at step {change.step}")
        yield terms


def drop_answer_changes(changes: Iterable[Change]) -> tuple[Change, ...]:
    """Return the changes without their keys that choose answerers."""
    kept = [(c.step, {key: v for key, v in c.set.items() if key.split(".")[0] != ANSWERS}) for c in changes]
    return tuple(Change(step=step, set=set_) for step, set_ in kept if set_)


def sort_moments(moments: Iterable[M]) -> list[M]:
    """Sort changes or events by step; those at the same step keep their order."""
    return sorted(moments, key=lambda moment: moment.step)


def replace_keys(record: R, values: Mapping[str, Any], where: str) -> R:
    """Copy a record with dotted keys replaced; in `rounds.0.turns`, 0 is a position in a list."""
    plain = record.model_dump(mode="json")
    for key, value in values.items():
        set_key(plain, key.split("."), value, where)
    return validate_record(type(record), plain, where)


def set_key(values: dict[str, Any], path: Sequence[str], value: Any, where: str) -> None:
    """Set a key in nested tables and lists, adding missing tables; InputError where that is impossible."""
    inner: Any = values
    for part, following in zip(path[:-1], path[1:], strict=True):
        inner = _entry(inner, part, where) if isinstance(inner, list) else inner.setdefault(part, {})
        if not isinstance(inner, (dict, list)):
            raise InputError(f"{where}: {part!r} is no table, so it has no key {following!r}")
    if isinstance(inner, list):
        _entry(inner, path[-1], where)
        inner[int(path[-1])] = value
    else:
        inner[path[-1]] = value


def _entry(values: list[Any], part: str, where: str) -> Any:
    if not part.isdecimal() or int(part) >= len(values):
        raise InputError(f"{where}: {part!r} is no entry of a list of {len(values)}; they count from 0")
    return values[int(part)]


def _change_answers(choice: AnswererChoice, values: Mapping[str, Any], where: str) -> AnswererChoice:
    plain = choice.model_dump()
    for key, value in flatten_tables(values).items():
        set_key(plain, _answer_path(key), value, where)
    return validate_record(AnswererChoice, plain, f"{where} [answers]")


def flatten_tables(
    table: Mapping[str, Any], above: str = "", is_value: Callable[[Any], bool] = lambda table: False
) -> dict[str, Any]:
    """Flatten nested tables to dotted keys; tables for which `is_value` is true are kept whole."""
    flat: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, Mapping) and not is_value(value):
            flat |= flatten_tables(value, f"{above}{key}.", is_value)
        else:
            flat[f"{above}{key}"] = value
    return flat


def _answer_path(key: str) -> list[str]:
    """Split a key that chooses answerers into its path in `[answers]`; a kind of question holds a dot."""
    path = key.split(".", 2)[1:] or ["default"]
    if path[0] == "persona" and len(path) == 2:
        return ["persona", *path[1].split(".", 1)]
    return path


def apply_assignment(values: dict[str, Any], assignment: str) -> None:
    """Apply a `dotted.key=value` assignment to a study; a value that is not TOML is a string."""
    key, value = parse_assignment(assignment)
    path = key.split(".")
    if path[0] == "answers" and isinstance(values.get("answers"), str) and len(path) > 1:
        values["answers"] = {"default": values["answers"]}
    if path == ["answers"] and isinstance(values.get("answers"), dict):
        path = ["answers", "default"]
    set_key(values, path, value, f"--set {assignment}")


def parse_settings(assignments: Iterable[str]) -> dict[str, Any]:
    """Parse `dotted.key=value` assignments into nested tables, for `measure --set` and `compare --set`."""
    values: dict[str, Any] = {}
    for assignment in assignments:
        apply_assignment(values, assignment)
    return values


def parse_assignment(assignment: str, option: str = "--set") -> tuple[str, Any]:
    """Split `dotted.key=value` into key and value; raises InputError for anything else."""
    key, sign, text = assignment.partition("=")
    if not sign or not key.strip():
        raise InputError(f"{option} {assignment!r}: write it as key=value, such as config.mu=0.2 or seed=8")
    try:
        return key.strip(), tomllib.loads(f"x = {text}")["x"]
    except ValueError:
        return key.strip(), text
