"""Sending of a run to a lab's database: whole steps, each row once, however often it is broken off."""

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from openiir.core.errors import InputError
from openiir.core.storage.gate import read_run_file
from openiir.core.storage.integrity import MANIFEST, MANIFEST_BYTES
from openiir.core.storage.postgres import columnar
from openiir.core.storage.postgres.connection import lock
from openiir.core.storage.postgres.rows import END, STATE, RowTable, list_tables
from openiir.core.storage.tables import part_schema, read_part

_EVENTS = 50_000
"""Most events that are read at a time, unless one step has more."""
_STEPS = "select number, digest, calls"

Open = Callable[[], AbstractContextManager[sqlite3.Connection]]
"""A function that opens a run file for reading, in one view of a run that may be growing."""


@contextmanager
def hold_view(db: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """Read a file as it stands, whatever is written to it meanwhile."""
    db.execute("begin")
    try:
        yield db
    finally:
        db.execute("rollback")


class _Batch(NamedTuple):
    """Rows of some steps as they stand in the run file."""

    status: str
    since: int
    until: int
    rows: dict[RowTable, list[tuple[Any, ...]]]
    parts: list[tuple[str, str, int]]
    """File, table and step of each part."""
    counts: dict[str, int]
    """Number of rows of each table, if these are the last rows of a finished run; else empty."""


class RunSender:
    """Sends a run over an open connection, a transaction for each call of `send`."""

    def __init__(self, connection: Any, folder: Path, id: str, open: Open) -> None:
        self.connection, self.folder, self.id, self.open = connection, folder, id, open
        self._ready = 0
        """Last step whose parts have tables in the database."""
        self._schemas: dict[str, list[Any]] = {}
        """Arrow schemas for which a columnar table has its columns."""
        self._relations: dict[str, str] = {}
        """PostgreSQL table of each columnar table."""
        self._tables: list[RowTable] = []
        self._study: tuple[str, str, int] = ("", "", 0)
        """Type, name and seed."""
        self._seen: tuple[int, str] | None = None
        """Last committed step, and status, of what was sent."""
        self._compared = self._begun_anew = False

    def send(self) -> bool:
        """Send what is not there yet in one transaction; false if nothing was.

        Raises InputError where the database holds another run under this id, and psycopg's errors.
        """
        self._prepare_relations()
        with self.connection.transaction():
            lock(self.connection, self.id)
            sent = self._send_batch()
            while sent and self._send_batch():
                pass
        return sent

    def send_steps(self) -> bool:
        """Send some of the committed steps that are not there yet, as `send` does; false if there were none.

        A run that has no step yet is not sent, since it may be withdrawn.
        """
        with self.open() as db:
            found = self._state_of(db)
        if found == self._seen or (found[0] == 0 and found[1] != "done"):
            return False
        self._prepare_relations()
        with self.connection.transaction():
            lock(self.connection, self.id)
            sent = self._send_batch()
        if not sent:
            self._seen = found
        return sent

    def _state_of(self, db: sqlite3.Connection) -> tuple[int, str]:
        """Return the last committed step and the run's status."""
        (last,) = db.execute("select coalesce(max(number), 0) from step").fetchone()
        (status,) = db.execute("select value from state where key = 'status'").fetchone()
        return last, status

    def _prepare_relations(self) -> None:
        """Make the tables for the parts of committed steps, each in a transaction of its own."""
        with self.open() as db:
            last, _ = self._state_of(db)
            sql = "select file, tbl from part where step > ? and step <= ?"
            parts = db.execute(sql, (self._ready, last)).fetchall()
            self._tables = list_tables(db)
            self._study = db.execute("select type, name, seed from study").fetchone()
        for file, table in parts:
            schema, known = part_schema(self.folder, file), self._schemas.setdefault(table, [])
            if not any(schema.equals(one) for one in known):
                type = self._study[0]
                self._relations[table] = columnar.prepare_relation(self.connection, type, table, schema)
                known.append(schema)
        self._ready = last

    def _send_batch(self) -> bool:
        """Send the next steps within a transaction; false where nothing was left.

        The run file is not open while the database is waited for, which might make the run wait.
        """
        run, status, content = self.connection.execute(
            "select run, status, content from openiir.run where id = %s", (self.id,)
        ).fetchone() or (None, None, None)
        steps = self._stored_steps(run) if run is not None and not self._compared else []
        lasts = {} if run is None else self._last_numbers(run)
        with self.open() as db:
            state = dict(db.execute("select key, value from state"))
            same = (
                steps
                == db.execute(f"{_STEPS} from step where number <= ? order by 1", (len(steps),)).fetchall()
            )
            batch = self._read_batch(db, lasts, state["status"]) if content is None and same else None
            made = db.execute("select sql from sqlite_master where sql is not null order by rowid").fetchall()
        if content is not None:
            self._check_same(content, state.get("content"))
            return False
        if batch is None:
            return self._begin_anew()
        self._compared = True
        if batch.until == batch.since and status == batch.status:
            return False
        if run is None:
            run = self._insert_run([sql for (sql,) in made])
        self._write_batch(run, batch)
        if batch.counts and batch.counts != self._count_rows(run):
            return self._begin_anew()
        end = (state["content"], self._read_manifest()) if batch.counts else (None, None)
        self.connection.execute(
            "update openiir.run set status = %s, content = %s, manifest = %s, changed = now() where run = %s",
            (batch.status, *end, run),
        )
        return True

    def _read_batch(self, db: sqlite3.Connection, lasts: dict[str, int | None], status: str) -> _Batch:
        """Read the rows behind the last ones that are there, of steps whose parts have tables."""
        since = (lasts["step"] or 0) if lasts else -1
        first = (lasts.get("event") or 0) + _EVENTS
        last, _ = self._state_of(db)
        beyond = db.execute("select step from event where seq = ?", (first,)).fetchone()
        until = self._ready if beyond is None else min(max(since + 1, beyond[0] - 1), self._ready)
        ending = status == "done" and until == last
        rows = {
            table: list(
                table.read(db, -1, None, END)
                if table.name == STATE
                else table.read(db, since, lasts.get(table.name), END if ending else until)
            )
            for table in self._tables
        }
        parts = db.execute(
            "select file, tbl, step from part where step > ? and step <= ? order by rowid", (since, until)
        )
        counts = {
            table.name: int(db.execute(f'select count(*) from "{table.name}"').fetchone()[0])
            for table in (self._tables if ending else ())
        }
        return _Batch(status, since, until, rows, parts.fetchall(), counts)

    def _stored_steps(self, run: int) -> list[tuple[Any, ...]]:
        """List the steps that are there; others than the run's mean that a crash of it lost the last ones."""
        query = f"{_STEPS} from openiir.step where run = %s order by 1"
        return list(self.connection.execute(query, (run,)).fetchall())

    def _last_numbers(self, run: int) -> dict[str, int | None]:
        """Return the number of each table's last row that is there."""
        from psycopg import sql

        one = "select {}, max({}) from {} where run = {}"
        queries = [
            sql.SQL(one).format(table.name, sql.Identifier(table.order), _place(table), run)
            for table in self._tables
            if table.order is not None
        ]
        return dict(self.connection.execute(sql.SQL(" union all ").join(queries)).fetchall())

    def _count_rows(self, run: int) -> dict[str, int]:
        from psycopg import sql

        one = "select {}, count(*) from {} where run = {}"
        queries = [sql.SQL(one).format(table.name, _place(table), run) for table in self._tables]
        return dict(self.connection.execute(sql.SQL(" union all ").join(queries)).fetchall())

    def _insert_run(self, made: Sequence[str]) -> int:
        return int(
            self.connection.execute(
                "insert into openiir.run (id, type, name, seed, status, tables) "
                "values (%s, %s, %s, %s, 'running', %s) returning run",
                (self.id, *self._study, json.dumps(made)),
            ).fetchone()[0]
        )

    def _write_batch(self, run: int, batch: _Batch) -> None:
        from psycopg import sql

        self.connection.execute("delete from openiir.state where run = %s", (run,))
        for table, rows in batch.rows.items():
            if rows:
                names = sql.SQL(", ").join(map(sql.Identifier, ("run", *table.sent)))
                with self.connection.cursor().copy(
                    sql.SQL("copy {} ({}) from stdin").format(_place(table), names)
                ) as copy:
                    for row in rows:
                        copy.write_row((run, *row))
        for file, table_name, step in batch.parts:
            part = read_part(self.folder, file)
            self.connection.execute(
                "insert into openiir.part_schema values (%s, %s, %s)",
                (run, file, part.schema.serialize().to_pybytes()),
            )
            columnar.send_part(self.connection, self._relations[table_name], run, step, part)

    def _begin_anew(self) -> bool:
        """Delete what is there of the run, so that all is sent; raises InputError the second time."""
        if self._begun_anew:
            raise InputError(
                f"{self.folder} changes while it is sent; push it again when nothing writes to it"
            )
        self._begun_anew = True
        self.connection.execute("select openiir.delete_run(%s)", (self.id,))
        return True

    def _check_same(self, there: str, content: str | None) -> None:
        if content != there:
            raise InputError(
                f"the database has the run {self.id} with the content {there}, and {self.folder} has "
                f"{content or 'not ended'}: two copies of one run went on apart. `select openiir.delete_run("
                f"'{self.id}')` deletes the one that is there"
            )

    def _read_manifest(self) -> str:
        return read_run_file(self.folder / MANIFEST, MANIFEST_BYTES).decode()


def _place(table: RowTable) -> Any:
    from psycopg import sql

    return sql.Identifier("openiir", table.name)
