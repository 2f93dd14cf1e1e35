"""Gini, Atkinson, Theil and entropy against published values and their laws."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openiir.kit.measures import atkinson, entropy, gini, hill_number, palma, theil, theil_between

laws = settings(derandomize=True, deadline=None, max_examples=60, database=None)
amounts = st.lists(st.integers(0, 50), min_size=1, max_size=12).filter(any)


class TestGini:
    def test_golden_values(self):
        assert gini([0, 0, 0, 1]) == pytest.approx(0.75, abs=1e-15)
        assert gini([1, 2, 3, 4]) == pytest.approx(0.25, abs=1e-15)

    @laws
    @given(amounts)
    def test_it_is_half_the_relative_mean_difference(self, x):
        plain = np.mean([abs(a - b) for a, b in product(x, x)]) / (2 * np.mean(x))
        assert gini(x) == pytest.approx(plain, abs=1e-12)

    @laws
    @given(amounts, st.integers(2, 5))
    def test_neither_unit_nor_copies_of_the_population_matter(self, x, k):
        assert gini([v * k for v in x]) == pytest.approx(gini(x), abs=1e-12)
        assert gini(x * k) == pytest.approx(gini(x), abs=1e-12)


class TestAtkinson:
    def test_golden_values(self):
        assert atkinson([1, 2, 3, 4], 0.5) == pytest.approx(0.05558585736954513, abs=1e-14)
        assert atkinson([1, 2, 3, 4], 1) == pytest.approx(0.11465446423974279, abs=1e-14)

    @laws
    @given(amounts, st.sampled_from([0.3, 0.5, 1, 2]))
    def test_it_is_what_equal_shares_would_spare(self, x, aversion):
        def welfare(y):
            if aversion == 1:
                return math.prod(y) ** (1 / len(y))
            return sum(v ** (1 - aversion) for v in y) if min(y) > 0 or aversion < 1 else 0.0

        found = atkinson(x, aversion)
        assert -1e-12 <= found <= 1
        if min(x) == 0 and aversion >= 1:
            assert found == 1
        else:
            equal = np.mean(x) * (1 - found)
            assert welfare([equal] * len(x)) == pytest.approx(welfare(x), rel=1e-9)

    @laws
    @given(amounts, st.integers(2, 5))
    def test_neither_unit_nor_copies_of_the_population_matter(self, x, k):
        for measure in (atkinson, theil):
            assert measure([v * k for v in x]) == pytest.approx(measure(x), abs=1e-12)
            assert measure(x * k) == pytest.approx(measure(x), abs=1e-12)

    def test_what_has_no_value_says_why(self):
        assert atkinson.measure([1, 2], 0).reason == "the aversion to inequality is above 0, got 0"
        assert atkinson.measure([0, 0]).reason == "all counts are 0"


class TestTheil:
    def test_golden_value_and_ends(self):
        assert theil([1, 2, 3, 4]) == pytest.approx(0.10644013528622318, abs=1e-14)
        assert theil([5, 5, 5]) == pytest.approx(0, abs=1e-15)
        assert theil([0, 0, 7, 0]) == pytest.approx(math.log(4))

    @laws
    @given(amounts)
    def test_it_is_the_entropy_that_equal_shares_have_more(self, x):
        assert theil(x) == pytest.approx(math.log(len(x)) - entropy(x), abs=1e-12)


class TestEntropy:
    def test_even_is_the_logarithm_and_one_alone_is_none(self):
        assert entropy([3, 3, 3, 3]) == pytest.approx(math.log(4))
        assert entropy([3, 3, 3, 3], normalised=True) == pytest.approx(1.0)
        assert entropy([9, 0]) == 0.0
        assert math.copysign(1, entropy([9])) == 1.0

    @laws
    @given(amounts)
    def test_it_is_that_of_scipy(self, x):
        from scipy import stats

        assert entropy(x) == pytest.approx(stats.entropy(x), abs=1e-12)

    def test_an_empty_category_counts_for_the_norm(self):
        assert entropy([1, 1, 0], normalised=True) == pytest.approx(math.log(2) / math.log(3))


class TestHillNumber:
    @laws
    @given(amounts)
    def test_it_is_the_power_mean_of_rarities_weighted_by_shares(self, x):
        """Hill 1973: D of order q is the mean of 1 / share to the power 1 - q, weighted by shares."""
        shares = [one / sum(x) for one in x if one]
        assert hill_number(x, 0) == pytest.approx(len(shares), rel=1e-12)
        assert hill_number(x) == pytest.approx(math.exp(entropy(x)), rel=1e-12)
        for order in (0.5, 2, 3):
            plain = math.fsum(p * (1 / p) ** (1 - order) for p in shares) ** (1 / (1 - order))
            assert hill_number(x, order) == pytest.approx(plain, rel=1e-9)
        assert hill_number(x, 1 + 1e-7) == pytest.approx(hill_number(x), rel=1e-5)

    def test_types_of_equal_counts_count_as_they_are(self):
        for order in (0, 0.5, 1, 2, 7):
            assert hill_number([3, 3, 0, 3, 3], order) == pytest.approx(4)

    def test_nobody_has_no_diversity(self):
        assert math.isnan(hill_number([0, 0])) and "all counts are 0" in hill_number.measure([0, 0]).reason


class TestPalma:
    def test_it_is_the_top_tenth_to_the_bottom_four(self):
        assert palma(range(1, 11)) == pytest.approx(10 / (1 + 2 + 3 + 4))
        assert palma([5] * 20) == pytest.approx(0.25)

    def test_one_who_lies_across_a_border_is_divided(self):
        assert palma([1, 2, 3, 4, 5]) == pytest.approx((5 / 2) / (1 + 2))

    @laws
    @given(amounts.filter(lambda x: min(x) > 0), st.integers(2, 5))
    def test_neither_unit_nor_copies_of_the_population_matter(self, x, k):
        assert palma([v * k for v in x]) == pytest.approx(palma(x))
        assert palma(x * k) == pytest.approx(palma(x))


class TestTheilBetween:
    @laws
    @given(
        st.lists(st.tuples(st.integers(0, 50), st.sampled_from("abc")), min_size=1).filter(
            lambda x: any(v for v, _ in x)
        )
    )
    def test_between_and_within_add_up(self, pairs):
        """Within: each group's own T, weighted by its share of the whole (Theil 1967)."""
        x, groups = zip(*pairs, strict=True)
        within = 0.0
        for group in set(groups):
            own = [v for v, g in pairs if g == group]
            within += sum(own) / sum(x) * theil(own) if any(own) else 0.0
        assert theil_between(x, groups) + within == pytest.approx(theil(x), abs=1e-12)

    def test_one_group_has_nothing_between(self):
        assert theil_between([1, 2, 9], ["a"] * 3) == 0
