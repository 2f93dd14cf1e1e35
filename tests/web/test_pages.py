"""The pages of the web app in a browser: what they show, that they stay small, and that they ask nobody else."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.web.exported import folder, one_file
from tests.web.served import served
from tests.web.toy import EMPTY, STEPS, Toy

pytestmark = pytest.mark.extras

MOST_NODES = 1500
FORMS = {
    "report": "1 section with 2 statements",
    "transcript": "1,200 entries",
    "argument": "40 nodes",
    "stances": "4 lines of stance by step",
    "talks": "12 by users and 12 by systems",
    "threads": "60 nodes under 1 root",
    "activity": "1,300 rows",
    "affinity": "6 by 8 cells",
    "lengths": "How words are distributed",
    "lists": "5 ranked lists",
    "items": "90 cards",
}
PAGES = {
    "": "Runs",
    "run/toy": "polarisation",
    "run/toy/agent/ana": "What Ana Ruiz did",
    "run/toy/questions": "160 questions",
    "run/toy/question/ask:1:bo": "Prompt as sent",
    "run/toy/source/library/c01?start=4&end=24": "Who cites it",
    "run/toy/chat": "Answers are kept beside the run",
    "run/now": "utterances",
    "run/broken": "does not match",
    "run/dead": "killed",
    "compare?run=toy&run=now": "Side by side",
}


def _go(page: Any, address: str, place: str, words: str) -> None:
    page.goto(f"{address}#/{place}")
    page.get_by_text(words).first.wait_for(timeout=10_000)


@pytest.mark.parametrize("look", ["wide light", "wide dark", "narrow light"])
@pytest.mark.parametrize(("place", "words"), PAGES.items(), ids=list(PAGES))
def test_every_page_opens_without_errors_and_fits_its_width(
    opened: Callable[..., Any], address: str, place: str, words: str, look: str
) -> None:
    width = 1280 if "wide" in look else 420
    options = {"viewport": {"width": width, "height": 900}, "color_scheme": look.split()[1]}
    with opened(address, **options) as page:
        _go(page, address, place, words)
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(("name", "words"), FORMS.items(), ids=list(FORMS))
def test_every_form_says_what_it_shows_and_turns_into_a_table(
    opened: Callable[..., Any], address: str, name: str, words: str
) -> None:
    with opened(address) as page:
        _go(page, address, f"run/toy/view/{name}", words)
        assert page.evaluate("document.querySelectorAll('*').length") <= MOST_NODES
        if name != "activity":
            page.keyboard.press("t")
            page.locator("table").first.wait_for()
        page.keyboard.press("c")
        page.get_by_text(f"openiir show toy {name}").wait_for()


def test_an_empty_view_says_why(opened: Callable[..., Any], address: str) -> None:
    with opened(address) as page:
        _go(page, address, "run/toy/view/asked", EMPTY)


def test_a_form_unknown_to_the_viewer_is_shown_as_json(opened: Callable[..., Any]) -> None:
    toy = Toy()
    answer = toy.answer

    def later(target: str) -> Any:
        found = answer(target)
        return {**found, "form": "hologram"} if "surfaces/affinity" in target else found

    toy.answer = later  # type: ignore[method-assign]
    with served(toy) as address, opened(f"{address}/") as page:
        _go(page, f"{address}/", "run/toy/view/affinity", "does not know the form")
        assert "middle" in page.locator("pre").inner_text()


def test_texts_of_models_stay_texts(opened: Callable[..., Any], address: str) -> None:
    with opened(address) as page:
        _go(page, address, "run/toy/view/transcript?focus=e7", "<script>document.title")
        assert page.title() != "owned"
        assert page.locator(".words script, .words img").count() == 0
        assert page.get_by_role("button", name="Show all").count() == 1


def test_a_transcript_of_a_hundred_thousand_entries_stays_small(opened: Callable[..., Any]) -> None:
    with served(Toy(entries=100_000)) as address, opened(f"{address}/") as page:
        _go(page, f"{address}/", "run/toy/view/transcript", "100,000 entries")
        page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
        page.get_by_text(re.compile(r"Utterance 999\d\d:")).first.wait_for(timeout=10_000)
        assert page.evaluate("document.querySelectorAll('*').length") <= MOST_NODES


def test_a_graph_of_three_thousand_nodes_shows_clusters_then_neighbours(opened: Callable[..., Any]) -> None:
    with served(Toy(nodes=3000)) as address, opened(f"{address}/") as page:
        _go(page, f"{address}/", "run/toy/view/argument", "as clusters by kind and time")
        page.get_by_label("Show").select_option("near")
        page.get_by_text("of 3,000 nodes").wait_for()
        page.keyboard.press("j")
        page.get_by_label("The chosen node").wait_for()
        page.get_by_label("Show").select_option("all")
        page.get_by_text("3,000 of 3,000 nodes").wait_for()


def test_the_step_slider_narrows_the_view_and_the_address(opened: Callable[..., Any], address: str) -> None:
    with opened(address) as page:
        _go(page, address, "run/toy/view/transcript?until=20", "600 entries")
        page.keyboard.press(",")
        page.get_by_text(f"up to step 19 of {STEPS}").wait_for()
        page.wait_for_url("**until=19*")
        page.get_by_text("570 entries").wait_for()


def test_everything_is_reached_by_keys(opened: Callable[..., Any], address: str) -> None:
    with opened(address) as page:
        _go(page, address, "run/toy", "polarisation")
        page.keyboard.press("?")
        page.get_by_text("Go to the overview").wait_for()
        page.keyboard.press("Escape")
        page.keyboard.press("g")
        page.keyboard.press("t")
        page.get_by_text("1,200 entries").wait_for()
        page.keyboard.press("j")
        page.keyboard.press("j")
        assert page.evaluate("document.activeElement.getAttribute('aria-posinset')") == "2"
        page.keyboard.press("/")
        page.keyboard.type("Utterance 1199:")
        page.get_by_text("1 entry with").wait_for(timeout=10_000)
        page.keyboard.press("Escape")
        page.keyboard.press("g")
        page.keyboard.press("r")
        page.get_by_role("heading", name="Runs").wait_for()


def test_from_an_utterance_to_its_question_and_its_source(opened: Callable[..., Any], address: str) -> None:
    with opened(address) as page:
        _go(page, address, "run/toy/view/transcript?focus=e3", "Utterance 3:")
        page.locator(".row.at").get_by_role("link", name="source c01").click()
        assert page.locator("mark.here").inner_text() == "😀 cited words stand "
        page.go_back()
        page.locator(".row.at").get_by_role("link", name="question").click()
        page.get_by_text("no JSON object in the reply").wait_for()


def test_an_agent_is_asked_and_all_are(opened: Callable[..., Any], address: str) -> None:
    with opened(address) as page:
        _go(page, address, "run/toy/chat?agent=bo", "Ctrl+Enter asks")
        page.get_by_label("Question", exact=True).fill("Why?")
        page.get_by_role("button", name="Ask").click()
        page.get_by_text("bo says: because.").wait_for()
        page.get_by_label("Ask").select_option("everybody")
        page.get_by_label("Question", exact=True).fill("And now?")
        page.keyboard.press("Control+Enter")
        page.get_by_text("dee says: because.").wait_for()


@pytest.mark.parametrize("kind", ["json", "csv", "svg"])
def test_views_are_downloaded(opened: Callable[..., Any], address: str, kind: str, tmp_path: Path) -> None:
    with opened(address) as page:
        for name in ("stances", "affinity", "argument"):
            _go(page, address, f"run/toy/view/{name}", FORMS[name])
            with page.expect_download() as given:
                page.get_by_role("button", name=kind.upper()).click()
            given.value.save_as(tmp_path / given.value.suggested_filename)
            text = (tmp_path / f"toy-{name}.{kind}").read_text()
            assert text.startswith({"json": "{", "csv": "", "svg": "<svg"}[kind])
            assert "var(--" not in text
            assert len(text) > 300


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_an_exported_run_opens_from_disk(
    opened: Callable[..., Any], toy: Toy, tmp_path: Path, kind: str
) -> None:
    if kind == "file":
        one_file(toy, tmp_path / "index.html")
    else:
        folder(toy, tmp_path / "out")
    place = f"file://{tmp_path / ('index.html' if kind == 'file' else 'out/index.html')}"
    with opened(place) as page:
        page.goto(place)
        page.get_by_text("exported run, no server").wait_for()
        page.get_by_text("polarisation").wait_for()
        for name, words in FORMS.items():
            _go(page, place, f"run/toy/view/{name}", words)
        _go(page, place, "run/toy/view/transcript?until=20", "600 entries")
        _go(page, place, "run/toy/view/transcript?agent=bo", "300 entries")
        _go(page, place, "run/toy/question/ask:1:bo", "Prompt as sent")
        _go(page, place, "run/toy/source/-/c01", "Who cites it")
        _go(page, place, "run/toy/question/ask:2:cy", "not part of the exported file")
        assert page.get_by_role("link", name="Chat").count() == 0


def test_the_token_of_the_start_up_address_is_handed_in_and_taken_out_of_it(
    opened: Callable[..., Any], address: str
) -> None:
    with opened(address) as page, page.expect_request("**/api/token") as sent:
        page.goto(f"{address}#token=a-secret")
        page.get_by_role("heading", name="Runs").wait_for()
        assert page.url == f"{address}#/"
    assert sent.value.post_data_json == {"token": "a-secret"}
