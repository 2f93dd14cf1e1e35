"""Tables of `run.db` that the lab's database has as well, and how their rows are read."""

import sqlite3
from collections.abc import Iterator
from typing import Any, NamedTuple

from openiir.core.errors import InputError
from openiir.core.storage.postgres.texts import encode_text

TABLES = (
    "study persona chunk search prompt call call_details abandoned opening transport event claim edge step "
    "part embedding fitted asked_facts"
).split()
"""Tables whose rows stay as they are once their step is committed, in the order in which they are written."""
STATE = "state"
_STEP = {"step": "number"}
"""Column with the step, where it is not `step`."""
END = 2**62
"""Step after all others."""


class RowTable(NamedTuple):
    """A table of one run file."""

    name: str
    columns: tuple[str, ...]
    order: str | None
    """Column that tells the order of rows; `n`, which run.db calls rowid, where none of its own does."""
    step: str | None
    """Column that tells the step; None for a table without one."""

    @property
    def sent(self) -> tuple[str, ...]:
        """Columns of the lab's table that are sent, without the run's number."""
        return ("n", *self.columns) if self.order == "n" else self.columns

    def read(
        self, db: sqlite3.Connection, since: int, last: int | None, until: int
    ) -> Iterator[tuple[Any, ...]]:
        """Read the rows of the steps after `since` and up to `until`, or those behind the number `last`."""
        rowid = "rowid, " if self.order == "n" else ""
        names = ", ".join(f'"{name}"' for name in self.columns)
        if self.order is None:
            rows = db.execute(
                f'select {names} from "{self.name}" where {self.step} > ? and {self.step} <= ?',
                (since, until),
            )
        else:
            rows = db.execute(
                f'select {rowid}{names} from "{self.name}" where rowid > ? order by rowid',
                (-1 if last is None else last,),
            )
        place = None if self.step is None else self.sent.index(self.step)
        for row in rows:
            if place is not None and row[place] > until:
                return
            yield tuple(encode_text(value) if type(value) is str else value for value in row)


def list_tables(db: sqlite3.Connection) -> list[RowTable]:
    """List the tables of a run file; InputError for one that this version does not know."""
    tables = []
    for name, keyed in db.execute(
        "select name, wr from pragma_table_list "
        "where schema = 'main' and type = 'table' and name <> 'sqlite_schema'"
    ).fetchall():
        if name not in (STATE, *TABLES):
            raise InputError(
                f"run.db has a table {name!a:.60}, which this version of openiir does not know; use the "
                "version named in the run's manifest.json"
            )
        columns = db.execute("select name, type, pk from pragma_table_info(?)", (name,)).fetchall()
        numbers = [column for column, type, key in columns if key and type.upper() == "INTEGER"]
        number = numbers[0] if len([1 for *_, key in columns if key]) == 1 and numbers else None
        step = _STEP.get(name, "step")
        names = tuple(column for column, *_ in columns)
        order = None if keyed else number or "n"
        tables.append(RowTable(name, names, order, step if step in names else None))
    return sorted(tables, key=lambda table: [*TABLES, STATE].index(table.name))
