"""Comparison of a database's schema with ours, before any row is read."""

import re
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from openiir.core.errors import DamagedRun

_PLAIN = re.compile(r'create (?:table|index) [\w\s",]+\([\w\s",]*\)[\w\s,]*', re.IGNORECASE | re.ASCII)
"""A table or index that computes nothing: no expression, no constraint, no module."""
_MADE = re.compile(r"create (?P<type>table|index) (?P<name>\w+) ", re.IGNORECASE | re.ASCII)
_MOST = 1_000
"""Most entries of a schema."""


def check_schema(connection: sqlite3.Connection, path: Path, known: Sequence[str]) -> None:
    """Raise DamagedRun for a view, a trigger, or a table that is in none of the `known` schemas (SQL).

    Further plain tables are let be: nobody reads them but `openiir verify`, which names them.
    """
    found = connection.execute("select type, name, sql from sqlite_master").fetchmany(_MOST + 1)
    if len(found) > _MOST:
        raise DamagedRun(f"{path} has more than {_MOST:,} tables, which no run has; restore it from a copy")
    _refuse_foreign(found, path, known)


def check_statements(made: Sequence[str], path: Path, known: Sequence[str]) -> None:
    """Raise DamagedRun for statements that make what `check_schema` refuses; none of them is run."""
    found = []
    for sql in made:
        named = _MADE.match(str(sql))
        if named is None:
            raise DamagedRun(
                f"{path}: the statement {sql!a:.60} makes no table of a run; nothing was written"
            )
        found.append((named["type"].lower(), named["name"], sql))
    _refuse_foreign(found, path, known)


def _refuse_foreign(found: Sequence[tuple[str, str, Any]], path: Path, known: Sequence[str]) -> None:
    if foreign := _find_foreign(tuple(found), tuple(known)):
        type, name = foreign
        raise DamagedRun(
            f"{path}: its {type} {name!a:.60} is none of a run; no row was read, restore the file from a copy"
        )


@lru_cache(maxsize=16)
def _find_foreign(found: tuple[tuple[str, str, Any], ...], known: tuple[str, ...]) -> tuple[str, str] | None:
    """Find the first entry of a schema that is none of ours; cached, since most files have the same."""
    ours: dict[tuple[str, str], set[str]] = {}
    for sql in known:
        for entry, text in _entries_of(sql):
            ours.setdefault(entry, set()).add(text)
    names = {name for _, name in ours}
    for type, name, sql in found:
        spelled = _spell(sql)
        same = spelled in ours.get((type, name), ())
        plain = (
            name not in names and type in ("table", "index") and (sql is None or _PLAIN.fullmatch(spelled))
        )
        if not (same or plain):
            return type, name
    return None


@cache
def _entries_of(sql: str) -> tuple[tuple[tuple[str, str], str], ...]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(sql)
        entries = connection.execute("select type, name, sql from sqlite_master")
        return tuple(((type, name), _spell(sql)) for type, name, sql in entries)


def _spell(sql: object) -> str:
    """Write a statement without comments and line breaks, in which releases differ."""
    return " ".join(re.sub(r"--[^\n]*", "", str(sql or "")).split())
