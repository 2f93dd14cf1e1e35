"""A browser for tests of the web app, and pages that complain of errors and of requests to anywhere else."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.web.served import served
from tests.web.toy import Toy

CHROMIUM = Path(os.environ.get("OPENIIR_CHROMIUM", "/usr/bin/chromium"))
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: make test-extras")
    if not CHROMIUM.exists():
        pytest.skip(f"no Chromium at {CHROMIUM}: apt-get install chromium, or set OPENIIR_CHROMIUM")
    with api.sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        yield found
        found.close()


@pytest.fixture
def opened(browser: Any) -> Callable[..., Any]:
    """Open pages of an address; at the end none may have logged an error or asked another host."""

    @contextmanager
    def open_page(address: str, **options: Any) -> Iterator[Any]:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        page = context.new_page()
        wrong: list[str] = []
        page.on(
            "console", lambda said: wrong.append(said.text) if said.type in ("error", "warning") else None
        )
        page.on("pageerror", lambda error: wrong.append(str(error)))
        allowed = (address.rsplit("/", 1)[0], "data:", "blob:")
        page.on("request", lambda asked: None if asked.url.startswith(allowed) else wrong.append(asked.url))
        yield page
        context.close()
        assert not wrong, wrong

    return open_page


@pytest.fixture(scope="module")
def toy() -> Toy:
    return Toy(entries=1200, nodes=40)


@pytest.fixture(scope="module")
def address(toy: Toy) -> Iterator[str]:
    with served(toy) as found:
        yield f"{found}/"
