"""Opening of SQLite files with safe settings, and translation of SQLite's errors."""

import errno
import itertools
import os
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cache
from importlib import resources
from pathlib import Path
from tempfile import TemporaryDirectory

from openiir.core.errors import DamagedRun, InputError, OpeniirError, RunBusy, StorageFull
from openiir.core.files import check_file, check_size
from openiir.core.storage.schema_check import check_schema, check_statements

SCHEMA = 1
_ADDED = {"run": ("run_dialogues", "run_facts", "run_details"), "after": ("after_people",)}
"""Schemas of later versions by the first one; files from before them are completed when opened."""
_UNDECLARED = 0
_WAL_VERSION = b"\x02\x02"
"""Bytes 18 and 19 of a file in write-ahead mode (SQLite file format, section 1.3.3)."""
_SMALLEST_PAGE = 512
_EFFORT, _EFFORT_PER_BYTE = 2_000_000, 100
"""Most instructions of SQLite's machine for all queries to a file from elsewhere: hundreds of readings."""
_INSTRUCTIONS = 1_000_000
"""Instructions between two looks at the effort left."""
_TRIES = 5
"""Most copies that are made of a file while another process writes it."""
_CACHE_KIB = 8_192
"""Page cache in KiB; a step's calls are scattered over the call table, which is sorted by place."""
_SAFE = ("journal_mode = wal", "synchronous = normal", "foreign_keys = on")
_SCRATCH = ("journal_mode = memory", "synchronous = off")
_ASIDE = ("journal_mode = memory", "synchronous = normal", "foreign_keys = on")
"""Settings for a file not yet renamed into place: a crash leaves no run, and committed data are on disk."""
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def create_database(
    path: Path, schema: str, pragmas: Sequence[str] = _SAFE, made: Sequence[str] | None = None
) -> sqlite3.Connection:
    """Create a SQLite file with schema `run` or `after`, leaving the transaction open for first rows.

    The file holds nothing until the first `transaction` commits. `made` are the statements of a file of an
    earlier release, which are checked, since they may be anybody's.
    """
    with translate_errors(path):
        connection = _connect(path, "rwc", pragmas)
        with closing_on_error(connection):
            if made is None:
                sql = _sql(schema, *_ADDED.get(schema, ()))
            else:
                check_statements(made, path, _known_schemas(schema))
                sql = ";\n".join(made)
            connection.executescript(f"begin immediate; {sql};\n pragma user_version = {SCHEMA};")
        return connection


def create_unnamed(
    path: Path, schema: str, *, scratch: bool = False, made: Sequence[str] | None = None
) -> sqlite3.Connection:
    """Create a SQLite file under a temporary name beside `path`; `rename_finished` renames it once complete.

    A `scratch` file outlives no crash and is not waited for; `made` is as in `create_database`.
    """
    temporary_path(path).unlink(missing_ok=True)
    return create_database(temporary_path(path), schema, _SCRATCH if scratch else _ASIDE, made)


def rename_finished(
    connection: sqlite3.Connection, path: Path, *, scratch: bool = False
) -> sqlite3.Connection:
    """Rename the file from `create_unnamed` after its first `transaction`; returns a new connection to it."""
    with translate_errors(path):
        temporary_path(path).replace(path)
        moved = _connect(path, "rw", _SCRATCH if scratch else _SAFE)
        connection.close()
        return moved


def temporary_path(path: Path) -> Path:
    """Return the temporary path under which a file is built until it is complete."""
    return path.with_name(f"{path.name}.part")


def upgrade_schema(connection: sqlite3.Connection, path: Path, schema: str) -> None:
    """Upgrade an older file, open for writing, to the present schema."""
    with translate_errors(path):
        connection.executescript(f"begin immediate; {_sql(*_ADDED.get(schema, ()))}; commit;")


def open_shared(path: Path, schema: str) -> sqlite3.Connection:
    """Open a file that many processes write, creating it if needed; its writers raise RunBusy, not wait."""
    from filelock import FileLock

    with translate_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with FileLock(f"{path}.lock"):  # SQLite does not wait where two change the mode of a file
            connection = _connect(path, "rwc")
            with closing_on_error(connection):
                connection.executescript(f"begin immediate; {_sql(schema)}; commit; pragma busy_timeout = 0;")
        return connection


