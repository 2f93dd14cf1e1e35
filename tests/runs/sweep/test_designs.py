"""Which points the designs visit."""

from typing import Any

import numpy as np
import pytest

from openiir.core.errors import InputError
from openiir.runs.sweep.axes import Axis
from openiir.runs.sweep.designs import DesignPoints, DesignRequest, plan_design

MU, K = Axis("mu", low=0.0, high=1.0), Axis("k", low=1, high=4)
RULE = Axis("rule", values=("a", "b", "c"))


def points(design: str, *axes: Axis, samples: int | None = None, seed: int = 3, **own: Any) -> DesignPoints:
    return plan_design(design, DesignRequest(axes, samples, seed, own))


def test_a_grid_is_every_combination_the_last_axis_fastest():
    arms = points("grid", RULE, Axis("n", values=(1, 2))).arms
    assert [(a["rule"], a["n"]) for a in arms] == [(r, n) for r in "abc" for n in (1, 2)]


def test_without_an_axis_a_grid_is_the_study_itself():
    assert points("grid").arms == ({},)
    with pytest.raises(InputError, match="needs an axis"):
        points("lhs", samples=3)


def test_a_grid_of_a_range_is_refused_with_a_remedy():
    with pytest.raises(InputError, match="list them"):
        points("grid", MU)


def test_random_points_are_named_draws():
    few, more = points("random", MU, RULE, samples=5), points("random", MU, RULE, samples=9)
    assert more.arms[:5] == few.arms, "more samples leave the first as they were"
    assert [a["mu"] for a in points("random", MU, samples=5).arms] == [a["mu"] for a in few.arms], (
        "an axis is its own"
    )
    assert points("random", MU, samples=5, seed=4).arms != points("random", MU, samples=5).arms


def test_a_latin_hypercube_has_one_point_in_every_stratum_of_every_axis():
    arms = points("lhs", MU, Axis("x", low=-2.0, high=2.0), samples=16).arms
    for key, low, span in (("mu", 0.0, 1.0), ("x", -2.0, 4.0)):
        assert sorted(int((a[key] - low) / span * 16) for a in arms) == list(range(16))
    assert points("lhs", MU, samples=16).arms == points("lhs", MU, samples=16).arms


def test_one_at_a_time_changes_one_key_of_the_study_itself():
    arms = points("ofat", RULE, MU, samples=3, rule="b", mu=0.5).arms
    assert arms[0] == {"rule": "b", "mu": 0.5}
    assert [sum(arm[key] != arms[0][key] for key in arm) for arm in arms[1:]] == [1] * (len(arms) - 1)
    assert {a["rule"] for a in arms} == {"a", "b", "c"} and {a["mu"] for a in arms} == {0.0, 0.5, 1.0}


@pytest.mark.parametrize(("design", "axis"), [("random", MU), ("lhs", MU), ("sobol", MU)])
def test_a_design_that_samples_needs_to_know_how_many(design, axis):
    if design == "sobol":
        pytest.importorskip("SALib")
    with pytest.raises(InputError, match="--samples"):
        points(design, axis)


def test_an_unknown_design_is_named():
    with pytest.raises(InputError, match="did you mean 'grid'"):
        points("gird", MU)


@pytest.mark.parametrize("design", ["morris", "sobol"])
def test_listed_values_are_refused_where_an_axis_must_have_an_order(design):
    with pytest.raises(InputError, match="once for each of its values"):
        points(design, MU, RULE, samples=4)


@pytest.mark.parametrize("design", ["morris", "sobol"])
def test_a_missing_library_is_told_with_the_command_that_brings_it(design, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "SALib", None)
    with pytest.raises(InputError, match="pip install"):
        points(design, MU, samples=4)


@pytest.mark.extras
def test_screening_designs_have_the_sizes_that_their_papers_give():
    axes = (MU, Axis("x", low=0.1, high=10.0, log=True), Axis("y", low=-1.0, high=1.0))
    assert len(points("morris", *axes).rows) == 20 * (3 + 1)
    assert len(points("sobol", *axes, samples=16).rows) == 16 * (3 + 2)
    for design in ("morris", "sobol"):
        assert points(design, *axes, samples=16) == points(design, *axes, samples=16)
        assert points(design, *axes, samples=16, seed=4).arms != points(design, *axes, samples=16).arms
    with pytest.raises(InputError, match="power of 2, such as 16"):
        points("sobol", *axes, samples=12)


@pytest.mark.extras
def test_points_that_round_to_the_same_are_run_once():
    found = points("sobol", K, Axis("j", low=0, high=1), samples=32)
    assert len(found.arms) <= 8 < len(found.rows) == 32 * 4
    for row, arm in zip(found.units, found.rows, strict=True):
        assert found.arms[arm] == {"k": K.at(row[0]), "j": int(row[1] >= 0.5)}
    assert np.asarray(found.units).shape == (128, 2)
