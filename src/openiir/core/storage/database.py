"""Opening SQLite files the way this room wants them, and saying plainly what went wrong."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path

from openiir.core.errors import DamagedRun, StorageFull

SCHEMA = 1


def create(path: Path, schema: str) -> sqlite3.Connection:
    """A fresh file with the numbered schema `schema` (`run` or `after`)."""
    with guarded(path):
        connection = _connect(path, "rwc")
        sql = resources.files("openiir.core.storage").joinpath(f"schema/{SCHEMA:03}_{schema}.sql").read_text()
        connection.executescript(f"begin; {sql}; pragma user_version = {SCHEMA}; commit;")
        return connection


def open_existing(path: Path, *, writable: bool) -> sqlite3.Connection:
    """An existing file; raises DamagedRun when it is missing, no database, or of another schema."""
    if not path.is_file():
        raise DamagedRun(f"{path} is missing; without it the run cannot be read")
    with guarded(path):
        connection = _connect(path, "rw" if writable else "ro")
        version = connection.execute("pragma user_version").fetchone()[0]
    if version != SCHEMA:
        raise DamagedRun(
            f"{path} has schema {version}, this version of openiir reads schema {SCHEMA}; "
            "use the version named in the run's manifest.json"
        )
    return connection


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}", uri=True, isolation_level=None, timeout=10
    )
    if mode != "ro":
        connection.execute("pragma journal_mode = wal")
        connection.execute("pragma synchronous = normal")
        connection.execute("pragma foreign_keys = on")
    return connection


@contextmanager
def guarded(path: Path) -> Iterator[None]:
    """Turns SQLite's and the disk's words into ours."""
    try:
        yield
    except sqlite3.OperationalError as error:
        message = str(error)
        if "full" in message or "I/O" in message:
            raise full(path, message) from error
        raise DamagedRun(f"{path} cannot be used as a run file: {message}") from error
    except sqlite3.DatabaseError as error:
        raise DamagedRun(f"{path} is damaged: {error}; restore it from a copy") from error
    except OSError as error:
        raise full(path, str(error)) from error


def full(path: Path, why: str) -> StorageFull:
    return StorageFull(
        f"writing {path} failed: {why}; what was committed is safe. Make space, then run `openiir resume {path.parent}`"
    )


@contextmanager
def transaction(connection: sqlite3.Connection, path: Path) -> Iterator[sqlite3.Connection]:
    """All or nothing."""
    with guarded(path):
        connection.execute("begin immediate")
        try:
            yield connection
            connection.execute("commit")
        except BaseException:
            if connection.in_transaction:
                connection.execute("rollback")
            raise