def has_table(connection: sqlite3.Connection, name: str) -> bool:
    """Whether a file has a table, which those of earlier releases may lack."""
    sql = "select 1 from sqlite_master where type = 'table' and name = ?"
    return connection.execute(sql, (name,)).fetchone() is not None


@cache
def _sql(*schemas: str) -> str:
    folder = resources.files("openiir.core.storage").joinpath("schema")
    return ";".join(folder.joinpath(f"{SCHEMA:03}_{name}.sql").read_text() for name in schemas)


def _known_schemas(schema: str) -> tuple[str, str]:
    """Return the schema as it began and as it is now."""
    return _sql(schema), _sql(schema, *_ADDED.get(schema, ()))


@contextmanager
def open_beside(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a file that this process is writing by another connection, for a short reading."""
    with translate_errors(path), closing(_connect(path, "ro")) as connection:
        yield connection


def open_writable(path: Path, schema: str) -> sqlite3.Connection:
    """Open a file for writing, rolling back what a killed process left half written."""
    _check_length(path)
    with translate_errors(path):
        opened = _connect(path, "rw")
    return _check_opened(opened, path, schema)


def open_reading(path: Path, schema: str, *, ours: bool, as_it_stands: bool = False) -> sqlite3.Connection:
    """Open a file for reading, from any machine: writes no file beside it, and rolls nothing back.

    `ours` says that it was made on this machine, perhaps by a process that is still writing it; the log of
    another one is read in a private copy, and the work of all its queries is bounded. A file that was left
    half written is refused, unless it is to be read `as_it_stands`. Raises DamagedRun if the file is missing,
    empty, no database, or of another schema.
    """
    _check_length(path)
    if is_half_written(path) and not as_it_stands:
        raise DamagedRun(
            f"{path} was left half written, and only `openiir resume` of a run that was made here undoes "
            f"that; if you trust this one, `openiir trust {path.parent}` makes a copy of it without "
            f"{_journal_of(path).name}"
        )
    with translate_errors(path):
        opened = _connect_reading(path, ours)
    return _check_opened(opened, path, schema, bounded=not ours)


def is_fully_created(path: Path, *, ours: bool) -> bool:
    """Whether a file's creation was completed; false where the creating process was killed first."""
    _check_length(path)
    if is_half_written(path):
        return True
    with translate_errors(path), closing(_connect_reading(path, ours)) as opened:
        return _version(opened) != _UNDECLARED


def is_half_written(path: Path) -> bool:
    """Whether a file has a rollback journal, left by a write that was cut off."""
    try:
        return _journal_of(path).lstat().st_size > 0
    except (FileNotFoundError, NotADirectoryError):
        return False


def _check_length(path: Path) -> None:
    if not path.is_file():
        raise DamagedRun(f"{path} is missing; without it the run cannot be read, so restore it from a copy")
    if path.stat().st_size % _SMALLEST_PAGE and not _log_of(path).exists():
        raise DamagedRun(f"{path} is damaged: it was cut short; restore it from a copy")


def _check_opened(
    connection: sqlite3.Connection, path: Path, schema: str, bounded: bool = False
) -> sqlite3.Connection:
    """Bound what a file can do to its reader and check its version and schema; closes one that differs."""
    with closing_on_error(connection), translate_errors(path):
        _distrust(connection, path.stat().st_size if bounded else None)
        version = _version(connection)
        if version == _UNDECLARED:
            remedy = "restore it from a copy, or run the study again into this folder with --again"
            raise DamagedRun(f"{path} is empty; {remedy}")
        if version != SCHEMA:
            raise DamagedRun(
                f"{path} has schema {version}, this version of openiir reads schema {SCHEMA}; "
                "use the version named in the run's manifest.json"
            )
        check_schema(connection, path, _known_schemas(schema))
        connection.execute("pragma trusted_schema = on")  # it is ours, and its checks call json_valid
    return connection


def _distrust(connection: sqlite3.Connection, size: int | None) -> None:
    """Run no function of the schema, check pages as they are read, end queries beyond a file's size."""
    connection.execute("pragma trusted_schema = off")
    connection.execute("pragma cell_size_check = on")
    if size is not None:
        left = itertools.count((_EFFORT + size * _EFFORT_PER_BYTE) // _INSTRUCTIONS, -1)
        connection.set_progress_handler(lambda: next(left) <= 0, _INSTRUCTIONS)


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("pragma user_version").fetchone()[0])


def _connect_reading(path: Path, ours: bool) -> sqlite3.Connection:
    """Connect to a file, or to a private copy where reading its log would write beside one from elsewhere."""
    if _log_of(path).exists():
        return _connect(path, "ro") if ours else _open_copy(path)
    with path.open("rb") as file:
        head = file.read(20)
    # A file in write-ahead mode without its log is not open anywhere, so it cannot change and needs no lock;
    # nobody changes a file from elsewhere.
    return _connect(path, "ro" if ours and head[18:] != _WAL_VERSION else "ro&immutable=1")


def _open_copy(path: Path) -> sqlite3.Connection:
    """Open a private copy of a file with its log merged; it is deleted at once, and lives while open."""
    with TemporaryDirectory(prefix="openiir-read-") as folder:
        copy = Path(folder) / path.name
        for _ in range(_TRIES):
            before = path.stat()
            for source, target in ((_log_of(path), _log_of(copy)), (path, copy)):
                check_size(source, check_file(source))
                shutil.copyfile(source, target)
            if path.stat().st_mtime_ns == before.st_mtime_ns:
                break  # no writer merged the log meanwhile
        connection = _connect(copy, "rw", ("journal_mode = delete", "query_only = on"))
        with closing_on_error(connection):
            connection.execute("select count(*) from sqlite_master").fetchone()
        return connection


def _log_of(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def _journal_of(path: Path) -> Path:
    return path.with_name(f"{path.name}-journal")


def _connect(path: Path, mode: str, pragmas: Sequence[str] = _SAFE) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}", uri=True, isolation_level=None, timeout=10
    )
    with closing_on_error(connection):
        connection.execute(f"pragma cache_size = -{_CACHE_KIB}")
        if not mode.startswith("ro"):
            # In memory, a change of mode leaves no journal to be found.
            in_file = connection.execute("pragma journal_mode").fetchone() == ("delete",)
            for pragma in (*(["journal_mode = memory"] if in_file else []), *pragmas):
                connection.execute(f"pragma {pragma}")
    return connection


