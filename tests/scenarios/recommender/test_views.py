"""Views of visits: what stands in them is what the log says, and no more than it bears."""

import math
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from openiir.core.storage import Log
from openiir.runs.post_run import scenario_of
from openiir.runs.run_io import open_checked
from openiir.scenarios.recommender.measures.systems import top_n_measures
from openiir.scenarios.recommender.run.actions import VisitorReady
from openiir.scenarios.recommender.views import series, tables
from openiir.scenarios.recommender.views.timeline import visit_timeline

GOLDEN = Path(__file__).parents[2] / "golden"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder = tmp_path_factory.mktemp("views") / "visits"
    shutil.copytree(GOLDEN / "recommender-visits", folder)
    with open_checked(folder, finished=True) as opened:
        yield opened


def log_of_views(pages: list[int], rng: np.random.Generator) -> Any:
    """A log whose nth visitor looked at `pages[n]` pages of three titles of one system."""
    rows = [
        (f"v{who}", page, int(rng.integers(0, 2) * rng.integers(1, 6)))
        for who, last in enumerate(pages)
        for page in range(1, last + 1)
        for _ in range(3)
    ]
    visitor, page, rating = map(np.array, zip(*rows, strict=True))
    columns = {"system": np.full(len(rows), "one"), "visitor": visitor, "page": page, "rating": rating}
    return SimpleNamespace(study={"config": {"systems": [{"name": "one"}]}}, columns=lambda name: columns)


def test_shares_by_page_are_means_over_visitors_within_bounds() -> None:
    log = log_of_views([1] * 10 + [2] * 5 + [3] * 25, np.random.default_rng(3))
    columns, drawn = log.columns("views"), series.pages_series(log)
    assert [page for page, _ in drawn.lines["one"]] == [1, 2, 3]
    for (page, value), (_, low, high) in zip(drawn.lines["one"], drawn.bands["one"], strict=True):
        shares = []
        for who in sorted(set(columns["visitor"])):
            own = [
                r > 0
                for v, p, r in zip(columns["visitor"], columns["page"], columns["rating"], strict=True)
                if (v, p) == (who, page)
            ]
            if own:
                shares.append(sum(own) / len(own))
        assert value == pytest.approx(math.fsum(shares) / len(shares), abs=1e-4)
        assert 0 <= low < value < high <= drawn.high


@pytest.mark.parametrize(
    ("pages", "kept"),
    [([1] * 30 + [2] * 19, [1]), ([1] * 29 + [2] * 20, [1, 2]), ([1] * 3 + [2] * 2, [1]), ([1, 2], [1, 2])],
)
def test_pages_that_few_reached_are_left_out(pages: list[int], kept: list[int]) -> None:
    drawn = series.pages_series(log_of_views(pages, np.random.default_rng(5)))
    assert [page for page, _ in drawn.lines["one"]] == kept


def test_titles_taken_and_passed_over_have_marks_that_no_list_starts_with(run: Any) -> None:
    titles = [line for entry in visit_timeline(Log(run)) if entry.refs for line in entry.text.splitlines()]
    assert {line[:2] for line in titles} == {"✓ ", "✗ "}


def test_a_visitor_is_described_as_its_prompts_describe_it(run: Any) -> None:
    log = Log(run)
    ready = {event.actor: one for event, one in VisitorReady.read(log)}
    for persona in log.personas:
        found, one = scenario_of(run).describe(log, persona), ready[persona.id]
        assert one.persona is not None and found.id == persona.id
        assert found.traits["age"] == one.persona.age and found.traits["occupation"] == one.persona.occupation
        assert found.big_five.model_dump() == one.persona.big_five
        assert found.bio.lower().startswith(one.persona.words().lower()) and one.taste in found.bio


def test_a_missing_list_measure_says_why(run: Any) -> None:
    found = tables.lists_table(Log(run))
    measured = top_n_measures(Log(run))
    for system, *cells in found.rows:
        own = measured[str(system)]
        why = str(cells[-1]) if found.names[-1] == "why none" else ""
        assert all(one.defined or str(one.reason) in why for one in own.values())
        shown = dict(zip(found.names[1:], cells, strict=True))
        assert all(shown[name] == round(one.value, 3) for name, one in own.items() if one.defined)
    assert found.names[-1] == "why none" and not any("simulated" in name for name in found.names)
