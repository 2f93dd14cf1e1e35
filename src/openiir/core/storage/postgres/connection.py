"""Connections to a lab's database, its errors in our own words, and the migrations of its schema."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from importlib.util import find_spec
from typing import Any

from openiir.core.errors import InputError, OpeniirError
from openiir.core.hashing import sha256
from openiir.core.storage.postgres.url import DatabaseUrl

INSTALL = "pip install 'openiir[postgres]'"
_MIGRATING = "openiir/migrations"
"""Name of the lock of whoever changes the schema."""
_WAITS: dict[str, Any] = {"connect_timeout": 10, "tcp_user_timeout": 30_000, "application_name": "openiir"}
"""Parameters of a connection where the URL has no others; the time-outs are in s and in ms."""


class DatabaseAway(OpeniirError):
    """Raised if a database cannot be reached, or breaks off; what it was sent in part is undone by it.

    `why` is the message without what to do.
    """

    def __init__(self, why: str) -> None:
        super().__init__(f"{why}; nothing in it is half done, so do this again when it answers")
        self.why = why


def check_installed() -> None:
    """Raise InputError with the install command where psycopg is missing; imports nothing."""
    if find_spec("psycopg") is None:
        raise InputError(f"PostgreSQL needs psycopg, which is not installed: {INSTALL}")


@contextmanager
def translate_errors(url: DatabaseUrl) -> Iterator[None]:
    """Translate psycopg's errors into the platform's, without passwords and chained to nothing."""
    import psycopg

    try:
        yield
    except (psycopg.OperationalError, psycopg.InterfaceError) as error:
        failure: OpeniirError = DatabaseAway(f"{url} does not answer: {url.redact(error)}")
    except psycopg.errors.InsufficientPrivilege as error:
        failure = InputError(
            f"{url} refuses it: {url.redact(error)}; ask its owner for the rights, such as "
            "`grant create on database ... to ...` for the first push"
        )
    except psycopg.Error as error:
        failure = InputError(f"{url} refuses it: {url.redact(error)}")
    else:
        return
    raise failure


@contextmanager
def connect(url: DatabaseUrl, *, writing: bool = True) -> Iterator[Any]:
    """Connect to a lab's database; for writing, its schema is made or brought up to date first.

    Raises DatabaseAway and InputError.
    """
    check_installed()
    import psycopg

    with translate_errors(url):
        stated = psycopg.conninfo.conninfo_to_dict(url.full.reveal())
        words = {key: value for key, value in _WAITS.items() if key not in stated}
        with psycopg.connect(url.full.reveal(), autocommit=True, client_encoding="utf8", **words) as opened:
            _check_encoding(opened, url)
            if writing:
                _migrate(opened, url)
            else:
                _check_version(opened, url)
            yield opened


def lock(connection: Any, name: str) -> None:
    """Wait for the lock of a name, which is held to the end of the transaction."""
    number = int(sha256(name)[:16], 16) - (1 << 63)
    connection.execute("select pg_advisory_xact_lock(%s)", (number,))


def list_migrations() -> list[tuple[int, str, str]]:
    """List number, name and SQL of each migration, in order."""
    folder = resources.files("openiir.core.storage.postgres").joinpath("schema")
    files = sorted((one for one in folder.iterdir() if one.name.endswith(".sql")), key=lambda one: one.name)
    return [(int(one.name[:3]), one.name, one.read_text("utf-8")) for one in files]


def _check_encoding(connection: Any, url: DatabaseUrl) -> None:
    (encoding,) = connection.execute("show server_encoding").fetchone()
    if encoding != "UTF8":
        raise InputError(
            f"{url} stores texts as {encoding}, which lacks characters of runs; make one by "
            "`create database ... encoding 'UTF8' template template0`"
        )


def _version(connection: Any) -> int:
    """Return the number of the last migration; 0 for a database without our schema."""
    if connection.execute("select to_regclass('openiir.migration')").fetchone()[0] is None:
        return 0
    return int(connection.execute("select coalesce(max(number), 0) from openiir.migration").fetchone()[0])


def _migrate(connection: Any, url: DatabaseUrl) -> None:
    """Apply the migrations that are missing, all or none of them; two processes do so one after the other."""
    known = list_migrations()
    if _version(connection) == known[-1][0]:
        return
    with connection.transaction():
        lock(connection, _MIGRATING)
        version = _version(connection)
        _refuse_later(version, known[-1][0], url)
        if version == 0:
            connection.execute("create schema if not exists openiir")
            connection.execute(
                "create table openiir.migration "
                "(number integer primary key, name text not null, applied timestamptz not null default now())"
            )
        for number, name, sql in known:
            if number > version:
                connection.execute(sql)
                connection.execute(
                    "insert into openiir.migration (number, name) values (%s, %s)", (number, name)
                )


def _check_version(connection: Any, url: DatabaseUrl) -> None:
    version, known = _version(connection), list_migrations()[-1][0]
    _refuse_later(version, known, url)
    if version == 0:
        raise InputError(f"{url} holds no runs; `openiir push RUN --to URL` sends some")
    if version < known:
        raise InputError(
            f"{url} has schema {version}, and this version of openiir reads schema {known}; any `openiir "
            "push` to it brings it up to date"
        )


def _refuse_later(version: int, known: int, url: DatabaseUrl) -> None:
    if version > known:
        raise InputError(
            f"{url} has schema {version}, and this version of openiir knows schema {known}; use a later one"
        )
