"""Kendall's tau-b of many rows against scipy, row by row, and of two measures of the same systems."""

import numpy as np
import pytest
from scipy.stats import kendalltau

from openiir.kit.measures import Average, kendall_tau
from openiir.kit.statistics import order as module
from openiir.kit.statistics import order_agreement


@pytest.mark.parametrize("levels", [2, 4, 1_000])
@pytest.mark.parametrize("m", [2, 3, 17, 60])
def test_each_row_is_scipys(levels, m):
    rng = np.random.default_rng(m * levels)
    x, y = rng.integers(0, levels, (25, m)) / 7, rng.integers(0, levels, (25, m)) - 3.5
    expected = [kendalltau(a, b).statistic for a, b in zip(x, y, strict=True)]
    assert kendall_tau(x, y) == pytest.approx(expected, abs=1e-13, nan_ok=True)


def test_one_row_may_serve_for_all():
    x, y = np.random.default_rng(1).random((6, 9)), np.arange(9)
    assert kendall_tau(x, y) == pytest.approx([kendalltau(a, y).statistic for a in x], abs=1e-13)
    assert kendall_tau(y, y) == pytest.approx([1.0])
    assert kendall_tau(y, -y) == pytest.approx([-1.0])


def test_rows_without_an_order_are_dropped_and_counted():
    x = np.array([[1, 2, 3], [5, 5, 5], [1, 2, np.nan], [3, 2, 1]])
    found = kendall_tau(x, [1, 2, 3])
    assert np.isnan(found).tolist() == [False, True, True, False]
    average = Average.of(found)
    assert (average.counted, average.dropped) == (2, 2)
    assert average.measure("no user has an order").value == 0.0
    none = Average.of(kendall_tau(np.ones((4, 3)), [1, 2, 3])).measure("all scores are tied")
    assert np.isnan(none.value) and none.reason == "all scores are tied"


def test_too_few_items_have_no_order():
    assert np.isnan(kendall_tau(np.ones((3, 1)), np.ones(1))).all()
    assert kendall_tau(np.empty((0, 5)), np.arange(5)).shape == (0,)


def test_block_size_does_not_matter(monkeypatch):
    rng = np.random.default_rng(2)
    x, y = rng.integers(0, 9, (40, 12)), rng.integers(0, 9, (40, 12))
    whole = kendall_tau(x, y)
    monkeypatch.setattr(module, "_CELLS", 1)
    assert np.array_equal(kendall_tau(x, y), whole)


def test_orders_agree_as_kendall_says():
    a = np.array([0.1, 0.4, 0.4, 0.9, 0.7, 0.2])
    b = np.array([0.2, 0.3, 0.5, 0.9, 0.9, 0.1])
    found = order_agreement(a, b)
    assert found.value == pytest.approx(kendalltau(a, b).statistic)
    assert found.low <= found.value <= found.high
    assert order_agreement(a, a).value == pytest.approx(1.0)
    assert "ties all" in order_agreement(a, np.ones(6)).reason
    assert "at least 2" in order_agreement([1.0], [2.0]).reason
