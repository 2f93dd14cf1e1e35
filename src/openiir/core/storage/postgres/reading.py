"""Reading of a run from a lab's database back into a folder, as the data of a stranger."""

import json
import sqlite3
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from openiir.core.errors import DamagedRun, InputError
from openiir.core.files import check_size
from openiir.core.storage import database
from openiir.core.storage.folder import write_whole
from openiir.core.storage.integrity import MANIFEST
from openiir.core.storage.postgres import columnar
from openiir.core.storage.postgres.rows import RowTable, list_tables
from openiir.core.storage.postgres.texts import decode_text
from openiir.core.storage.run_file import RunFile
from openiir.core.storage.tables import part_hash, part_path, write_file
from openiir.core.sums import int_sum

_SHORTEST = 4
"""Least letters of an id or hash that are looked up."""
_LISTED = 10
_ROWS = 5_000
"""Rows that are fetched at a time."""
_READ = {"json": "{}::text", "boolean": "{}::integer"}
"""How columns are read whose values run.db holds in another type."""


class StoredRun(NamedTuple):
    """A run in a lab's database."""

    run: int
    id: str
    type: str
    name: str
    status: str
    content: str | None


def find_run(connection: Any, wanted: str) -> StoredRun:
    """Find a run by its id, its content hash, or the beginning of either; InputError unless it is one.

    Of several executions with one content the one that was sent first is taken.
    """
    if len(wanted.removeprefix("sha256:")) < _SHORTEST:
        raise InputError(
            f"{wanted!r} is too short; name a run by its id, its content hash, or a beginning of it"
        )
    content = f"sha256:{wanted.removeprefix('sha256:')}"
    rows = connection.execute(
        f"select {', '.join(StoredRun._fields)} from openiir.run "
        "where starts_with(id, %s) or starts_with(content, %s) order by run limit %s",
        (wanted, content, _LISTED + 1),
    ).fetchall()
    found = [StoredRun(*row) for row in rows]
    same = [one for one in found if one.id == wanted] or found
    if len({one.content or one.id for one in same}) == 1:
        return same[0]
    if not found:
        raise InputError(
            f"the database has no run whose id or content hash begins with {wanted!r}; "
            "`select id, name, content from openiir.runs` lists them"
        )
    listed = "".join(f"\n  {one.id}  {one.content or one.status}  {one.name}" for one in found[:_LISTED])
    raise InputError(f"{wanted!r} is the beginning of several runs; name one by its id:{listed}")


def read_run(connection: Any, found: StoredRun, folder: Path) -> None:
    """Write a run's folder from its rows, completely or not at all; raises DamagedRun, Unreadable.

    It gets no receipt. Whether its hashes hold is for `check_run` to say.
    """
    with connection.transaction():
        connection.execute("set transaction isolation level repeatable read, read only")
        row = connection.execute(
            "select tables::text, manifest::text from openiir.run where run = %s", (found.run,)
        ).fetchone()
        if row is None:
            raise InputError(f"the run {found.id} was deleted meanwhile")
        for text in row:
            check_size(f"a document of the run {found.id}", len(text or ""), "json_bytes")
        made, manifest = json.loads(row[0]), row[1]
        if not isinstance(made, list):
            raise DamagedRun(f"the run {found.id} names no tables of a run in the database")
        run = RunFile.create(folder, made=made)
        try:
            with database.transaction(run.db, run.path) as db:
                for table in list_tables(db):
                    _read_rows(connection, found.run, table, db)
                if found.content is None:
                    db.execute("update state set value = '' where key = 'checkpoint'")
            _read_parts(connection, found, run)
            if manifest is not None:
                write_whole(folder / MANIFEST, manifest)
            run.db = database.rename_finished(run.db, run.path)
        except BaseException:
            run.withdraw()
            raise
        run.close()


def _read_rows(connection: Any, run: int, table: RowTable, db: sqlite3.Connection) -> None:
    """Copy the rows of a table into a run file."""
    from psycopg import sql

    types = columnar.columns_of(connection, table.name)
    if missing := [name for name in table.columns if name not in types]:
        raise DamagedRun(f"the table {table.name} of the database lacks the column {missing[0]}")
    names = [sql.SQL(_READ.get(types[name], "{}")).format(sql.Identifier(name)) for name in table.columns]
    order = sql.SQL(" order by {}").format(sql.Identifier(table.order)) if table.order else sql.SQL("")
    query = sql.SQL("select {} from {} where run = {}").format(
        sql.SQL(", ").join(names), sql.Identifier("openiir", table.name), run
    )
    marks = ", ".join("?" * len(table.columns))
    with connection.cursor(name="rows") as cursor:
        cursor.execute(query + order)
        fetched = chain.from_iterable(iter(lambda: cursor.fetchmany(_ROWS), []))
        db.executemany(f'insert into "{table.name}" values ({marks})', decode_rows(table.name, fetched))


def decode_rows(name: str, rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """Yield rows with their texts as they were; raises Unreadable for more than a file may have."""
    size = 0
    for row in rows:
        size += int_sum(len(value) for value in row if isinstance(value, str | bytes))
        check_size(f"the table {name}", size)
        yield tuple(decode_text(value) if isinstance(value, str) else value for value in row)


def _read_parts(connection: Any, found: StoredRun, run: RunFile) -> None:
    """Write the Parquet files of a run, each checked against the hash that the run file names."""
    schemas = dict(
        connection.execute(
            "select file, arrow from openiir.part_schema where run = %s", (found.run,)
        ).fetchall()
    )
    relations: dict[str, str | None] = {}
    for file, table, step, rows, digest in run.db.execute("select file, tbl, step, rows, hash from part"):
        path = part_path(run.folder, file)
        if table not in relations:
            relations[table] = columnar.find_relation(connection, found.type, table)
        relation = relations[table]
        if relation is None or file not in schemas:
            raise DamagedRun(f"the database has no rows of the table part {file!a:.60}")
        schema = _read_schema(file, schemas[file])
        write_file(path, columnar.read_part(connection, relation, found.run, step, schema))
        if part_hash(run.folder, file) != (rows, digest):
            raise DamagedRun(
                f"the rows of {file} in the database have not the hash that was recorded for them; they were "
                "changed there"
            )


def _read_schema(file: str, packed: bytes) -> Any:
    import pyarrow as pa

    try:
        check_size(f"the schema of {file}", len(packed), "toml_bytes")
        return pa.ipc.read_schema(pa.py_buffer(packed))
    except (pa.ArrowException, OSError) as error:
        raise DamagedRun(f"the schema of {file} cannot be read: {str(error)[:200]}") from None
