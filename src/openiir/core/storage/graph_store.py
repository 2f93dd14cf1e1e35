"""Graph databases that runs are pushed to: Neo4j and others that speak Bolt, and Ladybug in a file."""

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import groupby, islice
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from openiir.core.errors import EndpointError, InputError
from openiir.core.storage.graph_tables import LINKS, NODES, RUN, GraphRow, GraphRows, Table

BATCH = 10_000
"""Most rows of one transaction."""
NEO4J = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")
"""Schemes of URLs for the driver of Neo4j: with routing or without, with TLS (`+s`) or without."""
_COMPLETE = f"MATCH (n:{RUN.label} {{key: $key}}) RETURN n.complete"
_MARK = f"MATCH (n:{RUN.label} {{key: $key}}) SET n.complete = true"


class GraphStore(AbstractContextManager["GraphStore"], ABC):
    """A graph database with the tables of `graph_tables`; each call is a transaction of its own."""

    @abstractmethod
    def create_tables(self) -> None:
        """Create what is missing of tables, constraints and indexes."""

    @abstractmethod
    def execute(self, statement: str, **parameters: Any) -> list[list[Any]]:
        """Execute a Cypher statement and return its rows."""

    @abstractmethod
    def merge(self, table: Table, rows: Sequence[GraphRow]) -> None:
        """Merge rows into a table."""

    def save(self, run: GraphRow, rows: GraphRows) -> int | None:
        """Merge a run's rows, and mark it complete at the end; return their number, or None if it stands.

        A push that breaks half-way leaves a run that is not marked, which the next push completes.
        """
        self.create_tables()
        key = run["key"]
        if self.execute(_COMPLETE, key=key) == [[True]]:
            return None
        self.merge(RUN, [{**run, "complete": False}])
        count = 0
        for table, found in groupby(rows, key=lambda one: one[0]):
            of_table = (row for _, row in found)
            while batch := list(islice(of_table, BATCH)):
                self.merge(table, batch)
                count += len(batch)
        self.execute(_MARK, key=key)
        return count


class Neo4jStore(GraphStore):
    """A database of a server that speaks Bolt, by the official driver."""

    def __init__(self, url: str, user: str, password: str, database: str | None) -> None:
        neo4j = _import("neo4j")
        self._shown, self._database, self._failed = url, database, neo4j.exceptions
        auth = (user, password) if user or password else None
        self._driver = neo4j.GraphDatabase.driver(
            url, auth=auth, user_agent="openiir", notifications_min_severity="OFF"
        )
        try:
            with self._translate_errors():
                self._driver.verify_connectivity()
        except BaseException:
            self._driver.close()
            raise

    def create_tables(self) -> None:
        for label in (node.label for node in NODES):
            name, of = f"openiir_{label.lower()}", f"IF NOT EXISTS FOR (n:{label})"
            self.execute(f"CREATE CONSTRAINT {name}_key {of} REQUIRE n.key IS UNIQUE")
            self.execute(f"CREATE INDEX {name}_run {of} ON (n.run)")

    def execute(self, statement: str, **parameters: Any) -> list[list[Any]]:
        """Execute a statement; the driver repeats it where the server says that this may help."""

        def run(transaction: Any) -> list[list[Any]]:
            return [row.values() for row in transaction.run(statement, parameters)]

        with self._translate_errors(), self._driver.session(database=self._database) as session:
            found: list[list[Any]] = session.execute_write(run)
            return found

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            yield
        except self._failed.AuthError as error:
            raise InputError(
                f"{self._shown} refuses user and password ({error.code}); give them in the environment "
                "variables NEO4J_USERNAME and NEO4J_PASSWORD"
            ) from None
        except (self._failed.DriverError, self._failed.Neo4jError, OSError) as error:
            said = _first_line(getattr(error, "message", None) or error)
            raise EndpointError(
                f"{self._shown}: {said}; see that the server runs and has the database, then push again, "
                "which completes what is there"
            ) from None

    def merge(self, table: Table, rows: Sequence[GraphRow]) -> None:
        self.execute(f"UNWIND $rows AS row {table.merge}", rows=rows)

    def __exit__(self, *_: object) -> None:
        self._driver.close()


_COLUMN = {str: "STRING", int: "INT64", float: "DOUBLE", bool: "BOOLEAN"}


