import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from openiir.kit import statistics


def normal(seed, n, shift=0.0, common=0.0):
    generator = np.random.default_rng(seed)
    shared = generator.normal(size=n)
    a = common * shared + generator.normal(size=n)
    return a, common * shared + generator.normal(size=n) + shift


@pytest.mark.parametrize("n", [2, 5, 10, 19])
def test_under_20_seeds_the_interval_is_students(n):
    a, b = normal(n, n, 0.4)
    found = statistics.paired_difference(a, b)
    reference = stats.ttest_rel(b, a).confidence_interval(0.95)
    assert found.method == "t" and found.reason is None
    assert found.value == pytest.approx(np.mean(b - a))
    assert (found.low, found.high) == pytest.approx((reference.low, reference.high))


@pytest.mark.parametrize("bounds", [(0.0, 1.0), (-1.0, 1.0), (1.0, 10.0)])
def test_between_two_bounds_it_is_students_on_the_logit_scale(bounds):
    low, high = bounds
    x = low + (high - low) * np.array([0.99, 0.9, 1.0, 0.97, 0.6])
    share = (x - low) / (high - low)
    plain, mean = stats.ttest_1samp(share, 0).confidence_interval(0.95), share.mean()
    half = (plain.high - mean) / (mean * (1 - mean))  # by the delta method
    ends = [1 / (1 + math.exp(-(math.log(mean / (1 - mean)) + by))) for by in (-half, half)]
    found = statistics.mean_interval(x, bounds=bounds)
    assert plain.high > 1 and found.method == "t on the logit scale"
    assert (found.low, found.high) == pytest.approx([low + (high - low) * end for end in ends])


def test_beyond_one_bound_it_is_cut():
    x = [0.0, 1.0, 9.0, 0.0]
    plain, found = statistics.mean_interval(x), statistics.mean_interval(x, bounds=(0.0, math.inf))
    assert plain.low < 0 and found == plain._replace(low=0.0, method="t, cut at its bound")
    assert statistics.mean_interval([5.0, 6.0, 5.5], bounds=(0.0, math.inf)).method == "t"


def test_a_difference_of_bounded_values_lies_within_their_width():
    a, b = [0.1, 0.0, 0.2], [0.9, 1.0, 0.7]
    assert statistics.paired_difference(a, b).high > 1
    found = statistics.paired_difference(a, b, bounds=(0.0, 1.0))
    assert found.value == pytest.approx(23 / 30) and -1 < found.low < found.value < found.high < 1
    one_bound = statistics.paired_difference(a, b, bounds=(0.0, math.inf))
    assert one_bound == statistics.paired_difference(a, b)


def test_bounds_that_do_not_hold_give_no_interval():
    found = statistics.mean_interval([1.1, 1.2, 1.3], bounds=(0.0, 1.0))
    assert (
        found.value == pytest.approx(1.2)
        and not found.bounded
        and "between the bounds 0 and 1" in found.reason
    )


@pytest.mark.parametrize("n", [3, 5, 10, 19])
def test_of_skewed_values_the_interval_between_two_bounds_holds_the_mean_more_often(n):
    rng = np.random.default_rng(n)
    for one, other in ((2.0, 8.0), (19.0, 1.0), (0.5, 4.5)):
        draws, true = rng.beta(one, other, (1_500, n)), one / (one + other)
        covers = {
            bounds: np.mean(
                [
                    found.low <= true <= found.high
                    for found in (statistics.mean_interval(x, bounds=bounds) for x in draws)
                ]
            )
            for bounds in ((-math.inf, math.inf), (0.0, 1.0))
        }
        assert 0.91 < covers[0.0, 1.0] < 0.98 and covers[0.0, 1.0] > covers[-math.inf, math.inf]


def bca_by_hand(x, level, draws, seed):
    """Efron's BCa of the mean, written from its definition, with a generator of its own."""
    generator, n, mean = np.random.default_rng(seed), len(x), x.mean()
    means = np.array([x[generator.integers(0, n, n)].mean() for _ in range(draws)])
    bias = stats.norm.ppf((means < mean).mean())
    without = np.array([np.delete(x, i).mean() for i in range(n)])
    pulls = without.mean() - without
    acceleration = (pulls**3).sum() / (6 * (pulls**2).sum() ** 1.5)
    ends = []
    for tail in ((1 - level) / 2, (1 + level) / 2):
        z = bias + stats.norm.ppf(tail)
        ends.append(np.quantile(means, stats.norm.cdf(bias + z / (1 - acceleration * z))))
    return ends


def test_from_20_seeds_on_it_is_the_bca_bootstrap():
    x = np.random.default_rng(3).exponential(size=30)
    found = statistics.mean_interval(x)
    assert found.method == "BCa bootstrap"
    assert (found.low, found.high) == pytest.approx(bca_by_hand(x, 0.95, 8_000, 1), abs=0.025)
    assert statistics.mean_interval(x.copy()) == found


