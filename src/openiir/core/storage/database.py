"""Opening of SQLite files with safe settings, and translation of SQLite's errors."""

import errno
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import resources
from pathlib import Path

from openiir.core.errors import DamagedRun, InputError, OpeniirError, RunBusy, StorageFull

SCHEMA = 1
_ADDED = {"run": ("run_dialogues",), "after": ("after_people",)}
"""Schemas of later versions by the first one; files from before them are completed when opened."""
_UNDECLARED = 0
_WAL_VERSION = b"\x02\x02"
"""Bytes 18 and 19 of a file in write-ahead mode (SQLite file format, section 1.3.3)."""
_SMALLEST_PAGE = 512
_CACHE_KIB = 8_192
"""Page cache in KiB; a step's calls are scattered over the call table, which is sorted by place."""
_SAFE = ("journal_mode = wal", "synchronous = normal", "foreign_keys = on")
_SCRATCH = ("journal_mode = memory", "synchronous = off")
_ASIDE = ("journal_mode = memory", "synchronous = normal", "foreign_keys = on")
"""Settings for a file not yet renamed into place: a crash leaves no run, and committed data are on disk."""
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def create(path: Path, schema: str, pragmas: Sequence[str] = _SAFE) -> sqlite3.Connection:
    """Create a file with the numbered schema `schema` (`run` or `after`), leaving its transaction open.

    The file holds nothing until the first `transaction` commits.
    """
    with translate_errors(path):
        connection = _connect(path, "rwc", pragmas)
        try:
            connection.executescript(
                f"begin immediate; {_sql(schema, *_ADDED.get(schema, ()))}; pragma user_version = {SCHEMA};"
            )
        except BaseException:
            connection.close()
            raise
        return connection


def create_unnamed(path: Path, schema: str, *, scratch: bool = False) -> sqlite3.Connection:
    """Create a file beside `path`, as `create` does; `give_name` renames it to `path` once complete.

    A `scratch` file outlives no crash and is not waited for.
    """
    aside(path).unlink(missing_ok=True)
    return create(aside(path), schema, _SCRATCH if scratch else _ASIDE)


def give_name(connection: sqlite3.Connection, path: Path, *, scratch: bool = False) -> sqlite3.Connection:
    """Rename the file from `create_unnamed` after its first `transaction`; returns a new connection to it."""
    with translate_errors(path):
        aside(path).replace(path)
        moved = _connect(path, "rw", _SCRATCH if scratch else _SAFE)
        connection.close()
        return moved


def aside(path: Path) -> Path:
    """Return the temporary path of a file that is not yet complete."""
    return path.with_name(f"{path.name}.part")


def complete(connection: sqlite3.Connection, path: Path, schema: str) -> None:
    """Add what later versions brought to an older file, which must be open for writing."""
    with translate_errors(path):
        connection.executescript(f"begin immediate; {_sql(*_ADDED.get(schema, ()))}; commit;")


def _sql(*schemas: str) -> str:
    folder = resources.files("openiir.core.storage").joinpath("schema")
    return ";".join(folder.joinpath(f"{SCHEMA:03}_{name}.sql").read_text() for name in schemas)


def open_existing(path: Path, *, writable: bool) -> sqlite3.Connection:
    """Open an existing file; raises DamagedRun if it is missing, empty, no database, or of another schema."""
    version = version_of(path)
    if version == _UNDECLARED:
        raise DamagedRun(
            f"{path} is empty; restore it from a copy, or run the study again into this folder with --again"
        )
    if version != SCHEMA:
        raise DamagedRun(
            f"{path} has schema {version}, this version of openiir reads schema {SCHEMA}; "
            "use the version named in the run's manifest.json"
        )
    with translate_errors(path):
        return _connect(path, "rw" if writable else _reading(path))