class LadybugStore(GraphStore):
    """A Ladybug database in a file, which one process at a time may write."""

    def __init__(self, path: Path) -> None:
        ladybug = _import("ladybug")
        self._path = path
        try:
            self._database = ladybug.Database(str(path))
            self._connection = ladybug.Connection(self._database)
        except RuntimeError as error:
            raise InputError(
                f"ladybug:{path} cannot be opened: {_first_line(error)}; name a file of Ladybug that no "
                "other process has open, or a new one in a folder that exists"
            ) from None

    def create_tables(self) -> None:
        for node in NODES:
            self.execute(
                f"CREATE NODE TABLE IF NOT EXISTS {node.label}({_columns(node.columns)}, PRIMARY KEY (key))"
            )
        for type, links in groupby(LINKS, key=lambda link: link.type):
            same = list(links)
            ends = ", ".join(f"FROM {link.source.label} TO {link.target.label}" for link in same)
            fields = _columns({**same[0].identity, **same[0].properties})
            self.execute(f"CREATE REL TABLE IF NOT EXISTS {type}({', '.join(filter(None, (ends, fields)))})")

    def execute(self, statement: str, **parameters: Any) -> list[list[Any]]:
        try:
            found: list[list[Any]] = self._connection.execute(statement, parameters).get_all()
            return found
        except RuntimeError as error:
            raise EndpointError(f"ladybug:{self._path}: {_first_line(error)}") from None

    def merge(self, table: Table, rows: Sequence[GraphRow]) -> None:
        """Merge rows that are handed over as an Arrow table, several times faster than as a list."""
        import pyarrow as pa

        arrow = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
        columns = {
            f"row_{name}": pa.array([row.get(name) for row in rows], arrow[type])
            for name, type in table.columns.items()
        }
        self.execute(f"LOAD FROM $rows {table.merge.replace('row.', 'row_')}", rows=pa.table(columns))

    def __exit__(self, *_: object) -> None:
        self._connection.close()
        self._database.close()


def _columns(types: Mapping[str, type]) -> str:
    return ", ".join(f"`{name}` {_COLUMN[type]}" for name, type in types.items())


def _first_line(error: object) -> str:
    return str(error).partition("\n")[0].strip(": ")


def _import(module: str) -> Any:
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError:
        raise InputError(
            f"a push to a graph database needs the package {module}; install it with "
            f"pip install 'openiir[{module}]'"
        ) from None


def open_graph_store(url: str) -> GraphStore:
    """Open the graph database at a URL with a scheme of `OPENERS`; raises InputError, EndpointError.

    `neo4j://HOST:7687/DATABASE` and its variants (`NEO4J`) name a server, `ladybug:///PATH` a file. User and
    password are in the URL, or in the environment variables NEO4J_USERNAME and NEO4J_PASSWORD.
    """
    return OPENERS[urlsplit(url).scheme](url)


def _open_neo4j(url: str) -> GraphStore:
    parts = urlsplit(url)
    try:
        port = parts.port or 7687
    except ValueError:
        port = 0
    host, path = parts.hostname, unquote(parts.path).strip("/")
    if not host or not port or parts.query or parts.fragment or "/" in path:
        raise InputError(
            f"{parts.scheme}: the URL names no server; give {parts.scheme}://HOST:7687, or "
            f"{parts.scheme}://HOST:7687/DATABASE"
        )
    user = unquote(parts.username or "") or os.environ.get("NEO4J_USERNAME", "")
    password = unquote(parts.password or "") or os.environ.get("NEO4J_PASSWORD", "")
    shown = f"{parts.scheme}://{f'[{host}]' if ':' in host else host}:{port}"
    return Neo4jStore(shown, user, password, path or None)


def _open_ladybug(url: str) -> GraphStore:
    parts = urlsplit(url)
    path = unquote(parts.path)
    if parts.netloc or not path or path.endswith("/"):
        raise InputError(
            "the URL names no file; give ladybug:///FOLDER/FILE for a whole path, or ladybug:FILE for one "
            "from this folder on"
        )
    return LadybugStore(Path(path))


OPENERS: Mapping[str, Callable[[str], GraphStore]] = {
    **dict.fromkeys(NEO4J, _open_neo4j),
    "ladybug": _open_ladybug,
}
"""By scheme of URLs."""
