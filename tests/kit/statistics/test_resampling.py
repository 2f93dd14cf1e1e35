import math

import numpy as np
import pytest

from openiir.core.seeds import Draw
from openiir.kit import statistics
from openiir.kit.statistics import resampling

DRAW = Draw(3, "test")


def by_hand(num, den, draw, draws):
    """One resample after the other, one unit after the other."""
    ratios = []
    for step in range(draws):
        picked = [draw.below(len(num), item=place, step=step) for place in range(len(num))]
        ratios.append(sum(num[u] for u in picked) / sum(den[u] for u in picked))
    return np.quantile(ratios, [0.025, 0.975])


def test_units_are_resampled_whole():
    generator = np.random.default_rng(1)
    shown = generator.poisson(5, size=40).astype(float) + 1
    clicks = generator.binomial(shown.astype(int), 0.3).astype(float)
    found = statistics.cluster_bootstrap(clicks, shown, draw=DRAW, draws=300)
    assert found.value == pytest.approx(clicks.sum() / shown.sum())
    assert (found.low, found.high) == pytest.approx(tuple(by_hand(clicks, shown, DRAW, 300)))


def test_neither_the_block_nor_the_order_of_calls_matters(monkeypatch):
    x, y = np.arange(1.0, 31.0), np.arange(2.0, 32.0)
    whole = statistics.cluster_bootstrap(x, y, draw=DRAW)
    monkeypatch.setattr(resampling, "BLOCK", 70)
    assert statistics.cluster_bootstrap(x, y, draw=DRAW) == whole
    assert statistics.cluster_bootstrap(x, y, draw=Draw(4, "test")) != whole


def test_units_that_move_together_widen_the_interval():
    generator = np.random.default_rng(2)
    rate = generator.beta(1, 1, size=60)
    clicks = generator.binomial(50, rate).astype(float)
    shown = np.full(60, 50.0)
    found = statistics.cluster_bootstrap(clicks, shown)
    as_if_alone = 2 * 1.96 * math.sqrt(found.value * (1 - found.value) / shown.sum())
    assert found.high - found.low > 3 * as_if_alone


def test_any_statistic_of_sums():
    x = np.random.default_rng(3).normal(10, 2, size=50)
    found = statistics.cluster_bootstrap(x, statistic=lambda s: s / 50, draw=DRAW, draws=4_000)
    half = 1.96 * x.std() / math.sqrt(50)
    assert (found.low, found.high) == pytest.approx((x.mean() - half, x.mean() + half), abs=0.12)


def test_undefined_resamples_are_said():
    few = statistics.cluster_bootstrap([1.0, 1.0, 1.0, 1.0], [0.0, 0.0, 1.0, 1.0], draw=DRAW)
    assert few.bounded and "have no value and are left out" in few.reason
    most = statistics.cluster_bootstrap(
        [1.0, 2.0, 4.0], statistic=lambda s: np.where(s == 7, s, np.nan), draw=DRAW
    )
    assert most.value == 7 and not most.bounded and "undefined in" in most.reason
    assert "no value" in statistics.cluster_bootstrap([1.0, 2.0], [0.0, 0.0]).reason
    assert "1 unit" in statistics.cluster_bootstrap([1.0], [2.0]).reason
    assert "no units" in statistics.cluster_bootstrap([], []).reason
    with pytest.raises(ValueError, match="as many units"):
        statistics.cluster_bootstrap([1.0], [1.0, 2.0])


def test_the_ratio_of_sums_is_paired():
    a = np.random.default_rng(4).uniform(1, 9, size=20)
    exact = statistics.ratio_of_sums(a, 1.5 * a)
    assert (exact.value, exact.low, exact.high) == pytest.approx((1.5, 1.5, 1.5))
    assert math.isnan(statistics.ratio_of_sums([0.0, 0.0], [1.0, 1.0]).value)


def test_the_hierarchical_bootstrap_holds_the_noise_of_both_levels():
    generator = np.random.default_rng(5)
    seeds = generator.normal(0, 1, size=25)
    groups = [seed + generator.normal(0, 2, size=4) for seed in seeds]
    found = statistics.hierarchical_bootstrap(groups)
    alone = statistics.hierarchical_bootstrap([[group.mean()] for group in groups])
    assert found.value == pytest.approx(np.mean([g.mean() for g in groups])) == alone.value
    assert found.high - found.low > 1.1 * (alone.high - alone.low)
    within = np.mean([g.var() / 4 for g in groups])
    spread = math.sqrt((np.var([g.mean() for g in groups]) + within) / 25)
    assert found.high - found.low == pytest.approx(2 * 1.96 * spread, rel=0.1)


def test_groups_of_one_each_are_the_plain_bootstrap():
    x = np.random.default_rng(6).normal(size=12)
    found = statistics.hierarchical_bootstrap([[v] for v in x], DRAW)
    plain = statistics.cluster_bootstrap(x, statistic=lambda s: s / 12, draw=DRAW, draws=9_999)
    assert (found.low, found.high) == pytest.approx((plain.low, plain.high))
    assert "1 seed" in statistics.hierarchical_bootstrap([[1.0, 2.0]]).reason
    assert "no seeds" in statistics.hierarchical_bootstrap([]).reason
