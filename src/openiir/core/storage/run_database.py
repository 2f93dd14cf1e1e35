"""The open database of a run, shared by all parts of a run file."""

import sqlite3
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from pathlib import Path
from secrets import token_hex
from typing import Any

from openiir.core.hashing import sha256
from openiir.core.storage import database
from openiir.core.storage.folder import DATABASE

ID = "id"
"""Key in a run's state of its id in databases, once it was mirrored or was pushed before its end."""


def run_id(db: sqlite3.Connection) -> str | None:
    """Return a run's id: its own, or else one made of its manifest's hash; None for one that has neither."""
    stated = dict(db.execute("select key, value from state where key in (?, 'manifest')", (ID,)))
    return stated.get(ID) or (sha256(stated["manifest"])[:32] if stated.get("manifest") else None)


class RunDatabase:
    """Open connection to a run's `run.db`, with its table of key-value states."""

    def __init__(self, folder: Path, connection: sqlite3.Connection) -> None:
        self.folder = folder
        self.path = folder / DATABASE
        self.db = connection
        self.commit_each_call = True
        """Whether each call is committed at once; False in a scratch run, which commits once per step."""

    def _write(self) -> Any:
        """Begin a transaction; in a scratch run, one that lasts until the step's commit."""
        if self.commit_each_call:
            return database.transaction(self.db, self.path)
        if not self.db.in_transaction:
            self.db.execute("begin")
        return nullcontext(self.db)

    def ensure_id(self) -> str:
        """Return the run's id; one that has none yet gets it, for which it must be open for writing."""
        id = run_id(self.db)
        if id is None:
            self.set_state(**{ID: (id := token_hex(16))})
        return id

    def state(self, key: str) -> str | None:
        row = self.db.execute("select value from state where key = ?", (key,)).fetchone()
        return row[0] if row else None

    def set_state(self, **values: str) -> None:
        with database.transaction(self.db, self.path) as db:
            self._put_state(db, values)

    def end(self, content: str, write: Callable[[], str]) -> None:
        """Mark the run as done; `write` writes the manifest and returns its hash, in the same transaction."""
        with database.transaction(self.db, self.path) as db:
            self._put_state(db, {"status": "done", "reason": "", "content": content, "checkpoint": ""})
            self._put_state(db, {"manifest": write()})

    def _put_state(self, db: sqlite3.Connection, values: Mapping[str, str]) -> None:
        db.executemany("insert or replace into state values (?, ?)", values.items())
