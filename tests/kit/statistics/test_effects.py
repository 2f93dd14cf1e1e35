import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from openiir.kit import statistics

NUMBERS = st.lists(st.integers(-5, 5).map(float), min_size=1, max_size=9)


def test_differences_in_percent():
    assert statistics.percent_difference([2.0, 4.0], [3.0, 6.0]) == 50.0
    assert statistics.percent_difference([-2.0, -2.0], [-1.0, -1.0]) == 50.0
    assert "mean is 0" in statistics.percent_difference.measure([1.0, -1.0], [1.0, 1.0]).reason


def test_d_z_is_unbiased_where_the_plain_one_is_not():
    samples = np.random.default_rng(1).normal(0.8, 1.0, size=(4_000, 6))
    plain = samples.mean(axis=1) / samples.std(axis=1, ddof=1)
    corrected = np.array([statistics.d_z(row) for row in samples])
    assert plain.mean() > 0.9
    assert corrected.mean() == pytest.approx(0.8, abs=0.03)
    approximate = 1 - 3 / (4 * 5 - 1)
    assert corrected[0] / plain[0] == pytest.approx(approximate, abs=0.002)


def test_d_z_has_no_value_where_there_is_no_spread_or_too_few_seeds():
    assert "no spread" in statistics.d_z.measure([1.0, 1.0, 1.0]).reason
    assert "at least 3" in statistics.d_z.measure([1.0, 2.0]).reason


@given(NUMBERS, NUMBERS)
def test_cliffs_delta_counts_pairs(a, b):
    by_hand = sum((y > x) - (y < x) for x in a for y in b) / (len(a) * len(b))
    assert statistics.cliffs_delta(a, b) == pytest.approx(by_hand)


def test_what_pairing_gained():
    generator = np.random.default_rng(2)
    noise = generator.normal(size=400)
    a, b = noise + 0.5 * generator.normal(size=400), noise + 0.5 * generator.normal(size=400)
    rho = statistics.correlation(a, b)
    assert rho == pytest.approx(stats.pearsonr(a, b).statistic)
    expected = math.sqrt(1 - 2 * rho * a.std() * b.std() / (a.var() + b.var()))
    assert statistics.spread_ratio(a, b) == pytest.approx(expected)
    assert statistics.spread_ratio(a, -a) == pytest.approx(math.sqrt(2))
    assert statistics.spread_ratio(a, a) == 0.0
    assert "neither" in statistics.spread_ratio.measure([1.0, 1.0], [2.0, 2.0]).reason
    assert "no spread" in statistics.correlation.measure([1.0, 1.0], [2.0, 3.0]).reason


@given(st.lists(st.floats(0, 1), max_size=12))
def test_false_discoveries_are_controlled_as_scipy_does(p):
    found = statistics.benjamini_hochberg(p)
    if p:
        assert found == pytest.approx(stats.false_discovery_control(p))
    assert len(found) == len(p)


def holm_by_hand(p):
    """From the closure principle: the largest Bonferroni p over all families with this hypothesis."""
    n = len(p)
    families = [[i for i in range(n) if bits >> i & 1] for bits in range(1, 2**n)]
    return [max(min(1.0, len(f) * min(p[j] for j in f)) for f in families if i in f) for i in range(n)]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=7))
def test_holm_closes_bonferroni(p):
    assert statistics.holm(p) == pytest.approx(holm_by_hand(p))


def test_what_has_no_p_is_no_part_of_the_family():
    for correct in (statistics.holm, statistics.benjamini_hochberg):
        found = correct([0.01, math.nan, 0.03])
        assert math.isnan(found[1])
        assert [found[0], found[2]] == list(correct([0.01, 0.03]))


def test_equivalence_is_two_one_sided_tests():
    d = np.random.default_rng(5).normal(0.1, 1.0, size=25)
    found = statistics.tost(d, 0.6)
    lower = stats.ttest_1samp(d, -0.6, alternative="greater").pvalue
    upper = stats.ttest_1samp(d, 0.6, alternative="less").pvalue
    assert found.p == pytest.approx(max(lower, upper))
    bounds = stats.ttest_1samp(d, 0).confidence_interval(0.90)
    assert (found.low, found.high) == pytest.approx((bounds.low, bounds.high))


@given(st.integers(0, 10_000), st.floats(0.05, 3.0))
def test_the_verdict_is_where_the_interval_lies(seed, smallest):
    d = np.random.default_rng(seed).normal(0.5, 1.0, size=9)
    found = statistics.tost(d, smallest)
    inside = -smallest < found.low and found.high < smallest
    beyond = found.low > smallest or found.high < -smallest
    assert found.verdict == ("equivalent" if inside else "larger" if beyond else "undecided")


def test_equivalence_without_spread_or_without_a_smallest_effect():
    assert statistics.tost([0.0, 0.0], 1.0).verdict == "undefined"
    with pytest.raises(ValueError, match="above 0"):
        statistics.tost([0.1, 0.2], 0.0)


SEEDS = {0.2: (199, 265), 0.3: (90, 119), 0.5: (34, 44), 0.8: (15, 19), 1.0: (10, 13), 1.5: (6, 7)}


@pytest.mark.parametrize(("effect", "needed"), SEEDS.items())
def test_seeds_needed(effect, needed):
    assert tuple(statistics.seeds_needed(effect, power) for power in (0.8, 0.9)) == needed
    assert statistics.seeds_needed(-effect) == needed[0]
    assert statistics.power_of(effect, needed[0]) >= 0.8 > statistics.power_of(effect, needed[0] - 1)


def test_power_is_how_often_the_test_finds_it():
    samples = np.random.default_rng(6).normal(0.8, 1.0, size=(20_000, 10))
    found = (stats.ttest_1samp(samples, 0, axis=1).pvalue < 0.05).mean()
    assert statistics.power_of(0.8, 10) == pytest.approx(found, abs=0.01)


def test_seeds_for_ten_tests_and_for_no_effect():
    assert statistics.seeds_needed(0.5, 0.8, 0.05 / 10) == 58
    assert statistics.seeds_needed(31.0, 0.9) == 2
    assert "effect of 0" in statistics.seeds_needed.measure(0.0).reason
    assert "1,000,000" in statistics.seeds_needed.measure(1e-4).reason
    assert math.isnan(statistics.seeds_needed(math.nan))
