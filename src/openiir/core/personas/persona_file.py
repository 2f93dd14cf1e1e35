"""Parsing of persona files, with all errors reported at once."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from openiir.core.errors import suggest_name
from openiir.core.files import Unreadable, parse_toml, read_text
from openiir.core.personas.findings import PersonaFinding
from openiir.core.personas.line_numbers import LineNumbers
from openiir.core.records import ActivityProfile, BigFive, Persona, Record

EXPECTED: dict[str, str] = {
    "id": "1 to 64 lower-case letters, digits, - and _ in quotes, beginning with a letter or digit",
    "name": "a text in quotes of 1 to 120 characters",
    "bio": "one paragraph in quotes, 1 to 4000 characters, in the third person",
    "tokens": "a whole number of at least 0, such as 4000",
    "searches": "a whole number of at least 0, such as 2",
    "stance": "a number from -1 (rejects the topic) to 1 (supports it), or leave the key out",
    "influence": "a number greater than 0; 1 is ordinary",
    "interests": 'a list of texts, such as ["pooling", "cost"]',
    "activity": "a table with posts_per_hour, comments_per_hour, active_hours, response_delay_minutes",
    "big_five": "a table of " + ", ".join(BigFive.model_fields),
    "retrieval": '"hybrid", "rerank", "keyword", "match", "vector", "own" or "none"',
    "memory": '"none", "window:N" for the last N records (such as "window:20"), "decayed:N", "shared:NAME", '
    '"episodic" or "episodic+reflection"',
    "traits": "a table whose values are texts, numbers, true or false",
    **{f"big_five.{factor}": "a number from 0 (low) to 1 (high)" for factor in BigFive.model_fields},
    "activity.posts_per_hour": "a number of at least 0",
    "activity.comments_per_hour": "a number of at least 0",
    "activity.active_hours": "a list of whole hours from 0 to 23",
    "activity.response_delay_minutes": "a number of at least 0",
}
"""Description of each key's expected value, for error messages."""

_LARGEST = 2**53
_TABLES: dict[tuple[str, ...], type[Record]] = {
    (): Persona,
    ("big_five",): BigFive,
    ("activity",): ActivityProfile,
}


@dataclass(frozen=True)
class PersonaFile:
    """The valid personas of a file, numbered from 1, with the errors of the others."""

    entries: tuple[tuple[int, Persona], ...]
    findings: tuple[PersonaFinding, ...]

    @property
    def personas(self) -> tuple[Persona, ...]:
        return tuple(persona for _, persona in self.entries)


def read_persona_file(path: str | Path) -> PersonaFile:
    """Read a persona file; an unreadable file gives a single finding."""
    file = str(path)
    try:
        return read_personas(read_text(Path(path), limit="toml_bytes"), file)
    except Unreadable as error:
        return PersonaFile((), (PersonaFinding(file, error.reason),))


@lru_cache(maxsize=8)  # reading the same personas for every arm was three quarters of planning a sweep
def read_personas(text: str, file: str) -> PersonaFile:
    """Parse a persona file's text, named `file` in findings; raises Unreadable for what is not TOML."""
    document = parse_toml(text, file)
    layout = LineNumbers(text)
    findings = [_misplaced_key(file, key, layout.top_level_line(key)) for key in document if key != "persona"]
    tables = document.get("persona")
    if tables is None or tables == []:
        what = "there is no persona in it; add a [[persona]] table with id, name, bio"
        return PersonaFile((), (*findings, PersonaFinding(file, what)))
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        what = "persona is not a list of tables; head each persona with [[persona]], in double brackets"
        wrong = PersonaFinding(file, what, line=layout.top_level_line("persona"))
        return PersonaFile((), (*findings, wrong))
    entries, mistakes = _read_tables(tables, layout, file)
    return PersonaFile(tuple(entries), (*findings, *mistakes))


