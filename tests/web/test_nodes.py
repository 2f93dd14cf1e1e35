"""No page of a run of any type has more than 1,500 nodes, however far one turns its lists."""

import json
import shutil
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.request import Request, urlopen

import pytest
from tests.web.conftest import TOKEN, settle

from openiir.api import run
from openiir.runs.settings import Settings

pytestmark = pytest.mark.extras

MOST_NODES = 1500
TURNS = 2
"""How often a list is turned."""
COPIES = 60
STUDIES: dict[str, dict[str, Any]] = {
    "asymmetric_memory": {},
    "feedback_outage": {},
    "panel": {},
    "recommender": {"config.users": 60},
    "conversational": {"config.dialogues": 60},
    "curated_feed": {"config.users": 120, "config.weeks": 4},
    "social_media": {},
    "coordination_emergent": {"config.rounds": 10},
    "multi_generational": {"config.generations": 20, "config.producers": 12, "config.detectors": 12},
    "tiered_capability": {},
    "twin_ecosystem": {},
    "open_web": {},
}
"""Runs of each type, some smaller than the reference study, and with more than a screen of everything."""


@pytest.fixture(scope="module")
def types_served(shared_page: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server over a run of each type, and over many copies of one of them; gives its address."""
    from openiir.server.guard import Access
    from openiir.server.listen import listen

    root = tmp_path_factory.mktemp("types")
    with ThreadPoolExecutor(1) as thread:  # the browser's event loop is in this one
        for type, sets in STUDIES.items():
            thread.submit(run, type, set=sets, out=root / type, progress=False).result()
    for n in range(COPIES):
        shutil.copytree(root / "panel", root / f"copy-{n:03}")
    with listen(root, "127.0.0.1", 0, Access(token=TOKEN, write=True), Settings()) as bound:
        thread = threading.Thread(target=bound.wait)
        thread.start()
        yield f"http://127.0.0.1:{bound.port}/"
        shared_page[0].goto("about:blank")  # a page whose stream breaks off says so in the next test
        bound.server.should_exit = True
        thread.join()


def _ask(server: str, path: str) -> Any:
    with urlopen(Request(f"{server}api/{path}", headers={"X-Openiir": "1"})) as answer:
        return json.load(answer)


def _pages_of(server: str, run: str) -> list[str]:
    told = _ask(server, f"runs/{run}")
    pages = ["", "questions", "search?q=a", "chat", "validation"]
    pages += [f"view/{view['name']}" for view in told["surfaces"] if not view["empty"]]
    pages += [f"agent/{id}" for id, _ in told["people"][:1] + told["people"][-1:]]
    asked = _ask(server, f"runs/{run}/questions?limit=1")["questions"]
    pages += [f"question/{one['place']}" for one in asked]
    return [f"run/{run}/{page}" for page in pages]


def _most_nodes(page: Any, address: str) -> int:
    """Open a page and turn its list; returns the largest number of nodes seen."""
    page.goto(address)
    page.locator("main h1, main h2").first.wait_for()
    settle(page)
    most = 0
    for _ in range(TURNS + 1):
        most = max(most, page.evaluate("document.querySelectorAll('*').length"))
        onward = page.locator("main .pager button:enabled", has_text="Next").first
        if not onward.count():
            break
        before = page.locator("main .pager span").first.inner_text()
        onward.click()
        page.wait_for_function(
            "before => document.querySelector('main .pager span')?.innerText !== before", arg=before
        )
        settle(page)
    return most


@pytest.mark.parametrize("type", STUDIES)
def test_pages_of_a_run_of_each_type_are_small(page: Any, types_served: str, type: str) -> None:
    found = {place: _most_nodes(page, f"{types_served}#/{place}") for place in _pages_of(types_served, type)}
    assert len(found) > 5 and not {place: n for place, n in found.items() if n > MOST_NODES}


def test_the_list_of_many_runs_is_small_and_turns_its_pages(page: Any, types_served: str) -> None:
    assert _most_nodes(page, f"{types_served}#/") <= MOST_NODES
    page.goto(f"{types_served}#/?q=copy")
    page.get_by_text(f"{COPIES} of {COPIES + len(STUDIES)} runs").wait_for()
    assert page.locator("tbody tr").count() < COPIES
    page.get_by_role("button", name="Next").click()
    page.get_by_text(f"to {COPIES} of {COPIES}").wait_for()
