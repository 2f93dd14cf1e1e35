"""From the TOML of a persona file to personas, with every mistake named at once."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from openiir.core.files import Unreadable, parse_toml, read_text
from openiir.core.personas.findings import Finding
from openiir.core.personas.layout import Layout
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
    "retrieval": '"hybrid", "keyword", "vector" or "none"',
    "memory": '"full", "none" or "recent:N" for the last N records, such as "recent:20"',
    "traits": "a table whose values are texts, numbers, true or false",
    **{f"big_five.{factor}": "a number from 0 (low) to 1 (high)" for factor in BigFive.model_fields},
    "activity.posts_per_hour": "a number of at least 0",
    "activity.comments_per_hour": "a number of at least 0",
    "activity.active_hours": "a list of whole hours from 0 to 23",
    "activity.response_delay_minutes": "a number of at least 0",
}
"""What each key takes, as a message says it."""

_LARGEST = 2**53
_TABLES: dict[tuple[str, ...], type[Record]] = {
    (): Persona,
    ("big_five",): BigFive,
    ("activity",): ActivityProfile,
}


@dataclass(frozen=True)
class Reading:
    """What a file holds: the personas that are right, with their place from 1, and what is wrong."""

    entries: tuple[tuple[int, Persona], ...]
    findings: tuple[Finding, ...]

    @property
    def personas(self) -> tuple[Persona, ...]:
        return tuple(persona for _, persona in self.entries)


def read_file(path: str | Path) -> Reading:
    """Read a persona file; a file that cannot be read at all is one finding."""
    file = str(path)
    try:
        return read_personas(read_text(Path(path), limit="toml_bytes"), file)
    except Unreadable as error:
        return _nothing(file, error.reason)


def read_personas(text: str, file: str) -> Reading:
    """Read the text of a persona file; `file` is the name that findings give it."""
    try:
        document = parse_toml(text, file)
    except Unreadable as error:
        return _nothing(file, error.reason)
    layout = Layout(text)
    findings = [_astray(file, key, layout.top(key)) for key in document if key != "persona"]
    tables = document.get("persona")
    if tables is None or tables == []:
        findings.append(
            Finding(file, "there is no persona in it; add a [[persona]] table with id, name, bio")
        )
        return Reading((), tuple(findings))
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        findings.append(
            Finding(
                file,
                "persona is not a list of tables; head each persona with [[persona]], in double brackets",
                line=layout.top("persona"),
                key="persona",
            )
        )
        return Reading((), tuple(findings))
    entries, mistakes = _read_tables(tables, layout, file)
    return Reading(tuple(entries), (*findings, *mistakes))


def _nothing(file: str, text: str) -> Reading:
    return Reading((), (Finding(file, text),))


def _read_tables(
    tables: list[dict[str, Any]], layout: Layout, file: str
) -> tuple[list[tuple[int, Persona]], list[Finding]]:
    entries: list[tuple[int, Persona]] = []
    findings: list[Finding] = []
    first_use: dict[str, int] = {}
    for entry, table in enumerate(tables, start=1):
        name = table.get("id") if isinstance(table.get("id"), str) else None
        problems = list(_problems(table))
        if name is not None and name in first_use:
            problems.append(
                (("id",), f"id {name!r} is taken by persona {first_use[name]}; give each its own id")
            )
        elif name is not None:
            first_use[name] = entry
        mistakes = [
            Finding(
                file,
                text,
                line=layout.line(entry, path, of=len(tables)),
                entry=entry,
                persona=name,
                key=".".join(path),
            )
            for path, text in problems
        ]
        findings.extend(sorted(mistakes, key=lambda mistake: mistake.line or 0))
        if not problems:
            entries.append((entry, Persona.model_validate(_tuples(table), strict=True)))
    return entries, findings


def _problems(table: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
    """The mistakes in one persona's table, each with its key's path, one a key."""
    seen: set[tuple[str, ...]] = set()
    for path, value in _impossible((), table):
        seen.add(path)
        yield path, _misfit(path, value)
    try:
        Persona.model_validate(_tuples(table), strict=True)
    except ValidationError as error:
        for detail in error.errors(include_url=False):
            path = _path(detail["loc"])
            if path in seen:
                continue
            seen.add(path)
            yield path, _words(path, detail["type"], _value(table, path))


def _impossible(path: tuple[str, ...], value: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Numbers that TOML can write and nothing can use: nan, inf, and integers beyond 2^53."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _impossible((*path, key), inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _impossible(path, inner)
    elif isinstance(value, (int, float)) and not _usable(value):
        yield _path(path), value


def _usable(value: int | float) -> bool:
    return math.isfinite(value) if isinstance(value, float) else abs(value) <= _LARGEST


def _path(loc: tuple[Any, ...]) -> tuple[str, ...]:
    """The key a message names: list positions and the branches of a union left off."""
    depth = 2 if loc and loc[0] in ("big_five", "activity", "traits") else 1
    return tuple(str(part) for part in loc[:depth])


def _value(table: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        table = table.get(key) if isinstance(table, Mapping) else None
    return table


def _words(path: tuple[str, ...], error: str, value: Any) -> str:
    if error == "missing":
        return f"{'.'.join(path)} is missing; add it: {EXPECTED['.'.join(path)]}"
    if error == "extra_forbidden":
        return _not_known(path[-1], _TABLES[path[:-1]].model_fields)
    return _misfit(path, value)


def _misfit(path: tuple[str, ...], value: Any) -> str:
    fallback = "a text, a finite number, true or false"
    return f"{'.'.join(path)} = {_shown(value)} does not fit; write {EXPECTED.get('.'.join(path), fallback)}"


def _not_known(key: str, known: Any) -> str:
    close = get_close_matches(key, list(known), n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"known keys: {', '.join(known)}"
    return f"there is no key {key!r}; {hint}"


def _astray(file: str, key: str, line: int | None) -> Finding:
    """A key outside every persona."""
    text = _not_known(key, ("persona",))
    if key in Persona.model_fields:
        text = f"{key} stands outside a persona; put it below a [[persona]] heading"
    return Finding(file, text, line=line, key=key)


def _shown(value: Any) -> str:
    """A value as the file's author would know it again, cut at 60 characters."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        text = '"' + value.replace("\n", "\\n") + '"'
    elif isinstance(value, list):
        text = "[" + ", ".join(_shown(inner) for inner in value[:12]) + "]"
    elif isinstance(value, dict):
        text = "a table" if value else "an empty table"
    elif isinstance(value, int) and abs(value) > 10**40:
        text = "a number of more than 40 digits"
    else:
        text = str(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _tuples(value: Any) -> Any:
    """Lists as tuples all the way down, as the strict records want them."""
    if isinstance(value, dict):
        return {key: _tuples(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return tuple(_tuples(inner) for inner in value)
    return value
