"""What a reader relies on: failing views say so, exports find what servers find, going back, comparing."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from tests.web.conftest import settle
from tests.web.showcase import NAMES

pytestmark = pytest.mark.extras


def _go(page: Any, address: str, place: str, words: str | re.Pattern[str]) -> None:
    page.goto(f"{address}#/{place}")
    page.get_by_text(words).first.wait_for()


def _answer_with(page: Any, surface: str, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Let the server's answers for a surface have another body."""

    def answer(route: Any) -> None:
        found = route.fetch()
        page_of_view = found.json()
        route.fulfill(response=found, body=json.dumps({**page_of_view, **change(page_of_view)}))

    page.route(f"**/surfaces/{surface}*", answer)


def test_a_table_whose_measured_column_is_blank_is_drawn(page: Any, server: str) -> None:
    columns = [
        {"name": name, "kind": kind, "unit": "", "help": "", "of": of, "bound": bound}
        for name, kind, of, bound in (
            ("aspect", "text", "", ""),
            ("value", "float", "", ""),
            ("+-", "float", "value", "half"),
        )
    ]
    rows = [["flow", None, None], ["style", None, None]]
    body = {"columns": columns, "rows": rows, "sort": ""}
    _answer_with(page, "table", lambda _: {"body": body, "total": 2, "next": None})
    _go(page, server, "run/toy/view/table", "2 rows and")
    assert page.locator("tbody tr").all_inner_texts() == ["flow\t–", "style\t–"]


def test_a_view_that_cannot_be_drawn_says_so_and_offers_its_command(page: Any, server: str) -> None:
    _answer_with(page, "matrix", lambda found: {"body": {**found["body"], "cells": None}})
    _go(page, server, "run/toy/view/matrix", "Could not draw this view")
    page.get_by_role("button", name="Show the table").wait_for()
    page.locator("[role=alert] code", has_text="openiir show toy matrix").wait_for()
    page.get_by_role("heading", name="Matrix").wait_for()


def test_search_results_are_as_wide_as_the_page(page: Any, server: str) -> None:
    _go(page, server, "run/toy/search?q=cited", "with “")
    widths = page.evaluate(
        "[...document.querySelectorAll('.events li > :last-child')].map((e) => e.clientWidth)"
    )
    assert widths and min(widths) > 600
    page.set_viewport_size({"width": 420, "height": 900})
    assert page.evaluate("document.querySelector('.events li > :last-child').clientWidth") > 250


@pytest.mark.parametrize(
    "words", ["cited", "Assessors agree on", "Ruiz", "showcase.speak", "utterance 77", "nothing"]
)
def test_an_export_finds_what_its_server_finds(
    page: Any, server: str, exports: dict[str, str], words: str
) -> None:
    found = []
    for address in (server, exports["toy"]):
        page.goto("about:blank")
        _go(page, address, f"run/toy/search?q={words}", "with “")
        kinds = page.locator(".events .tag").all_inner_texts()
        onward = page.get_by_role("button", name="Next")
        while len(kinds) < 150 and onward.count() and onward.is_enabled():
            shown = page.locator(".pager span").inner_text()
            onward.click()
            page.locator(".pager span").and_(page.locator(f":not(:text-is('{shown}'))")).wait_for()
            kinds += page.locator(".events .tag").all_inner_texts()
        found.append((page.locator(".summary").inner_text(), kinds[:150]))
    assert found[0] == found[1]
    assert words == "nothing" or found[0][1]


def test_back_leads_to_where_one_was_in_a_long_list(page: Any, server: str) -> None:
    seen = "[...document.querySelectorAll('.row')].find((r) => r.getBoundingClientRect().top > 0).innerText"
    _go(page, server, "run/toy/view/timeline", "1,200 entries")
    settle(page)
    page.evaluate("window.scrollTo(0, 30000)")
    page.get_by_text(re.compile(r"Utterance 3\d\d:")).first.wait_for()
    page.wait_for_timeout(400)
    before, place = page.evaluate(seen), page.evaluate("scrollY")
    page.evaluate(
        "[...document.querySelectorAll('.row a.who')].find((a) => a.getBoundingClientRect().top > 60).click()"
    )
    page.get_by_text("Persona").first.wait_for()
    page.go_back()
    page.get_by_text("1,200 entries").wait_for()
    page.wait_for_function("(place) => Math.abs(scrollY - place) < 2", arg=place)
    page.wait_for_timeout(500)
    assert page.evaluate(seen) == before and abs(page.evaluate("scrollY") - place) < 2


