"""A browser with one page for all tests, the web app over runs in every state, and those runs as files."""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from tests.web.showcase import made_runs, registered

from openiir.runs.settings import Settings

TOKEN = "a-token"
CHROMIUM = Path(os.environ.get("OPENIIR_CHROMIUM", "/usr/bin/chromium"))
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()

ALIKE = "main :is(tr, li, .card, .row):nth-child(n+8)"
"""Parts of long lists, of which axe-core looks at the first few."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put this folder's tests last: playwright leaves an event loop in this thread; no study runs beside."""
    items.sort(key=lambda item: Path(__file__).parent in item.path.parents)


@pytest.fixture(scope="session")
def playwright_api() -> Any:
    return pytest.importorskip("playwright.sync_api", reason="playwright is not installed: make test-extras")


@pytest.fixture(scope="session")
def browser(playwright_api: Any, server: str, exports: dict[str, str]) -> Iterator[Any]:
    """Chromium, started once the runs are made."""
    with playwright_api.sync_playwright() as playwright:
        own = Path(playwright.chromium.executable_path)
        program = CHROMIUM if CHROMIUM.exists() else own
        if not program.exists():
            pytest.skip(f"no Chromium at {CHROMIUM} or {own}: apt-get or playwright install chromium")
        found = playwright.chromium.launch(executable_path=str(program), args=FLAGS)
        yield found
        found.close()


@pytest.fixture(scope="session")
def runs(playwright_api: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with registered(), made_runs(tmp_path_factory.mktemp("web")) as root:
        yield root


@pytest.fixture(scope="session")
def server(runs: Path) -> Iterator[str]:
    """The real server over the runs, with writes allowed; gives its address."""
    from openiir.server.guard import Access
    from openiir.server.listen import listen

    with listen(runs, "127.0.0.1", 0, Access(token=TOKEN, write=True), Settings()) as bound:
        thread = threading.Thread(target=bound.wait)
        thread.start()
        yield f"http://127.0.0.1:{bound.port}/"
        bound.server.should_exit = True
        thread.join()


@pytest.fixture(scope="session")
def exports(runs: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Addresses of pages exported from runs, by run, and of a folder exported from one of them."""
    from openiir.server.export.write import write_export

    root = tmp_path_factory.mktemp("exports")
    for out in ("toy.html", "odd.html", "toy-folder"):
        write_export(runs / out[:3], root / out)
    return {
        "toy": (root / "toy.html").as_uri(),
        "odd": (root / "odd.html").as_uri(),
        "folder": (root / "toy-folder" / "index.html").as_uri(),
    }


@pytest.fixture
def address(server: str, exports: dict[str, str]) -> Callable[[str, str], str]:
    """Where a run is seen: at the server ("http"), in an exported page ("file") or in a "folder"."""
    return lambda kind, run: {"http": server, "folder": exports["folder"]}.get(kind) or exports[run]


@pytest.fixture(scope="session")
def shared_page(browser: Any, server: str) -> Iterator[tuple[Any, list[str]]]:
    page = browser.new_context().new_page()
    page.set_default_timeout(30_000)
    page.goto(f"{server}#token={TOKEN}")
    page.get_by_role("heading", name="Runs").wait_for()
    heard: list[str] = []
    page.on("console", lambda said: heard.append(said.text) if said.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: heard.append(str(error)))
    page.on("request", lambda asked: None if _is_local(asked.url) else heard.append(f"asks {asked.url}"))
    yield page, heard
    page.context.close()


def settle(page: Any) -> None:
    """Wait until nothing is being loaded."""
    page.locator("main .waiting, main .stale").first.wait_for(state="detached")


def _is_local(url: str) -> bool:
    return url.startswith(("http://127.0.0.1:", "file:///", "data:", "blob:"))


@pytest.fixture
def page(shared_page: tuple[Any, list[str]]) -> Iterator[Any]:
    """The page, light and wide; at the end it has logged no error or warning and asked no other host."""
    page, heard = shared_page
    heard.clear()
    page.set_viewport_size({"width": 1280, "height": 900})
    page.emulate_media(color_scheme="light")
    yield page
    page.unroute_all()
    assert not heard, heard


@pytest.fixture(scope="session")
def axe() -> Callable[..., None]:
    """Check a page by all or some rules of axe-core, which comes with a package that the tests install."""
    script = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")

    def check(page: Any, rules: Sequence[str] = ()) -> None:
        if not page.evaluate("'axe' in window"):
            page.evaluate(script)
        options = {"resultTypes": ["violations"], **({"runOnly": list(rules)} if rules else {})}
        found = page.evaluate("([where, how]) => axe.run(where, how)", [{"exclude": [ALIKE]}, options])
        assert not found["violations"], "\n".join(
            f"{rule['id']} ({rule['help']}): {node['html'][:200]} {node['failureSummary'][:300]}"
            for rule in found["violations"]
            for node in rule["nodes"][:3]
        )

    return check
