"""Branching cascades beside the Borel distribution and a plain loop."""

import numpy as np
import pytest
from scipy.special import gammaln
from scipy.stats import chisquare, poisson

from lab.cascades.branching import branching_cascades
from openiir.core.errors import InputError
from openiir.core.seeds import Draw
from openiir.scenarios.social_media.model.cascades import NOBODY

DRAW = Draw(2, "test.branching")


def test_cascades_are_those_of_a_plain_loop():
    trees = branching_cascades(200, 0.8, DRAW)
    rows = zip(*(column.tolist() for column in trees.shares[:3]), strict=True)
    found: dict[int, list[tuple[int, int]]] = {}
    for item, member, shown_by in rows:
        found.setdefault(item, []).append((member, shown_by))
    for item in range(200):
        wanted, place = [(0, NOBODY)], 0
        while place < len(wanted):
            offspring = int(poisson.ppf(DRAW.uniform(item=item, agent=place), 0.8))
            wanted += [(len(wanted) + n, place) for n in range(offspring)]
            place += 1
        assert sorted(found[item]) == wanted


@pytest.mark.parametrize("reproduction", [0.5, 0.8])
def test_sizes_follow_borels_distribution(reproduction):
    trees = branching_cascades(40_000, reproduction, DRAW)
    n = np.arange(1, 400)
    share = np.exp(-reproduction * n + (n - 1) * np.log(reproduction * n) - gammaln(n + 1))
    edges = [1, 2, 3, 4, 6, 10, 20, 10_000]
    seen = np.histogram(trees.size, edges)[0]
    wanted = np.array([share[(n >= a) & (n < b)].sum() for a, b in zip(edges, edges[1:], strict=False)])
    assert chisquare(seen, wanted / wanted.sum() * 40_000).pvalue > 0.01
    spread = np.sqrt(reproduction / (1 - reproduction) ** 3 / 40_000)
    assert abs(trees.size.mean() - 1 / (1 - reproduction)) < 3 * spread


def test_another_cascade_changes_none_before_it():
    few, many = branching_cascades(50, 0.7, DRAW), branching_cascades(80, 0.7, DRAW)
    assert many.size[:50].tolist() == few.size.tolist()
    assert np.isnan(branching_cascades(3, 0.0, DRAW).virality).all()


def test_what_would_not_end_is_refused():
    with pytest.raises(InputError, match="over the limit of 1,000"):
        branching_cascades(10, 1.5, DRAW, most=1_000)
    with pytest.raises(InputError, match="both numbers are at least 0"):
        branching_cascades(10, -0.1, DRAW)
