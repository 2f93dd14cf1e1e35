"""Helpers of the readers of dialogue files: checks of JSON values, and notes on what was left out."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pydantic import ValidationError

from openiir.plugin import InputError
from openiir.scenarios.conversational.dialogue.records import Dialogue

T = TypeVar("T")


@dataclass(frozen=True)
class Converted:
    """Dialogues made from another format, and what came over only in part."""

    dialogues: tuple[Dialogue, ...]
    notes: tuple["Note", ...]
    """In the order in which each was first met."""


@dataclass(frozen=True)
class Note:
    """Something left out or odd in a file."""

    what: str
    count: int
    first: str
    """Where it was met first, such as `dialogue 474`."""


@dataclass
class Notes:
    """Counts what was left out or odd, by what it was."""

    _counts: Counter[str] = field(default_factory=Counter)
    _first: dict[str, str] = field(default_factory=dict)

    def add(self, what: str, where: str, times: int = 1) -> None:
        """One more of these, met here."""
        if times:
            self._first.setdefault(what, where)
            self._counts[what] += times

    def all(self) -> tuple[Note, ...]:
        """Each with its count and its first place."""
        return tuple(Note(what, count, self._first[what]) for what, count in self._counts.items())


def a_list(value: Any, where: str, what: str) -> list[Any]:
    """The value, if it is a list; raises InputError."""
    if not isinstance(value, list):
        raise InputError(
            f"{where} holds {json_kind(value)}, not a list of {what}; check that it is the right file"
        )
    return value


def an_object(value: Any, where: str, *needed: str) -> Mapping[str, Any]:
    """The value, if it is an object with these keys; raises InputError."""
    if not isinstance(value, dict):
        raise InputError(f"{where} is {json_kind(value)}, not an object; mend it or take it out")
    for key in needed:
        if key not in value:
            raise InputError(f"{where} has no {key!r}; add it or take the entry out")
    return value


def one_of(value: Any, known: Mapping[str, T], where: str, what: str) -> T:
    """Look up what a name stands for; raises InputError for one that is not known."""
    if not isinstance(value, str) or value not in known:
        raise InputError(f"{where}: the {what} is {value!r:.60}; write {' or '.join(known)}")
    return known[value]


def a_text(value: Any, where: str, what: str) -> str:
    """The value, if it is a text; raises InputError."""
    if not isinstance(value, str):
        raise InputError(f"{where}: {what} is {json_kind(value)}; write what was said as a text")
    return value


def json_kind(value: Any) -> str:
    """What kind of JSON value it is, in words."""
    kinds = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    return kinds.get(type(value), "a number")


def record_error(error: ValidationError, where: str) -> InputError:
    """Turn the first error of a record's validation into an InputError."""
    first = error.errors()[0]
    key = ".".join(str(part) for part in first["loc"])
    return InputError(f"{where}: {key}: {first['msg']}; mend it or take it out")
