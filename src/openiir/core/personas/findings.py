"""Errors and warnings in persona files, with their location."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from openiir.core.errors import InputError


@dataclass(frozen=True)
class PersonaFinding:
    """One error or warning in a persona file; as text, one line with file, location, problem and advice."""

    file: str
    text: str
    level: Literal["error", "warning"] = "error"
    line: int | None = None
    """Line number from 1; None if unknown."""
    entry: int | None = None
    """Position of the persona in the file, from 1."""
    persona: str | None = None
    """Id of the persona, if it has one."""

    def __str__(self) -> str:
        places = [self.file]
        if self.line is not None:
            places.append(f"line {self.line}")
        if self.entry is not None:
            places.append(f"persona {self.entry}" + (f" ({self.persona})" if self.persona else ""))
        return f"{', '.join(places)}: {self.text}"


def raise_errors(findings: Iterable[PersonaFinding]) -> None:
    """Raise one InputError that lists all errors among the findings; warnings are ignored."""
    errors = [str(finding) for finding in findings if finding.level == "error"]
    if errors:
        raise InputError("\n".join(errors))