def test_nothing_to_judge_by_is_said():
    assert statistics.mean_interval([]).reason == "0 seeds; at least 1 are needed"
    one = statistics.paired_difference([1.0], [1.5])
    assert one.value == 0.5 and math.isnan(one.low) and one.reason == "1 seed; at least 2 are needed"
    same = statistics.paired_difference([1.0, 2.0, 3.0], [1.5, 2.5, 3.5])
    assert same.value == 0.5 and not same.bounded and "no spread" in same.reason
    assert math.isnan(statistics.paired_difference([1.0, math.nan], [1.0, 2.0]).value)
    with pytest.raises(ValueError, match="cannot be paired"):
        statistics.difference([1.0], [1.0, 2.0])


def test_the_last_bits_of_a_subtraction_are_no_spread():
    a = np.array([0.1, 10.2, 1000.3, 1.1])
    d = statistics.difference(a, a + 0.7)
    assert len({float(x) for x in (a + 0.7) - a}) > 1
    assert len({float(x) for x in d}) == 1 and d[0] == pytest.approx(0.7, abs=1e-9)
    assert math.isnan(statistics.d_z(d))


def test_the_smallest_p_are_the_golden_ones():
    golden = {5: 0.0625, 6: 0.03125, 9: 0.00390625}
    for n, p in golden.items():
        assert statistics.sign_flip(np.arange(1.0, n + 1)) == p == statistics.smallest_p(n)
    assert statistics.fewest_seeds() == 6 and statistics.fewest_seeds(tests=10) == 9


def flips_by_hand(d):
    sums = [
        abs(sum(s * x for s, x in zip(signs, d, strict=True))) for signs in product((1, -1), repeat=len(d))
    ]
    return sum(s >= abs(sum(d)) - 1e-9 for s in sums) / len(sums)


@given(st.lists(st.integers(-40, 40).map(lambda k: k / 8), min_size=2, max_size=8))
def test_the_exact_test_goes_through_all_flips(d):
    assert statistics.sign_flip(d) == flips_by_hand(d)


@pytest.mark.parametrize("n", [2, 7, 14])
def test_the_exact_test_is_scipys(n):
    d = np.random.default_rng(n).normal(0.3, size=n)
    reference = stats.permutation_test(
        (d,), np.mean, permutation_type="samples", vectorized=True, n_resamples=np.inf
    )
    assert statistics.is_exact(n) and statistics.sign_flip(d) == pytest.approx(reference.pvalue)


def test_beyond_14_seeds_flips_are_drawn_and_p_is_never_0():
    assert not statistics.is_exact(15)
    assert statistics.sign_flip(np.full(30, 2.0)) == 1e-4 == statistics.smallest_p(30)
    d = np.random.default_rng(8).normal(0.25, size=24)
    draws = np.random.default_rng(0).choice([-1.0, 1.0], size=(40_000, 24)) @ d
    assert statistics.sign_flip(d) == pytest.approx((np.abs(draws) >= abs(d.sum())).mean(), abs=0.02)
    wide = np.random.default_rng(9).normal(size=70)
    assert statistics.sign_flip(wide) == pytest.approx(stats.ttest_1samp(wide, 0).pvalue, abs=0.02)


def test_no_difference_at_all_has_p_1_and_one_seed_has_none():
    assert statistics.sign_flip([0.0, 0.0, 0.0]) == 1.0
    assert "1 seed" in statistics.sign_flip.measure([0.3]).reason


def test_many_columns_are_tested_at_once():
    rng = np.random.default_rng(6)
    table = rng.normal(0.2, 1.0, (40, 5))
    assert statistics.sign_flips(table) == pytest.approx([statistics.sign_flip(column) for column in table.T])
    table[12:, 1], table[1:, 2], table[:7, 3], table[:, 4] = math.nan, math.nan, math.nan, 0.0
    found = statistics.sign_flips(table)
    assert found[1] == statistics.sign_flip(table[:12, 1]) and math.isnan(found[2]) and found[4] == 1
    assert found[3] == pytest.approx(statistics.sign_flip(table[7:, 3]), abs=0.015)
    assert statistics.sign_flips(np.ones((30, 1)), draws=19_999) == 1 / 20_000
    thirds = np.array([[1 / 3], [-1 / 3], [2 / 3], [-2 / 3]] * 5)
    assert statistics.sign_flips(thirds) == 1
    with pytest.raises(ValueError, match="units x tests"):
        statistics.sign_flips([1.0, 2.0])


def test_blocks_of_flips_change_no_p(monkeypatch):
    table = np.random.default_rng(7).normal(0.1, 1.0, (33, 3))
    whole = statistics.sign_flips(table)
    monkeypatch.setattr("openiir.kit.statistics.signflip.BLOCK", 33 * 70)
    assert (statistics.sign_flips(table) == whole).all()
