"""A server that speaks Bolt and Cypher for tests: ArcadeDB, from a wheel that has its own Java."""

import os
import socket
import subprocess
import time
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

USER, PASSWORD, DATABASE = "root", "a secret @ of tests", "lab"
PATIENCE = 60.0
"""Seconds in which the server has to be there."""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@contextmanager
def bolt_server(folder):
    """Start the server in a folder, and yield `HOST:PORT` once its database answers."""
    import neo4j

    package, port = Path(find_spec("arcadedb_embedded").submodule_search_locations[0]), free_port()
    options = {
        "server.rootPassword": PASSWORD,
        "server.rootPath": folder,
        "server.databaseDirectory": folder / "databases",
        "server.defaultDatabases": f"{DATABASE}[{USER}]",
        "server.plugins": "Bolt:com.arcadedb.bolt.BoltProtocolPlugin",
        "server.httpIncomingHost": "127.0.0.1",
        "server.httpIncomingPort": free_port(),
        "bolt.host": "127.0.0.1",
        "bolt.port": port,
    }
    server = subprocess.Popen(
        [
            package / "jre/bin/java",
            "-Xmx512m",
            "-cp",
            str(package / "jars/*"),
            *(f"-Darcadedb.{name}={value}" for name, value in options.items()),
            "com.arcadedb.server.ArcadeDBServer",
        ],
        cwd=folder,
        env={name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ},
        stdin=subprocess.DEVNULL,
        stdout=(log := (folder / "server.log").open("w")),
        stderr=subprocess.STDOUT,
    )
    try:
        deadline, there = time.monotonic() + PATIENCE, False
        while not there:
            with (
                suppress(neo4j.exceptions.DriverError, neo4j.exceptions.Neo4jError),
                neo4j.GraphDatabase.driver(f"bolt://127.0.0.1:{port}", auth=(USER, PASSWORD)) as driver,
                driver.session(database=DATABASE) as session,
            ):
                there = session.run("RETURN true").single()[0]
            if not there and (server.poll() is not None or time.monotonic() > deadline):
                raise RuntimeError((folder / "server.log").read_text())
            time.sleep(0 if there else 0.1)
        yield f"127.0.0.1:{port}"
    finally:
        server.kill()
        server.wait()
        log.close()