def test_an_answer_keeps_its_prompt_after_a_reload(page: Any, server: str) -> None:
    _go(page, server, "run/twin/chat?agent=bo", "Ctrl+Enter asks")
    page.get_by_label("Question", exact=True).fill("Whence?")
    page.locator(".ask").get_by_role("button", name="Ask").click()
    page.locator(".exchange details").first.wait_for()
    page.reload()
    page.locator(".exchange details").first.click()
    page.locator(".exchange").get_by_text("Before you said: Whence?").wait_for()


def test_titles_name_the_page(page: Any, server: str) -> None:
    _go(page, server, "run/toy/view/timeline", "1,200 entries")
    assert page.title().startswith("Transcript")
    _go(page, server, "compare?run=toy&run=twin", "Side by side")
    assert page.title().startswith("Compare")
    _go(page, server, "", "Tick two or more")
    assert page.title().startswith("Runs")


def test_a_question_leads_to_what_came_of_it_and_back(page: Any, server: str) -> None:
    _go(page, server, "run/toy/question/1", "What came of it")
    page.get_by_text("Nothing was sent").wait_for()
    page.get_by_role("link", name="where it was said").click()
    page.locator(".row.at").get_by_role("link", name="question behind it").click()
    page.wait_for_url("**/question/1")


def test_runs_without_a_shared_seed_show_unpaired_differences(page: Any, server: str) -> None:
    _go(page, server, "compare?run=toy&run=twin", "(unpaired)")
    page.get_by_text("openiir sweep STUDY").wait_for()
    assert page.locator("table.arms tbody td:last-child").all_inner_texts() == ["baseline", "0.000"]
    page.get_by_text("leaves out zero").wait_for(state="detached")


def test_an_unfilled_view_and_chat_without_people_are_out_of_the_way(page: Any, server: str) -> None:
    page.route("**/api/runs/toy", lambda route: _without_people(route))
    _go(page, server, "run/toy", "Not filled in this run: 1")
    assert (
        page.get_by_role("link", name="Chat").count()
        == page.get_by_role("link", name="Validation").count()
        == 0
    )


def _without_people(route: Any) -> None:
    found = route.fetch()
    route.fulfill(response=found, body=json.dumps({**found.json(), "people": []}))


def test_the_menu_of_a_narrow_page_has_its_groups(page: Any, server: str) -> None:
    page.set_viewport_size({"width": 420, "height": 900})
    _go(page, server, "run/toy/view/timeline", "1,200 entries")
    menu = page.get_by_label("View", exact=True)
    assert menu.input_value() == "@timeline"
    assert menu.locator("optgroup").evaluate_all("all => all.map((one) => one.label)")[:2] == [
        "Results",
        "Process",
    ]
    menu.select_option("questions")
    page.get_by_text("44 questions").wait_for()
    assert page.locator(".tabs").is_hidden()


def test_a_wide_table_fades_where_it_is_cut(page: Any, server: str) -> None:
    page.set_viewport_size({"width": 420, "height": 900})
    _go(page, server, "run/toy/view/table", "1,300 rows")
    page.locator(".wide.more").wait_for()
    page.evaluate("document.querySelector('.wide').scrollTo(9999, 0)")
    page.locator(".wide:not(.more)").wait_for()


def test_members_have_colours_of_their_own(page: Any, server: str) -> None:
    _go(page, server, "run/toy/view/timeline", "1,200 entries")
    settle(page)
    tones = page.evaluate(
        "Object.fromEntries([...document.querySelectorAll('.entry')].map((e) => "
        "[e.querySelector('.who').innerText, getComputedStyle(e.querySelector('.badge')).borderTopColor]))"
    )
    assert set(tones) == set(NAMES.values()) and len(set(tones.values())) == len(NAMES)


@pytest.mark.parametrize("kind", ["http", "file"])
def test_the_header_leads_to_what_was_checked(
    page: Any, address: Callable[[str, str], str], kind: str
) -> None:
    page.goto("about:blank")
    _go(page, address(kind, "toy"), "run/toy/questions", "44 questions")
    page.get_by_role("link", name="check the record").click()
    page.get_by_text("Nothing that is covered was changed.").wait_for()
    assert "events" in page.locator("section[aria-label=Record] tbody").inner_text()
    assert not re.search(r"\b1 rows", page.locator("section[aria-label=Record]").inner_text())
    page.get_by_role("link", name="record unchanged").wait_for()
