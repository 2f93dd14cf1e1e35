"""Checks of JSON values, and notes on left-out data, for the readers of dialogue files."""

from dataclasses import dataclass, replace
from typing import Any

from pydantic import TypeAdapter, ValidationError

from openiir.plugin import InputError
from openiir.scenarios.conversational.model.dialogue import Dialogue


@dataclass(frozen=True)
class Converted:
    """Dialogues read from another format, with notes on what could not be read completely."""

    dialogues: tuple[Dialogue, ...]
    notes: tuple["FileProblem", ...]
    """Notes, in the order in which each was first recorded."""


@dataclass(frozen=True)
class FileProblem:
    """A kind of problem found in a file, with its count and first position."""

    what: str
    count: int
    first: str
    """Place of the first occurrence, such as `dialogue 474`."""


class FileProblems(dict[str, FileProblem]):
    """Problems in a file, by description."""

    def add(self, what: str, where: str, times: int = 1) -> None:
        """Count one or more occurrences of a problem at this position."""
        if times:
            before = self.get(what, FileProblem(what, 0, where))
            self[what] = replace(before, count=before.count + times)


def parse_as(shape: Any, value: Any, where: str) -> Any:
    """Validate a JSON value as a type; raises InputError naming the position of the first error."""
    try:
        return TypeAdapter(shape).validate_python(value)
    except ValidationError as error:
        first = error.errors()[0]
        what = first["msg"].partition(" or instance of")[0]
        place = ": ".join(filter(None, (where, ".".join(map(str, first["loc"])))))
        raise InputError(f"{place}: {what}; mend it or take it out") from None
