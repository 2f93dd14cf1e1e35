"""Definitions of measures, and long views on a terminal."""

import json
from math import inf
from pathlib import Path

import pytest

from openiir.plugin import Entry, Table
from openiir.plugin.definitions import bound_measure, define_measure
from openiir.runs.types import find_type
from openiir.runs.views.drawing import MOST, draw_view

GOLDEN = Path(__file__).parents[2] / "golden"
RUNS = sorted(path.parent.name for path in GOLDEN.glob("*/manifest.json"))


@pytest.mark.parametrize("name", RUNS)
def test_every_measure_of_a_built_in_type_is_defined(name):
    scenario = find_type(json.loads((GOLDEN / name / "manifest.json").read_text())["type"])
    measures = json.loads((GOLDEN / name / "views.json").read_text())["measures"]
    assert [one for one in measures if not all(define_measure(scenario.definitions, one))] == []
    for one, value in measures.items():
        low, high = bound_measure(scenario.definitions, one)
        assert isinstance(value, str) or low - 1e-9 <= value <= high + 1e-9, one


@pytest.mark.parametrize(
    ("type", "name", "label"),
    [
        ("panel", "r_wg_first", "r_wg, first"),
        ("panel", "ei_index", "E-I index"),
        ("panel", "polarisation_last", "polarisation, last"),
        ("conversational", "rank.target[random]", "rank of the first target"),
        ("conversational", "recall@10[agenda/random].low", "recall@10, low end"),
        ("recommender", "als/P_view.less_random", "share taken less random"),
        ("recommender", "thumbnails.blue.less_poster", "click rate of blue less poster"),
        ("recommender", "als (model)/S_sat.high", "satisfaction (1 to 10), high end"),
        ("curated_feed", "random/exposure_share.3", "share of topic 3"),
        ("panel", "no_such_measure", ""),
    ],
)
def test_a_measure_has_a_label(type, name, label):
    assert define_measure(find_type(type).definitions, name)[0] == label


def test_a_difference_has_the_width_of_its_measures_bounds():
    recommender = find_type("recommender").definitions
    assert bound_measure(recommender, "als/S_sat") == bound_measure(recommender, "als/S_sat.low") == (1, 10)
    assert bound_measure(recommender, "als/S_sat.less_random") == (-9, 9)
    assert bound_measure(recommender, "thumbnails.blue.less_poster") == (-1, 1)
    assert bound_measure(recommender, "als/N_like.less_random") == (-inf, inf)
    assert bound_measure(recommender, "no_such_measure") == (-inf, inf)
    assert define_measure(recommender, "als/P_view")[1].endswith("SimUSER's paper (0 to 1)")


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("rows", [MOST, MOST + 7])
def test_a_terminal_shows_the_beginning_of_a_long_view(rows, whole, capsys):
    table = Table(columns=("n",), rows=tuple((n,) for n in range(rows)))
    entries = [Entry(step=n, actor="Ada", text=f"line {n}") for n in range(rows)]
    for view in (table, entries):
        draw_view("Long", view, whole=whole)
        said = capsys.readouterr().out
        assert ("7 more; --n N" in said) is (rows > MOST and not whole)
        assert (str(rows - 1) in said) is (rows == MOST or whole)
