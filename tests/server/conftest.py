"""A server over a folder with a finished panel, talked to without sockets."""

import shutil
from collections.abc import Callable, Iterator
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
def served(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of runs: a panel and a feed."""
    root = tmp_path_factory.mktemp("served")
    made = run_offline("panel", tmp_path_factory.mktemp("made"), "seed=5")
    made.run.close()
    shutil.copytree(made.folder, root / "panel")
    shutil.copytree(GOLDEN, root / "feed")
    return root


@pytest.fixture
def client(served: Path) -> Iterator[Callable[..., TestClient]]:
    """Makes a client of a server over `served` with this access;
    the server and what it wrote end with the test.

    It sends the header that the web app sends.
    """
    with ExitStack() as servers:

        def make(**access: object) -> TestClient:
            app = build_app(served, Access(token=TOKEN, **access), Settings())  # type: ignore[arg-type]
            found = TestClient(
                app,
                base_url="http://127.0.0.1:8317",
                headers={"X-Openiir": "1"},
                raise_server_exceptions=False,
            )
            return servers.enter_context(found)

        yield make
    for written in served.glob("*/after.db"):
        written.unlink()


@pytest.fixture
def reading(client: Callable[..., TestClient]) -> TestClient:
    return client()