def _read_tables(
    tables: list[dict[str, Any]], layout: LineNumbers, file: str
) -> tuple[list[tuple[int, Persona]], list[PersonaFinding]]:
    entries: list[tuple[int, Persona]] = []
    findings: list[PersonaFinding] = []
    first_use: dict[str, int] = {}
    for entry, table in enumerate(tables, start=1):
        name = table.get("id") if isinstance(table.get("id"), str) else None
        problems = list(_find_problems(table))
        if name is not None and name in first_use:
            problems.append(
                (("id",), f"id {name!r} is taken by persona {first_use[name]}; give each its own id")
            )
        elif name is not None:
            first_use[name] = entry
        mistakes = [
            PersonaFinding(
                file,
                text,
                line=layout.line(entry, path, of=len(tables)),
                entry=entry,
                persona=name,
            )
            for path, text in problems
        ]
        findings.extend(sorted(mistakes, key=lambda mistake: mistake.line or 0))
        if not problems:
            entries.append((entry, Persona.model_validate(_lists_as_tuples(table), strict=True)))
    return entries, findings


def _find_problems(table: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
    """List errors in one persona's table as (path of the key, message), at most one per key."""
    seen: set[tuple[str, ...]] = set()
    for path, value in _find_unusable_numbers((), table):
        seen.add(path)
        yield path, _misfit_words(path, value)
    try:
        Persona.model_validate(_lists_as_tuples(table), strict=True)
    except ValidationError as error:
        for detail in error.errors(include_url=False):
            path = _shorten_path(detail["loc"])
            if path in seen:
                continue
            seen.add(path)
            yield path, _error_words(path, detail["type"], _value_at(table, path))


def _find_unusable_numbers(path: tuple[str, ...], value: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Find unusable numbers that TOML allows: nan, inf, and integers beyond 2^53."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _find_unusable_numbers((*path, key), inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _find_unusable_numbers(path, inner)
    elif (
        isinstance(value, float)
        and not math.isfinite(value)
        or isinstance(value, int)
        and abs(value) > _LARGEST
    ):
        yield _shorten_path(path), value


def _shorten_path(loc: tuple[Any, ...]) -> tuple[str, ...]:
    """Shorten a key's path for a message, dropping list positions and union branches."""
    depth = 2 if loc and loc[0] in ("big_five", "activity", "traits") else 1
    return tuple(str(part) for part in loc[:depth])


def _value_at(table: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        table = table.get(key) if isinstance(table, Mapping) else None
    return table


def _error_words(path: tuple[str, ...], error: str, value: Any) -> str:
    if error == "missing":
        return f"{'.'.join(path)} is missing; add it: {EXPECTED['.'.join(path)]}"
    if error == "extra_forbidden":
        return _unknown_key_words(path[-1], _TABLES[path[:-1]].model_fields)
    return _misfit_words(path, value)


def _misfit_words(path: tuple[str, ...], value: Any) -> str:
    fallback = "a text, a finite number, true or false"
    key = ".".join(path)
    return f"{key} = {_shorten_value(value)} does not fit; write {EXPECTED.get(key, fallback)}"


def _unknown_key_words(key: str, known: Any) -> str:
    return f"there is no key {key!r}; {suggest_name(key, list(known))}"


def _misplaced_key(file: str, key: str, line: int | None) -> PersonaFinding:
    """Build the finding for a key outside all personas."""
    outside = f"{key} stands outside a persona; put it below a [[persona]] heading"
    text = outside if key in Persona.model_fields else _unknown_key_words(key, ("persona",))
    return PersonaFinding(file, text, line=line)


def _shorten_value(value: Any) -> str:
    """Format a value as in the file, cut at 60 characters."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        text = '"' + value.replace("\n", "\\n") + '"'
    elif isinstance(value, list):
        text = "[" + ", ".join(_shorten_value(inner) for inner in value[:12]) + "]"
    elif isinstance(value, dict):
        text = "a table" if value else "an empty table"
    elif isinstance(value, int) and abs(value) > 10**40:
        text = "a number of more than 40 digits"
    else:
        text = str(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _lists_as_tuples(value: Any) -> Any:
    """Convert lists to tuples recursively, as strict records require."""
    if isinstance(value, dict):
        return {key: _lists_as_tuples(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return tuple(_lists_as_tuples(inner) for inner in value)
    return value
