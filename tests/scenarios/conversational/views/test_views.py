"""Views of dialogues: columns that say something, intervals of shares within 0 to 1, and how to fill empty
views."""

import re
import shutil
from collections.abc import Iterator
from functools import reduce
from operator import getitem
from pathlib import Path
from shlex import split
from typing import Any

import pytest

from openiir.core.storage import Log
from openiir.runs.post_run import scenario_of, surfaces_of
from openiir.runs.run_io import open_checked
from openiir.runs.study import load_study
from openiir.scenarios.conversational.measures.averages import means
from openiir.scenarios.conversational.measures.dialogue_rows import DialogueRow
from openiir.scenarios.conversational.views import tables

GOLDEN = Path(__file__).parents[3] / "golden"


@pytest.fixture(scope="module", params=["conversational", "conversational-ratings", "recommender-visits"])
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder = tmp_path_factory.mktemp("views") / request.param
    shutil.copytree(GOLDEN / request.param, folder)
    with open_checked(folder, finished=True) as opened:
        yield opened


def row(number: int, system: str = "one", **values: float) -> DialogueRow:
    return DialogueRow(number, "agenda", system, "everybody", "satisfied", dict(values))


def test_intervals_of_shares_stay_within_bounds() -> None:
    rows = [
        row(n, **{"recall@1": 0.04 * (n == 7), "mrr": 1 - 0.04 * (n == 7), "turns": n}) for n in range(50)
    ]
    found = means(rows, ("recall@1", "mrr", "turns"))
    assert 0 < found["recall@1"].low < found["recall@1"].value < found["recall@1"].high
    assert found["mrr"].low < found["mrr"].value < found["mrr"].high < 1
    assert found["turns"].high > 1


@pytest.mark.parametrize("one_at_a_time", [True, False])
def test_recall_at_one_is_shown_where_it_differs(
    one_at_a_time: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [
        row(n, success=float(n), turns=4.0, **{"turns.restricted": 4.0, "recall@1": 0.2, "recall@10": ten})
        for n, ten in enumerate((0.2, 0.2 if one_at_a_time else 0.6))
    ]
    monkeypatch.setattr(tables, "rows", lambda log: rows)
    monkeypatch.setattr(tables, "setting", lambda log: tables.RunSetting(("agenda",), ("one",), 10))
    assert ("recall@1" in tables.tabulate_results(None).names) is not one_at_a_time  # type: ignore[arg-type]


def test_turns_until_success_need_a_success(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        row(0, "never", success=0.0, **{"turns.restricted": 10.0}),
        row(0, "once", success=1.0, **{"turns.restricted": 3.0}),
    ]
    monkeypatch.setattr(tables, "rows", lambda log: rows)
    monkeypatch.setattr(tables, "setting", lambda log: tables.RunSetting(("agenda",), ("never", "once"), 10))
    table = tables.tabulate_results(None)  # type: ignore[arg-type]
    place = table.names.index("turns, limit if in vain")
    assert [cells[place] for cells in table.rows] == [None, 3.0]


def test_an_empty_view_names_a_setting_that_a_study_takes(run: Any) -> None:
    log, kind = Log(run), run.study()["type"]
    usual = load_study(kind, []).document()["config"]
    for surface in surfaces_of(scenario_of(run)).values():
        why = surface.shows(log) if surface.shows else True
        if why is True:
            continue
        said = re.fullmatch(r"would show .+; openiir run (\w+) (--set .+) fills it.*", str(why))
        assert said and said[1] == kind, why
        sets = [one for one in split(said[2]) if one != "--set"]
        changed = load_study(kind, [one for one in sets if not one.endswith("=FILE")]).document()["config"]
        for one in sets:
            path = one.partition("=")[0].split(".")[1:]
            assert (reduce(getitem, path, changed) != reduce(getitem, path, usual)) or one.endswith(
                "=FILE"
            ), why
