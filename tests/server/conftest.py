"""A server over a folder with a finished panel, talked to without sockets."""

import shutil
from contextlib import ExitStack
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from openiir.runs.settings import Settings
from openiir.server.app import build_app
from openiir.server.guard import Access
from openiir.testing.offline import run_offline

TOKEN = "a-token"
GOLDEN = Path(__file__).parents[1] / "golden" / "feed"


@pytest.fixture(scope="session")
def served(tmp_path_factory):
    """A folder of runs: a panel and a feed."""
    root = tmp_path_factory.mktemp("served")
    made = run_offline("panel", tmp_path_factory.mktemp("made"), "seed=5")
    made.run.close()
    shutil.copytree(made.folder, root / "panel")
    shutil.copytree(GOLDEN, root / "feed")
    return root


def connect(root: Path, **access: object) -> TestClient:
    """Make a client of a server over a folder of runs, which sends the header that the web app sends."""
    app = build_app(root, Access(token=TOKEN, **access), Settings())  # type: ignore[arg-type]
    address, sent = "http://127.0.0.1:8317", {"X-Openiir": "1"}
    return TestClient(app, base_url=address, headers=sent, raise_server_exceptions=False)


@pytest.fixture
def client(served):
    """Makes a client of a server over `served`; the server and what it wrote end with the test."""
    with ExitStack() as servers:
        yield lambda **access: servers.enter_context(connect(served, **access))
    for written in served.glob("*/after.db"):
        written.unlink()


@pytest.fixture(scope="session")
def reading(served):
    """A client of one read-only server over `served` for all tests."""
    with connect(served) as found:
        yield found
