"""Checks of JSON values, and notes on left-out data, for the readers of dialogue files."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pydantic import ValidationError

from openiir.plugin import InputError
from openiir.scenarios.conversational.model.dialogue import Dialogue

T = TypeVar("T")


@dataclass(frozen=True)
class Converted:
    """Dialogues read from another format, with notes on what could not be read completely."""

    dialogues: tuple[Dialogue, ...]
    notes: tuple["Note", ...]
    """Notes, in the order in which each was first recorded."""


@dataclass(frozen=True)
class Note:
    """A kind of problem in a file, with its count and first place."""

    what: str
    count: int
    first: str
    """Place of the first occurrence, such as `dialogue 474`."""


@dataclass
class Notes:
    """Counter of problems in a file, by description."""

    _counts: Counter[str] = field(default_factory=Counter)
    _first: dict[str, str] = field(default_factory=dict)

    def add(self, what: str, where: str, times: int = 1) -> None:
        """Count one or more occurrences of a problem at this place."""
        if times:
            self._first.setdefault(what, where)
            self._counts[what] += times

    def all(self) -> tuple[Note, ...]:
        """List every problem with its count and first place."""
        return tuple(Note(what, count, self._first[what]) for what, count in self._counts.items())


def a_list(value: Any, where: str, what: str) -> list[Any]:
    """Return the value if it is a list; raise InputError otherwise."""
    if not isinstance(value, list):
        raise InputError(
            f"{where} holds {json_kind(value)}, not a list of {what}; check that it is the right file"
        )
    return value


def an_object(value: Any, where: str, *needed: str) -> Mapping[str, Any]:
    """Return the value if it is an object with the needed keys; raise InputError otherwise."""
    if not isinstance(value, dict):
        raise InputError(f"{where} is {json_kind(value)}, not an object; mend it or take it out")
    for key in needed:
        if key not in value:
            raise InputError(f"{where} has no {key!r}; add it or take the entry out")
    return value


def one_of(value: Any, known: Mapping[str, T], where: str, what: str) -> T:
    """Return the value that a name maps to; raise InputError for an unknown name."""
    if not isinstance(value, str) or value not in known:
        raise InputError(f"{where}: the {what} is {value!r:.60}; write {' or '.join(known)}")
    return known[value]


def a_text(value: Any, where: str, what: str) -> str:
    """Return the value if it is a string; raise InputError otherwise."""
    if not isinstance(value, str):
        raise InputError(f"{where}: {what} is {json_kind(value)}; write what was said as a text")
    return value


def json_kind(value: Any) -> str:
    """Name the JSON type of a value for an error message, such as "a list"."""
    kinds = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    return kinds.get(type(value), "a number")


def record_error(error: ValidationError, where: str) -> InputError:
    """Convert the first error of a pydantic validation to an InputError."""
    first = error.errors()[0]
    key = ".".join(str(part) for part in first["loc"])
    return InputError(f"{where}: {key}: {first['msg']}; mend it or take it out")
