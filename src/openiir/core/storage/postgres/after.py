"""What was asked and measured after a run, from its after-file to a lab's database and back."""

from contextlib import closing
from pathlib import Path
from typing import Any

from openiir.core.storage import database
from openiir.core.storage.after_file import AfterFile
from openiir.core.storage.postgres.connection import lock
from openiir.core.storage.postgres.reading import StoredRun, decode_rows
from openiir.core.storage.postgres.texts import encode_text

_COLUMNS = {
    "interview": ("agent", "question", "reply", "answerer", "document", "thread", "given"),
    "validation": ("agent", "statement", "verdict", "comment", "person", "given"),
    "measure": ("name", "value", "reason", "set_by"),
}
_AS_TEXT = {"document": "document::text", "set_by": "set_by::text"}
"""How columns are read that psycopg would parse."""


def send_after(connection: Any, id: str, folder: Path, content: str) -> int:
    """Send the rows of a run's after-file that are not there; returns how many, 0 without an after-file.

    Copies of a run may each have answers of their own, so rows are told apart by all that is in them.
    """
    from psycopg import sql

    after = AfterFile.read(folder, content)
    if after is None:
        return 0
    added = 0
    with closing(after.db), connection.transaction():
        lock(connection, id)
        (run,) = connection.execute("select run from openiir.run where id = %s", (id,)).fetchone()
        for table, columns in _COLUMNS.items():
            names = [sql.Identifier(name) for name in columns]
            same = [sql.SQL(f"{_AS_TEXT.get(name, name)} is not distinct from %s") for name in columns]
            insert = sql.SQL(
                "insert into {table} (run, {names}) select %s, {values} where not exists "
                "(select 1 from {table} where run = %s and {same})"
            ).format(
                table=sql.Identifier("openiir", table),
                names=sql.SQL(", ").join(names),
                values=sql.SQL(", ").join([sql.SQL("%s")] * len(names)),
                same=sql.SQL(" and ").join(same),
            )
            for row in after.db.execute(f"select {', '.join(columns)} from {table} order by id"):
                values = [encode_text(value) if isinstance(value, str) else value for value in row]
                added += connection.execute(insert, (run, *values, run, *values)).rowcount
    return added


def read_after(connection: Any, found: StoredRun, folder: Path) -> None:
    """Write the after-file of a run that was read back; none where there is nothing for one."""
    rows = {
        table: connection.execute(
            f"select {', '.join(_AS_TEXT.get(name, name) for name in columns)} from openiir.{table} "
            "where run = %s order by n",
            (found.run,),
        ).fetchall()
        for table, columns in _COLUMNS.items()
    }
    if found.content is None or not any(rows.values()):
        return
    with AfterFile(folder, found.content) as after, database.transaction(after.db, after.path) as db:
        for table, columns in _COLUMNS.items():
            marks = ", ".join("?" * len(columns))
            insert = f"insert into {table} ({', '.join(columns)}) values ({marks})"
            db.executemany(insert, decode_rows(table, rows[table]))
