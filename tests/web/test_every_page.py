"""Every page, of ordinary and of odd runs, from the server and from a file, in every look."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.web.conftest import settle
from tests.web.forms import FORMS

from openiir.core.storage import Log, RunFile

pytestmark = pytest.mark.extras

MOST_NODES = 1500
RUN_PAGES = {
    "": "Overview",
    "/view/report": "1 section with 2 statements",
    "/view/timeline": "entries",
    "/view/graph": "40 nodes",
    **{f"/view/{form}": f"What a {form} shows." for form in FORMS},
    "/view/asked": "Nobody was asked: the study sets no [questions].",
    "/agent/ana": "Persona",
    "/questions": "questions",
    "/question/1": "as a model would get it",
    "/source/main/CHUNK?start=4&end=24": "Passage",
}
OTHER_PAGES = {
    "": "Runs",
    "compare?run=toy&run=twin": "Side by side",
    "run/toy/chat": "Ctrl+Enter asks",
    "run/now": "utterances",
    "run/dead": "killed",
    "run/torn": "damaged",
    "run/changed": "polarisation",
    "nowhere": "No such page",
}
CASES = [
    *(("http", f"run/toy{place}", words) for place, words in RUN_PAGES.items()),
    *(("http", f"run/odd{place}", words) for place, words in RUN_PAGES.items()),
    *(("http", place, words) for place, words in OTHER_PAGES.items()),
    *(("file", f"run/toy{place}", words) for place, words in RUN_PAGES.items()),
    *(("file", f"run/odd{place}", words) for place, words in RUN_PAGES.items()),
]


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0]}-{case[1]}")
def shown(request: pytest.FixtureRequest, page: Any, address: Callable[[str, str], str], runs: Path) -> Any:
    kind, place, words = request.param
    run = place.split("/")[1] if place.startswith("run/") else ""
    if "CHUNK" in place:
        with RunFile.open(runs / run) as opened:
            place = place.replace("CHUNK", Log(opened).chunks()[0].id)
    page.goto(f"{address(kind, run)}#/{place}")
    page.locator("body", has_text=words).wait_for()
    settle(page)
    return page


def test_a_page_is_small_fits_every_width_and_is_accessible(shown: Any, axe: Callable[..., None]) -> None:
    assert shown.evaluate("document.querySelectorAll('*').length") <= MOST_NODES
    assert shown.title() != "owned"
    assert shown.locator("main script, main img").count() == 0
    served = shown.url.startswith("http:")
    if served:  # a file shows the same components
        axe(shown)
    for width in (1280, 640, 420):  # 640: a window of 1280 zoomed to 200 %
        shown.set_viewport_size({"width": width, "height": 900})
        assert shown.evaluate("document.documentElement.scrollWidth") <= width
    if served:
        shown.emulate_media(color_scheme="dark")
        axe(shown, ["color-contrast", "link-in-text-block", "scrollable-region-focusable"])
