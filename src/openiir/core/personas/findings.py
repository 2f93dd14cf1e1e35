"""Findings: mistakes and warnings in a persona file, with their location."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from openiir.core.errors import InputError


@dataclass(frozen=True)
class PersonaFinding:
    """One error or warning; as text, one line with file, location, problem and remedy."""

    file: str
    text: str
    level: Literal["error", "warning"] = "error"
    line: int | None = None
    """From 1; None if unknown."""
    entry: int | None = None
    """The nth persona of the file, from 1."""
    persona: str | None = None
    """The entry's id, where it has one."""
    key: str | None = None
    """Dotted, such as `big_five.openness`."""

    def __str__(self) -> str:
        places = [self.file]
        if self.line is not None:
            places.append(f"line {self.line}")
        if self.entry is not None:
            places.append(f"persona {self.entry}" + (f" ({self.persona})" if self.persona else ""))
        return f"{', '.join(places)}: {self.text}"


def raise_errors(findings: Iterable[PersonaFinding]) -> None:
    """Raise one InputError with every error among the findings, one a line; warnings pass."""
    errors = [str(finding) for finding in findings if finding.level == "error"]
    if errors:
        raise InputError("\n".join(errors))