def version_of(path: Path) -> int:
    """Read the schema's version; 0 for a file that was created but never filled."""
    if not path.is_file():
        raise DamagedRun(f"{path} is missing; without it the run cannot be read, so restore it from a copy")
    if path.stat().st_size % _SMALLEST_PAGE and not _log_of(path).exists():
        raise DamagedRun(f"{path} is damaged: it was cut short; restore it from a copy")
    with translate_errors(path):
        if path.with_name(f"{path.name}-journal").exists():
            _read_version(
                path, "rw"
            )  # rolls back what a killed process left half written, as no mere reader may
        return _read_version(path, _reading(path))


def _read_version(path: Path, mode: str) -> int:
    connection = _connect(path, mode, pragmas=())
    try:
        return int(connection.execute("pragma user_version").fetchone()[0])
    finally:
        connection.close()


def _reading(path: Path) -> str:
    """Choose the mode for opening a file read-only without creating files beside it.

    A file in write-ahead mode without its log is not open anywhere, so it cannot change and needs no lock.
    """
    with path.open("rb") as file:
        head = file.read(20)
    return "ro&immutable=1" if head[18:] == _WAL_VERSION and not _log_of(path).exists() else "ro"


def _log_of(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def _connect(path: Path, mode: str, pragmas: Sequence[str] = _SAFE) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}", uri=True, isolation_level=None, timeout=10
    )
    try:
        connection.execute(f"pragma cache_size = -{_CACHE_KIB}")
        if not mode.startswith("ro"):
            for pragma in pragmas:
                connection.execute(f"pragma {pragma}")
    except BaseException:
        connection.close()
        raise
    return connection


def is_writable(folder: Path) -> bool:
    """Whether files can be created in a folder; false on a read-only disk or in another user's folder."""
    return os.access(folder, os.W_OK)


def fold_log(connection: sqlite3.Connection) -> None:
    """Merge the write-ahead log into the file, so that reading it leaves no files beside it.

    Where that cannot be (a reader is there, the disk is full) the log stays; nothing that was committed is lost.
    """
    try:
        connection.execute("pragma busy_timeout = 0")
        connection.execute("pragma journal_mode = delete")
    except sqlite3.Error:
        return


@contextmanager
def translate_errors(path: Path) -> Iterator[None]:
    """Translate SQLite and disk errors into the platform's, with advice."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise _error_of(path, error) from error
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # SQLite's words may quote what is damaged
        raise DamagedRun(f"{path} is damaged: {error}; restore it from a copy") from error
    except OSError as error:
        if error.errno is None or error.errno in _NO_ROOM:
            raise _storage_full(path, error.strerror or str(error)) from error
        raise _not_writable(path, error.strerror or str(error)) from error


def _error_of(path: Path, error: sqlite3.OperationalError) -> OpeniirError:
    match getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR):
        case sqlite3.SQLITE_IOERR_SHORT_READ | sqlite3.SQLITE_IOERR_READ:
            return DamagedRun(f"{path} is damaged: it cannot be read to its end; restore it from a copy")
        case code if code & 0xFF in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
            return _storage_full(path, str(error))
        case code if code & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return RunBusy(f"{path} is in use by another process; wait for it to end")
        case code if code & 0xFF in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
            return _not_writable(path, str(error))
    return DamagedRun(f"{path} cannot be used as a run file: {error}; restore it from a copy")


def _storage_full(path: Path, why: str) -> StorageFull:
    return StorageFull(
        f"writing {path} failed: {why}; what was committed is safe. Make space, then run `openiir resume {path.parent}`"
    )


def _not_writable(path: Path, why: str) -> InputError:
    return InputError(f"{path} cannot be opened or written: {why}; mend the folder's permissions, or copy it")


@contextmanager
def transaction(connection: sqlite3.Connection, path: Path) -> Iterator[sqlite3.Connection]:
    """Run a block as one transaction, or complete the one that `create` left open."""
    with translate_errors(path):
        if not connection.in_transaction:
            connection.execute("begin immediate")
        try:
            yield connection
            connection.execute("commit")
        except BaseException:
            if connection.in_transaction:
                connection.execute("rollback")
            raise
