"""Size-matched comparison beside SciPy's distance and all exchanges."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import ks_2samp

from lab.cascades.size_matching import compare_at_equal_size
from openiir.core.seeds import Draw

DRAW = Draw(9, "test.matching")


def drawn(purpose, n, values):
    return DRAW.at(purpose).below(values, item=np.arange(n)).astype(float)


def test_distance_and_p_are_those_of_all_exchanges():
    first, second = drawn("a", 9, 6), drawn("b", 9, 6) + 3.0
    sizes = np.arange(9)
    found = compare_at_equal_size((sizes, sizes), (first, second), draws=20_000)
    distances = []
    for swap in itertools.product((False, True), repeat=9):
        a, b = np.where(swap, second, first), np.where(swap, first, second)
        distances.append(ks_2samp(a, b).statistic)
    assert found.pairs == 9 and found.distance == pytest.approx(ks_2samp(first, second).statistic)
    exact = np.mean(np.array(distances) >= found.distance - 1e-9)
    assert found.p == pytest.approx(exact, abs=0.012) and 0.001 < exact < 0.5
    assert found.difference.value == pytest.approx((second - first).mean())
    assert found.difference.low < found.difference.value < found.difference.high


def test_each_size_gives_as_many_cascades_as_the_smaller_set_has():
    sizes = np.array([2, 2, 2, 3, 5, 5, 9]), np.array([2, 3, 3, 5, 5, 5, 8])
    values = tuple(n.astype(float) for n in sizes)
    found = compare_at_equal_size(sizes, values)
    assert found.pairs == 4 and found.first_mean == found.second_mean == (2 + 3 + 5 + 5) / 4
    assert (found.distance, found.p) == (0.0, 1.0)
    binned = compare_at_equal_size(sizes, values, [2, 4, 9])
    assert binned.pairs == 3 + 2
    missing = (values[0], np.where(sizes[1] == 5, np.nan, values[1]))
    assert compare_at_equal_size(sizes, missing).pairs == 2


def test_a_difference_of_size_alone_is_not_told_and_one_of_structure_is():
    sizes = tuple(
        1 + (-np.log(DRAW.at(name).uniform(item=np.arange(3_000))) * m).astype(int)
        for name, m in (("s", 4), ("t", 9))
    )
    noise = tuple(DRAW.at(name).normal(item=np.arange(3_000)) for name in ("u", "v"))
    same = tuple(n + e for n, e in zip(sizes, noise, strict=True))
    assert ks_2samp(*same).pvalue < 1e-6
    matched = compare_at_equal_size(sizes, same)
    assert matched.p > 0.05 and matched.difference.low < 0 < matched.difference.high
    told = compare_at_equal_size(sizes, (same[0], same[1] + 0.4))
    assert told.p < 0.01 and told.difference.low > 0.2


@pytest.mark.parametrize("level", [0.05, 0.2])
def test_p_is_below_a_level_as_often_as_the_level_says(level):
    below = 0
    for run in range(400):
        values = [DRAW.at(side, step=run).normal(item=np.arange(30)) for side in "ab"]
        below += (
            compare_at_equal_size((np.ones(30),) * 2, values, draw=DRAW.at("null", step=run), draws=199).p
            <= level
        )
    assert abs(below / 400 - level) < 3 * math.sqrt(level * (1 - level) / 400) + 0.02


def test_without_pairs_there_is_no_number():
    found = compare_at_equal_size(([1, 2], [3]), ([0.5, 0.5], [0.1]))
    assert found.pairs == 0 and math.isnan(found.p) and math.isnan(found.distance)
    assert found.difference.reason == "no size occurs in both sets"
