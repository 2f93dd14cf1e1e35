"""What one does on the pages of the web app: read, narrow, find, follow, download, ask, go back."""

import json
import re
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.web.conftest import TOKEN, settle
from tests.web.forms import FORMS, STEPS, series
from tests.web.showcase import LONG, run_showcase, unknown_form

pytestmark = pytest.mark.extras

MOST_NODES, MOST_BYTES = 1500, 1_000_000
DRAWN = ("report", "timeline", "graph", *(form for form in FORMS if form != "table"))


def _go(page: Any, address: str, place: str, words: str | re.Pattern[str]) -> None:
    page.goto(f"{address}#/{place}")
    page.get_by_text(words).first.wait_for()


@pytest.fixture(scope="module")
def large(server: str, runs: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A run of 100,000 posts and a graph of 3,000 claims."""
    make = ThreadPoolExecutor(1).submit(  # this thread has the browser's event loop
        run_showcase, tmp_path_factory.mktemp("large"), runs, "large", posts=2500, nodes=3000
    )
    make.result()
    return server


@pytest.mark.parametrize("form", DRAWN)
def test_every_view_turns_into_a_table_and_says_its_command(page: Any, server: str, form: str) -> None:
    _go(page, server, f"run/toy/view/{form}", "Copy command")
    settle(page)
    page.keyboard.press("t")
    page.locator("table").first.wait_for()
    page.keyboard.press("c")
    page.get_by_text(f"openiir show toy {form}").wait_for()


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("", "the twin run"),
        ("run/toy", "polarisation"),
        ("run/toy/view/table", "1,300 rows"),
        ("run/toy/view/timeline", "1,200 entries"),
        ("run/toy/question/1", "as a model would get it"),
        ("compare?run=toy&run=twin", "Side by side"),
    ],
)
def test_everything_is_reached_with_the_tab_key_and_seen(
    page: Any, server: str, place: str, words: str
) -> None:
    page.goto("about:blank")
    _go(page, server, place, words)
    page.wait_for_load_state("networkidle")
    settle(page)
    wanted = page.evaluate(
        """() => [...document.querySelectorAll(
            'a[href], button:enabled, input:enabled, select, textarea, summary, [tabindex="0"]'
        )].filter((e) => e.tabIndex >= 0 && e.checkVisibility() && !e.closest('.feed'))
        .map((e, n) => (e.dataset.stop = n)).length"""
    )
    page.locator(".skip").focus()
    stops = {"0"}
    for _ in range(wanted + 300):
        page.keyboard.press("Tab")
        stop, outlined = page.evaluate(
            "(({ activeElement: e }) => [e.dataset.stop ?? '', getComputedStyle(e).outlineStyle])(document)"
        )
        if stop in stops:
            break
        if stop:
            assert outlined != "none", page.evaluate("document.activeElement.outerHTML.slice(0, 200)")
            stops.add(stop)
    missed = [n for n in range(wanted) if str(n) not in stops]
    assert wanted and not missed, page.evaluate(
        "all => all.map((n) => document.querySelector(`[data-stop='${n}']`)?.outerHTML.slice(0, 200))", missed
    )


@pytest.mark.parametrize(
    ("place", "gone", "box", "choice", "then"),
    [
        ("", "the twin run", "State", "killed", "state=killed"),
        ("run/toy/view/timeline?until=20", "600 entries", "Of", "bo", "agent=bo"),
        ("run/toy/questions", "44 questions", "Kind", "showcase.speak", "kind=showcase.speak"),
    ],
)
def test_the_address_is_the_state_of_a_page(
    page: Any, server: str, place: str, gone: str, box: str, choice: str, then: str
) -> None:
    _go(page, server, place, gone)
    page.locator("main label", has_text=re.compile(f"^{box}")).locator("select").select_option(choice)
    page.wait_for_url(f"**{then}")
    page.get_by_text(gone).first.wait_for(state="detached")
    settle(page)
    changed = page.inner_text("main")
    page.reload(wait_until="networkidle")
    settle(page)
    assert page.inner_text("main") == changed


def test_back_and_forward_lead_through_the_pages_seen(page: Any, server: str) -> None:
    _go(page, server, "run/toy", "polarisation")
    page.get_by_role("link", name="Transcript").first.click()
    page.get_by_text("1,200 entries").wait_for()
    page.get_by_role("link", name="Questions", exact=True).click()
    page.get_by_text("44 questions").wait_for()
    page.go_back()
    page.get_by_text("1,200 entries").wait_for()
    page.go_back()
    page.get_by_text("polarisation").first.wait_for()
    page.go_forward()
    page.get_by_text("1,200 entries").wait_for()


def test_a_form_unknown_to_the_viewer_is_shown_as_json(page: Any, server: str) -> None:
    unknown_form(page)
    _go(page, server, "run/toy/view/matrix", "does not know the form")
    assert "middle" in page.locator("pre").inner_text()


def test_a_long_text_is_opened_on_demand(page: Any, server: str) -> None:
    _go(page, server, "run/odd/view/dialogue", "<script>document.title")
    page.get_by_role("button", name="Show all").first.click()
    page.get_by_text(LONG).first.wait_for()


def test_a_hundred_thousand_posts_stay_small_in_nodes_and_bytes(page: Any, large: str) -> None:
    sizes: list[int] = []
    page.on("response", lambda answer: sizes.append(int(answer.headers.get("content-length", 0))))
    _go(page, large, "run/large/view/timeline", "100,000 entries")
    page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    page.get_by_text(re.compile(r"Utterance 999\d\d:")).first.wait_for()
    assert page.evaluate("document.querySelectorAll('*').length") <= MOST_NODES
    assert 0 < sum(sizes) <= MOST_BYTES


def test_a_graph_of_three_thousand_nodes_shows_clusters_then_neighbours(page: Any, large: str) -> None:
    _go(page, large, "run/large/view/graph", "as clusters by kind and time")
    page.get_by_label("Show").select_option("near")
    page.get_by_text("of 3,000 nodes").wait_for()
    page.keyboard.press("j")
    page.get_by_label("The chosen node").wait_for()
    page.get_by_label("Show").select_option("all")
    page.get_by_text("3,000 of 3,000 nodes").wait_for()


def test_the_step_slider_narrows_the_view_and_the_address(page: Any, server: str) -> None:
    _go(page, server, "run/toy/view/timeline?until=20", "600 entries")
    page.keyboard.press(",")
    page.get_by_text(f"up to step 19 of {STEPS}").wait_for()
    page.wait_for_url("**until=19*")
    page.get_by_text("570 entries").wait_for()


def test_letters_lead_everywhere(page: Any, server: str) -> None:
    _go(page, server, "run/toy", "polarisation")
    page.keyboard.press("?")
    page.get_by_text("Go to the overview").wait_for()
    page.keyboard.press("Escape")
    for key in ("g", "t"):
        page.keyboard.press(key)
    page.get_by_label("Find in this view").wait_for()
    page.get_by_text("1,200 entries").wait_for()
    for key in ("j", "j"):
        page.keyboard.press(key)
    assert page.evaluate("document.activeElement.getAttribute('aria-posinset')") == "2"
    page.keyboard.press("/")
    page.keyboard.type("Utterance 1199:")
    page.get_by_text("1 entry with").wait_for()
    for key in ("Escape", "g", "r"):
        page.keyboard.press(key)
    page.get_by_role("heading", name="Runs").wait_for()


def test_from_an_utterance_to_its_source_and_its_question(page: Any, server: str) -> None:
    _go(page, server, "run/toy/view/timeline?focus=e3", "Utterance 3:")
    page.locator(".row.at").get_by_role("link", name="source").click()
    assert page.locator("mark.here").inner_text() == "😀 cited words stand "
    page.go_back()
    page.locator(".row.at").get_by_role("link", name="question").click()
    page.get_by_text("Before you said: nothing yet").wait_for()


def test_an_agent_is_asked_and_all_are(page: Any, server: str) -> None:
    _go(page, server, "run/toy/chat?agent=bo", "Ctrl+Enter asks")
    page.get_by_label("Question", exact=True).fill("Why?")
    page.get_by_role("button", name="Ask").click()
    page.get_by_text(re.compile("I am (for|against) it")).first.wait_for()
    page.get_by_label("Ask").select_option("*")
    page.get_by_label("Question", exact=True).fill("And now?")
    page.keyboard.press("Control+Enter")
    page.locator(".exchange").first.get_by_text(re.compile("I am (for|against) it")).nth(3).wait_for()


@pytest.mark.parametrize("kind", ["json", "csv", "svg"])
@pytest.mark.parametrize("form", ["series", "matrix", "graph"])
def test_views_are_downloaded(page: Any, server: str, form: str, kind: str, tmp_path: Path) -> None:
    _go(page, server, f"run/toy/view/{form}", "Copy command")
    settle(page)
    with page.expect_download() as given:
        page.get_by_role("button", name=kind.upper()).click()
    assert given.value.suggested_filename == f"toy-{form}.{kind}"
    given.value.save_as(tmp_path / "given")
    text = (tmp_path / "given").read_text()
    assert text.startswith({"json": "{", "csv": "", "svg": "<svg"}[kind])
    assert "var(--" not in text and len(text) > 300


def test_an_exported_run_narrows_and_says_what_it_lacks(page: Any, exports: dict[str, str]) -> None:
    page.goto(exports["toy"])
    page.get_by_text("exported run, no server").wait_for()
    page.get_by_text("polarisation").first.wait_for()
    _go(page, exports["toy"], "run/toy/view/timeline?until=20", "600 entries")
    _go(page, exports["toy"], "run/toy/view/timeline?agent=bo", "300 entries")
    _go(page, exports["toy"], "run/toy/view/cards", "a sign")
    _go(page, exports["toy"], "run/toy/question/99999", "not part of the exported file")
    assert page.get_by_role("link", name="Chat").count() == 0


def test_a_line_chart_tells_values_and_zooms(page: Any, server: str) -> None:
    _go(page, server, "run/toy/view/series", "Point at the chart")
    chart = page.locator("svg.chart")
    place = chart.bounding_box()
    plot = place["width"] - 64  # 52 pixels to its left and 12 to its right
    middle, down = place["x"] + 52 + plot / 2, place["y"] + 100
    page.mouse.move(middle, down)
    page.get_by_text(f"step {STEPS // 2}", exact=True).wait_for()
    line = series(lambda text: text).lines["Bo"]
    told = page.locator(".legend li", has_text="Bo").locator(".score").inner_text()
    assert float(told) == pytest.approx(dict(line)[STEPS // 2], abs=0.0006)
    page.mouse.down()
    page.mouse.move(middle + plot / 4, down)
    page.mouse.up()
    ticks = [int(text) for text in chart.locator("text.middle").all_text_contents() if text.isdigit()]
    assert min(ticks) == STEPS // 2 and max(ticks) == 3 * STEPS // 4
    chart.dblclick(position={"x": 100, "y": 100})
    chart.get_by_text("0", exact=True).first.wait_for()
    drawn = chart.locator("[class^=line-]").count()
    page.get_by_role("button", name="Bo").click()
    assert drawn == 4 and chart.locator("[class^=line-]").count() == 3


@pytest.mark.parametrize("form", ["toy", "folder"])
def test_an_export_is_searched_and_checked_in_its_page(page: Any, exports: dict[str, str], form: str) -> None:
    _go(page, exports[form], "run/toy/search?q=for+it&kind=event&agent=bo", "places with “for it”")
    assert {"Bo Chen"} == set(page.locator(".events a").all_inner_texts())
    _go(page, exports[form], "run/toy", "polarisation")
    page.get_by_role("button", name="Check them here").click()
    page.get_by_text("Nothing that is covered was changed").wait_for()


def test_a_search_and_what_narrows_it_are_in_the_address(page: Any, server: str) -> None:
    _go(page, server, "run/toy/search", "Texts that hold all words")
    page.get_by_label("Search this run").fill("for it")
    page.locator("main label", has_text="Of").locator("select").select_option("bo")
    page.locator("main label", has_text="In").locator("select").select_option("event")
    page.wait_for_url("**q=for*agent=bo*")
    page.get_by_text("places with “for it”").wait_for()
    settle(page)
    found, address = page.inner_text("main"), page.url
    assert "kind=event" in address and "Bo Chen" in found
    page.goto("about:blank")
    page.goto(address)
    page.get_by_text("places with “for it”").wait_for()
    settle(page)
    assert page.inner_text("main") == found
    _go(page, server, "run/toy/view/table", "1,300 rows")
    page.get_by_label("Find in this view").fill("item 12")
    page.wait_for_url("**find=item*")


def test_a_changed_record_is_found_by_the_check_of_its_page(page: Any, server: str) -> None:
    _go(page, server, "run/changed", "polarisation")
    page.get_by_role("link", name="check the record").click()
    page.get_by_text("step 1 was changed after it was recorded").wait_for()


def test_the_token_of_the_start_up_address_is_handed_in_and_taken_out_of_it(page: Any, server: str) -> None:
    with page.expect_request("**/api/token") as sent:
        page.goto("about:blank")
        page.goto(f"{server}#token={TOKEN}")
        page.get_by_role("heading", name="Runs").wait_for()
        assert page.url == f"{server}#/"
    assert sent.value.post_data_json == {"token": TOKEN}


def test_an_overview_leads_with_the_first_results_and_opens_them_whole(page: Any, server: str) -> None:
    _go(page, server, "run/toy", "polarisation")
    assert page.locator(".pictures h2").all_inner_texts() == ["Report", "Transcript", "Argument graph"]
    assert page.locator(".pictures .row").count() == 6
    page.get_by_role("link", name="Argument graph").last.click()
    page.wait_for_url("**/view/graph")


def test_a_table_draws_its_intervals(page: Any, server: str) -> None:
    _go(page, server, "run/toy/view/table", "1,300 rows")
    page.locator("svg.whisker").first.wait_for()
    page.get_by_text("Share of impressions", exact=True).wait_for()
    means = page.locator("tbody tr td:nth-child(4)").all_inner_texts()
    assert means and all(re.match(r"-?\d\.\d{3}\s", text) for text in means)


def test_a_graph_is_filtered_by_round_and_read_from_its_links(page: Any, server: str) -> None:
    _go(page, server, "run/toy/view/graph", "40 nodes")
    page.get_by_label("Round").select_option("round 2")
    page.wait_for_url("**round=round*2*")
    drawn = page.locator("canvas").get_attribute("aria-label")
    assert drawn is not None and drawn.startswith("20 nodes")
    page.get_by_label("Round").select_option("all")
    _go(page, server, "run/toy/view/graph?focus=k4", "where it was said")
    page.get_by_role("link", name="where it was said").click()
    page.wait_for_url("**/view/timeline?focus=k4")
    page.locator(".row.at").wait_for()


def test_runs_side_by_side_keep_the_step_in_the_address(page: Any, server: str) -> None:
    _go(page, server, "compare?run=toy&run=twin&surface=series&until=10", "Side by side")
    page.get_by_text("step 10").wait_for()
    page.get_by_label("Find a measure").fill("polar")
    assert page.locator("table.arms tbody").count() == 1


@pytest.fixture(scope="module")
def sweep(runs: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A sweep of 3 arms and 8 seeds: more runs than an address took once."""
    folder, cells = runs / "nights", []
    with ThreadPoolExecutor(1) as pool:  # this thread has the browser's event loop
        for steps, letter in ((1, "x"), (2, "y"), (3, "z")):
            for seed in range(1, 9):
                made = pool.submit(
                    run_showcase,
                    tmp_path_factory.mktemp("cell"),
                    folder / "cells",
                    letter * seed,
                    posts=1,
                    nodes=2,
                    steps=steps,
                )
                made.result()
                arm = {"config.steps": steps}
                cell = {
                    "id": f"{len(cells) + 1:04}",
                    "arm": arm,
                    "seed": seed,
                    "folder": f"cells/{letter * seed}",
                }
                cells.append({**cell, "status": "done"})
    record = {"study": {}, "design": "grid", "axes": {"config.steps": [1, 2, 3]}, "seeds": list(range(1, 9))}
    (folder / "sweep.json").write_text(json.dumps({**record, "cells": cells}))
    yield folder
    shutil.rmtree(folder)


def test_a_sweep_is_compared_whole_from_the_list(page: Any, server: str, sweep: Path) -> None:
    _go(page, server, "", "sweep nights, 24 runs")
    page.get_by_role("link", name="compare its arms").click()
    page.get_by_role("heading", name="Compare nights").wait_for()
    page.get_by_label("Baseline").wait_for()
    arms = [f"steps={steps}" for steps in (1, 2, 3)]
    assert page.get_by_label("Baseline").locator("option").all_inner_texts() == arms
    first = page.locator("table.arms tbody").first.locator("td:first-of-type")
    assert first.all_inner_texts() == arms
    page.get_by_label("Baseline").select_option("steps=2")
    page.wait_for_url("**baseline=steps=2**")
    page.get_by_role("row", name=re.compile(r"steps=2 .*baseline")).first.wait_for()
    sides = [
        page.get_by_label(f"Run on the {side}").locator("option:checked").inner_text()
        for side in ("left", "right")
    ]
    assert sides == ["steps=2, seed 1", "steps=1, seed 1"]
    page.wait_for_load_state("networkidle")


def test_a_killed_run_says_what_is_kept_and_how_to_go_on(page: Any, server: str) -> None:
    _go(page, server, "run/dead", "Its process ended without a word")
    page.get_by_text(re.compile(r"Kept: \d+ steps, [\d,]+ events")).wait_for()
    page.get_by_role("button", name="Copy command").first.click()
    page.locator(".ended code").get_by_text("openiir resume dead").wait_for()


def test_the_list_shows_a_run_that_begins_and_one_that_goes(page: Any, server: str, runs: Path) -> None:
    _go(page, server, "", "the twin run")
    page.wait_for_timeout(1500)  # the stream has read the list
    shutil.copytree(runs / "twin", runs / "newcomer")
    page.get_by_text("newcomer").first.wait_for()
    shutil.rmtree(runs / "newcomer")
    page.get_by_text("newcomer").first.wait_for(state="detached")


def test_the_list_has_a_column_of_any_measure(page: Any, server: str) -> None:
    _go(page, server, "?q=twin", "the twin run")
    page.get_by_label("Measure").focus()
    page.locator("datalist option[value=polarisation]").wait_for(state="attached")
    page.get_by_label("Measure").fill("polarisation")
    page.get_by_role("cell", name="0.413").wait_for()
    page.wait_for_url("**measure=polarisation**")
