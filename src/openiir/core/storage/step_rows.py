"""Rows of one step: collecting, writing, and re-reading them to compare digests."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from openiir.core.hashing import canonical, fingerprint
from openiir.core.records import Chunk, Claim, Edge, Search
from openiir.core.storage.asked_facts import AskedFacts, pack_blocks
from openiir.core.storage.table_rows import Column, TableRows

_STORED = {
    "event": "select step, lane, kind, actor, payload from event order by seq",
    "search": "select step, lane, asker, ordinal, query, justification, refused, hits from search "
    "order by rowid",
    "chunk": 'select step, world, id, source, start, "end", text, sha256 from chunk where step > 0 '
    "order by rowid",
    "claim": "select step, document from claim order by position",
    "edge": "select step, source, target, type, confidence, extractor from edge order by position",
    "part": "select step, tbl, hash from part order by step, tbl",
}


@dataclass
class StepRows:
    """All rows that one step adds to the run file, in their stored form."""

    number: int
    label: str = ""
    events: list[tuple[str, str, str | None, str]] = field(default_factory=list)
    """Events as (lane, kind, actor, payload as canonical JSON)."""
    claims: list[Claim] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    searches: list[Search] = field(default_factory=list)
    chunks: list[Chunk] = field(default_factory=list)
    tables: dict[str, TableRows] = field(default_factory=dict)
    facts: list[AskedFacts] = field(default_factory=list)
    """What the prompts of questions answered offline are made of; no part of the digest."""

    def row(self, table: str, values: Mapping[str, Any]) -> None:
        """Append one row to a table."""
        self._batches(table).add_row(values)

    def columns(self, table: str, columns: Mapping[str, Column]) -> None:
        """Append rows to a table, as columns of equal length."""
        self._batches(table).add_columns(columns)

    def _batches(self, table: str) -> TableRows:
        if table not in self.tables:
            self.tables[table] = TableRows(table)
        return self.tables[table]

    def join(self, other: "StepRows") -> None:
        """Append the rows of another buffer of the same step."""
        before = len(self.events)
        self.facts += [
            AskedFacts(before + one.event, one.classes, one.persona, one.facts, one.reply)
            for one in other.facts
        ]
        self.events += other.events
        self.claims += other.claims
        self.edges += other.edges
        self.searches += other.searches
        self.chunks += other.chunks
        for name, batches in other.tables.items():
            self._batches(name).join(batches)

    def is_empty(self) -> bool:
        return not (self.events or self.claims or self.edges or self.searches or self.chunks or self.tables)

    def digest(self) -> str:
        """Hash all rows, in the order written."""
        parts = {name: batches.digest() for name, batches in sorted(self.tables.items()) if len(batches)}
        records = (*self.searches, *self.chunks, *self.claims, *self.edges)
        return _digest(self.events, [canonical(r) for r in records], parts)


def insert_step(
    db: sqlite3.Connection, rows: StepRows, digests: tuple[str, str], parts: Sequence[tuple[Any, ...]]
) -> None:
    """Write a step's rows, the digests of rows and calls, and the list of its table parts.

    The caller commits.
    """
    (last,) = db.execute("select coalesce(max(seq), 0) from event").fetchone()
    db.executemany(
        "insert into event (step, lane, kind, actor, payload) values (?, ?, ?, ?, ?)",
        [(rows.number, *event) for event in rows.events],
    )
    blocks = [(seq, rows.number, size, body) for seq, size, body in pack_blocks(rows.facts, last)]
    db.executemany("insert into asked_facts values (?, ?, ?, ?)", blocks)
    insert_chunks(db, rows.chunks, rows.number)
    count = db.execute("select coalesce(max(position) + 1, 0) from claim").fetchone()[0]
    db.executemany(
        "insert into claim values (?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (c.id, count + n, c.step, c.speaker, c.utterance, c.stance, c.text, canonical(c))
            for n, c in enumerate(rows.claims)
        ],
    )
    db.executemany(
        "insert into edge (step, source, target, type, confidence, extractor) values (?, ?, ?, ?, ?, ?)",
        [(e.step, e.source, e.target, e.type, e.confidence, e.extractor) for e in rows.edges],
    )
    db.executemany(
        "insert into search values (?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (s.lane, s.asker, s.step, s.ordinal, s.query, s.justification, s.refused, canonical(list(s.hits)))
            for s in rows.searches
        ],
    )
    db.executemany("insert into part values (?, ?, ?, ?, ?)", parts)
    db.execute("insert into step values (?, ?, ?, ?)", (rows.number, rows.label, *digests))


def insert_chunks(db: sqlite3.Connection, chunks: Iterable[Chunk], step: int) -> None:
    """Write passages of a world that were found at a step (0: at the start of the run)."""
    db.executemany(
        "insert into chunk values (?, ?, ?, ?, ?, ?, ?, ?)",
        ((c.world, c.id, c.source, c.start, c.end, c.text, c.sha256, step) for c in chunks),
    )


def stored_digests(db: sqlite3.Connection, numbers: Sequence[int]) -> Iterator[str]:
    """Compute the digests of steps (in ascending order) from the run file, in one pass.

    Each equals the digest of its commit unless something was changed.
    """
    rows = {table: _RowsByStep(db, sql) for table, sql in _STORED.items()}
    for number in numbers:
        events = [tuple(row.values())[1:] for row in rows["event"].of(number)]
        records = [{**row, "hits": json.loads(row["hits"])} for row in rows["search"].of(number)]
        records += [{name: row[name] for name in row if name != "step"} for row in rows["chunk"].of(number)]
        spelled = [canonical(record) for record in records]
        spelled += [row["document"] for row in rows["claim"].of(number)]
        spelled += [canonical(row) for row in rows["edge"].of(number)]
        yield _digest(events, spelled, {row["tbl"]: row["hash"] for row in rows["part"].of(number)})


def calls_digest(db: sqlite3.Connection, number: int) -> str:
    """Hash the list of calls that a step made; replies and prompts have hashes in their own rows."""
    sql = "select lane, asker, kind, subject, ordinal, attempt, prompt_hash, reply_hash, usable from call"
    rows = db.execute(
        f"{sql} where step = ? order by lane, asker, kind, subject, ordinal, attempt", (number,)
    )
    return fingerprint(rows.fetchall())


def _digest(events: Sequence[tuple[Any, ...]], records: list[str], parts: dict[str, str]) -> str:
    return fingerprint([events, records, parts])


class _RowsByStep:
    """Reader of rows grouped by step; the first column is the step."""

    def __init__(self, db: sqlite3.Connection, sql: str) -> None:
        self._rows = db.execute(sql)
        self._names = [column[0] for column in self._rows.description]
        self._next = self._rows.fetchone()

    def of(self, number: int) -> list[dict[str, Any]]:
        """Return the rows of a step; those of earlier steps must have been read before."""
        taken = []
        while self._next is not None and self._next[0] == number:
            taken.append(dict(zip(self._names, self._next, strict=True)))
            self._next = self._rows.fetchone()
        return taken
