"""The measures of a Delphi against published values and other programs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openiir.kit.measures import coefficient_of_variation, iqr, kendalls_w, percent_agreement
from openiir.kit.measures.consensus import QUANTILES

laws = settings(derandomize=True, deadline=None, max_examples=60, database=None)


def tables(low, high):
    row = st.lists(st.integers(low, high), min_size=4, max_size=4)
    return st.lists(row, min_size=3, max_size=7)


class TestIqr:
    @pytest.mark.parametrize(("method", "expected"), [("linear", 2.5), ("hazen", 3.0), ("weibull", 3.75)])
    def test_golden_values(self, method, expected):
        assert iqr([1, 2, 3, 4, 5, 7], method) == pytest.approx(expected, abs=1e-12)

    @pytest.mark.parametrize("method", QUANTILES)
    def test_every_method_has_a_value_that_scales(self, method):
        x = np.array([1.0, 2, 3, 4, 5, 7])
        assert iqr(3 * x + 1, method) == pytest.approx(3 * iqr(x, method))


class TestPercentAgreement:
    def test_within_a_range_and_on_the_commonest(self):
        ratings = [1, 4, 4, 5, 3, 4, 5, 5]
        assert percent_agreement(ratings, low=4) == 0.75
        assert percent_agreement(ratings, high=1) == 0.125
        assert percent_agreement(ratings, 3, 4) == 0.5
        assert percent_agreement(ratings) == 0.375


class TestVariation:
    def test_it_is_scale_free_and_by_hand(self):
        assert coefficient_of_variation([2, 4, 6]) == pytest.approx(0.5)
        assert coefficient_of_variation([-20, -40, -60]) == pytest.approx(0.5)


class TestKendallsW:
    FIXTURE = ((1, 6, 3, 2, 5, 4), (1, 5, 6, 2, 4, 3), (6, 3, 2, 5, 4, 1))

    def test_golden_value(self):
        assert kendalls_w(self.FIXTURE) == pytest.approx(0.21269841269841266, abs=1e-14)

    @laws
    @given(tables(1, 4).filter(lambda t: any(len(set(row)) > 1 for row in t)))
    def test_it_is_friedmans_statistic_with_ties(self, table):
        from scipy.stats import friedmanchisquare

        m, n = np.shape(table)
        expected = friedmanchisquare(*np.transpose(table)).statistic / (m * (n - 1))
        assert kendalls_w(table) == pytest.approx(expected, abs=1e-9)

    @laws
    @given(tables(0, 99).filter(lambda t: any(len(set(row)) > 1 for row in t)))
    def test_only_each_raters_order_counts(self, table):
        bent = [[value**3 + 7 * i for value in row] for i, row in enumerate(table)]
        assert kendalls_w(bent) == pytest.approx(kendalls_w(table), abs=1e-12)
        assert -1e-12 <= kendalls_w(table) <= 1 + 1e-12

    def test_one_order_is_one_and_opposite_orders_are_none(self):
        assert kendalls_w([[1, 2, 3, 4]] * 3) == 1.0
        assert kendalls_w([[1, 2, 3, 4], [4, 3, 2, 1]]) == 0.0
