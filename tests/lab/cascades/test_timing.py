"""Times to a size or depth beside plain loops, and their medians beside a product by hand."""

import math

import numpy as np
import pytest
from scipy.stats import ecdf

from lab.cascades.spreading import Contagion, spread_items
from lab.cascades.timing import CensoredTimes, ccdf, time_to_depth, time_to_size
from openiir.core.errors import InputError
from openiir.core.seeds import Draw
from openiir.kit.networks import power_law_graph
from openiir.scenarios.social_media.model.cascades import NOBODY, build_trees

DRAW = Draw(6, "test.timing")


def trees():
    graph = power_law_graph(300, DRAW, 2.2, 2)
    found = spread_items(graph, np.arange(80), Contagion(0.2), DRAW)
    shares = found.shares
    born = DRAW.at("born").below(50, item=shares.item)
    return build_trees(*shares[:3], shares.time * 10 + born)


@pytest.mark.parametrize("until", [None, 60.0])
def test_times_are_those_of_a_plain_loop(until):
    forest = trees()
    end = forest.shares.time.max() if until is None else until
    for k in (1, 2, 5):
        sizes, depths = time_to_size(forest, k, until), time_to_depth(forest, k, until)
        assert sizes.happened.sum() > 0 and 0 < depths.happened.sum() < len(forest)
        for tree, root in enumerate(forest.roots):
            rows = np.flatnonzero(forest.tree == tree)
            moments = sorted(forest.shares.time[rows])
            by_size = moments[k - 1] if len(moments) >= k else math.inf
            by_depth = min((forest.shares.time[r] for r in rows if forest.depth[r] == k), default=math.inf)
            for found, moment in ((sizes, by_size), (depths, by_depth)):
                assert found.happened[tree] == (moment <= end)
                assert found.time[tree] == min(moment, end) - forest.shares.time[root]


def test_a_median_counts_what_had_no_time_to_happen():
    time = np.array([2.0, 3.0, 4.0, 5.0, 6.0, 7.0])
    happened = np.array([True, False, True, True, False, True])
    left = np.cumprod([5 / 6, 3 / 4, 2 / 3])  # after 2, 4 and 5
    assert left[1] > 0.5 > left[2]
    found = CensoredTimes(time, happened).median()
    assert found.value == 5.0 and found.low == 2.0 and found.high == math.inf
    assert CensoredTimes(time, happened).survival().evaluate(4.5) == pytest.approx(left[1])


def test_the_interval_of_a_median_holds_the_true_one():
    held = 0
    for run in range(200):
        unit = DRAW.at("life").uniform(item=np.arange(60), step=run)
        stop = DRAW.at("stop").uniform(item=np.arange(60), step=run) * 3
        life = -np.log(unit)
        found = CensoredTimes(np.minimum(life, stop), life <= stop).median()
        held += found.low <= math.log(2) <= found.high
    assert 182 <= held <= 198


def test_medians_without_a_value_say_why():
    none = CensoredTimes(np.ones(3), np.zeros(3, dtype=bool)).median()
    assert math.isnan(none.value) and none.reason == "none of 3 trees got there"
    few = CensoredTimes(np.array([1.0, 5.0, 5.0]), np.array([True, False, False])).median()
    assert math.isnan(few.value) and "1 of 3 trees got there" in (few.reason or "")


def test_a_complementary_distribution_counts_the_value_itself():
    values = np.array([1, 1, 1, 2, 5, 5, math.nan])
    points, shares = ccdf(values)
    assert points.tolist() == [1, 2, 5] and shares.tolist() == [1.0, 0.5, 2 / 6]
    curve = ecdf(values[:-1]).sf
    assert shares == pytest.approx([1.0, *curve.probabilities[:-1]])
    assert [len(column) for column in ccdf([])] == [0, 0]


def test_times_that_cannot_be_are_refused():
    forest = build_trees([0], [1], [NOBODY], [5.0])
    with pytest.raises(InputError, match="tree 0 starts at 5, after the end of observation at 4"):
        time_to_size(forest, 1, 4.0)
