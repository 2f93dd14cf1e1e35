import math

import numpy as np
import pytest

from openiir.scenarios.conversational.measures.judges import rank_correlations


def by_hand(a, b):
    """Pearson's correlation of mean ranks, counted pair by pair."""
    ranks = [[1 + sum(y < x for y in v) + (sum(y == x for y in v) - 1) / 2 for x in v] for v in (a, b)]
    return np.corrcoef(*ranks)[0, 1]


def test_ties_share_their_rank():
    rng = np.random.default_rng(0)
    for _ in range(20):
        a, b = rng.integers(0, 4, 12), rng.integers(0, 5, 12)
        assert rank_correlations(a[None, :], b[None, :]) == pytest.approx(by_hand(a, b))


def test_what_has_no_order_has_no_correlation():
    rows = np.array([[1.0, 1, 1], [1, 2, 3], [1, 2, 3]]), np.array([[1.0, 2, 3], [3, 2, 1], [1, 4, 9]])
    found = rank_correlations(*rows)
    assert math.isnan(found[0]) and found[1:] == pytest.approx([-1, 1])
