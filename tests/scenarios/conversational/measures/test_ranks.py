import math

import numpy as np
import pytest

from openiir.scenarios.conversational.measures.judges import spearman


def by_hand(a, b):
    """Pearson's correlation of mean ranks, counted pair by pair."""
    ranks = [[1 + sum(y < x for y in v) + (sum(y == x for y in v) - 1) / 2 for x in v] for v in (a, b)]
    return np.corrcoef(*ranks)[0, 1]


def test_ties_share_their_rank():
    rng = np.random.default_rng(0)
    for _ in range(20):
        a, b = rng.integers(0, 4, 12), rng.integers(0, 5, 12)
        found = spearman(a, b, draws=50)
        assert found.value == pytest.approx(by_hand(a, b)) and found.low <= found.high


def test_pairs_without_a_value_are_left_out():
    assert spearman([1, 2, 3, math.nan], [1, 4, 9, 2], draws=50).value == pytest.approx(1)
    assert spearman([1, 2, 3], [3, 2, 1], draws=50).value == pytest.approx(-1)


def test_what_has_no_order_has_no_correlation():
    assert "same for all" in spearman([1, 1, 1], [1, 2, 3]).reason
    assert "at least 3" in spearman([1, 2], [1, 2]).reason
    with pytest.raises(ValueError, match="units"):
        spearman([1], [1, 2])