@contextmanager
def closing_on_error(connection: sqlite3.Connection) -> Iterator[None]:
    """Close a connection where a `with` block fails."""
    try:
        yield
    except BaseException:
        connection.close()
        raise


def is_writable(folder: Path) -> bool:
    """Whether files can be created in a folder; false on a read-only disk or in another user's folder."""
    return os.access(folder, os.W_OK)


def merge_write_ahead_log(connection: sqlite3.Connection) -> None:
    """Merge SQLite's write-ahead log into the file, so that reading it leaves no files beside it.

    Where that cannot be (a reader is there, the disk is full) the log stays; nothing that was committed is
    lost.
    """
    try:
        connection.execute("pragma busy_timeout = 0")
        connection.execute("pragma journal_mode = memory")
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
        case sqlite3.SQLITE_INTERRUPT:
            return DamagedRun(f"{path} takes more work to read than any run; restore it from a copy")
        case code if code & 0xFF in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
            return _storage_full(path, str(error))
        case code if code & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return RunBusy(f"{path} is in use by another process; wait for it to end")
        case code if code & 0xFF in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
            return _not_writable(path, str(error))
    return DamagedRun(f"{path} cannot be used as a run file: {error}; restore it from a copy")


def _storage_full(path: Path, why: str) -> StorageFull:
    then = "do it again" if path.name == "after.db" else f"run `openiir resume {path.parent}`"
    return StorageFull(f"writing {path} failed: {why}; what was committed is safe. Make space, then {then}")


def _not_writable(path: Path, why: str) -> InputError:
    return InputError(f"{path} cannot be opened or written: {why}; mend the folder's permissions, or copy it")


@contextmanager
def transaction(connection: sqlite3.Connection, path: Path) -> Iterator[sqlite3.Connection]:
    """Run a block as one transaction, or complete the one that `create_database` left open."""
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
