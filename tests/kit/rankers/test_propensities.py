"""Propensities of the epsilon-shuffle against a count over all permutations."""

from collections import Counter
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from openiir.kit.rankers.propensities import in_slate, item_position, prefix

SIZES = [(3, 1), (4, 2), (5, 3), (4, 4)]
EPSILONS = [Fraction(0), Fraction(3, 10), Fraction(1)]


def served(top, length, epsilon):
    """P(slate) of every slate of ranks, by serving each permutation that the shuffle could draw."""
    chance = Counter({tuple(range(1, length + 1)): 1 - epsilon})
    orders = list(permutations(range(1, top + 1)))
    for order in orders:
        chance[order[:length]] += epsilon / len(orders)
    return chance


def everything(top, length):
    return np.array(list(permutations(range(1, top + 1), length)))


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize(("top", "length"), SIZES)
class TestAgainstAllPermutations:
    def test_slates(self, top, length, epsilon):
        chance, ranks = served(top, length, epsilon), everything(top, length)
        expected = [float(chance[tuple(row)]) for row in ranks]
        found = prefix(ranks, top, float(epsilon))[..., -1]
        assert found == pytest.approx(expected, abs=1e-15)
        assert found.sum() == pytest.approx(1)

    def test_prefixes(self, top, length, epsilon):
        chance, ranks = served(top, length, epsilon), everything(top, length)
        found = prefix(ranks, top, float(epsilon))
        for row, ps in zip(ranks, found, strict=True):
            for r in range(1, length + 1):
                expected = sum(p for slate, p in chance.items() if slate[:r] == tuple(row[:r]))
                assert ps[r - 1] == pytest.approx(float(expected), abs=1e-15)

    def test_items_at_positions_and_anywhere(self, top, length, epsilon):
        chance = served(top, length, epsilon)
        for rank in range(1, top + 1):
            anywhere = sum(p for slate, p in chance.items() if rank in slate)
            found = in_slate(rank, length, top, float(epsilon))
            assert found == pytest.approx(float(anywhere), abs=1e-15)
            for position in range(1, length + 1):
                expected = sum(p for slate, p in chance.items() if slate[position - 1] == rank)
                found = item_position(rank, position, top, float(epsilon))
                assert found == pytest.approx(float(expected), abs=1e-15)


def test_items_that_were_not_shuffled_have_no_chance():
    assert item_position([0, 5], 1, 4, 0.5) == pytest.approx([0, 0])
    assert in_slate([0, 5], 2, 4, 0.5) == pytest.approx([0, 0])
    assert prefix([[1, 5], [5, 1], [0, 1]], 4, 0.5) == pytest.approx(np.array([[0.625, 0], [0, 0], [0, 0]]))


def test_each_slate_may_have_its_own_shuffle():
    ranks, top, epsilon = np.array([[1, 2], [2, 3], [1, 3]]), np.array([4, 3, 6]), np.array([0.2, 0.5, 1.0])
    together = prefix(ranks, top, epsilon)
    at = item_position(ranks, [1, 2], top[:, None], epsilon[:, None])
    for n in range(3):
        assert together[n] == pytest.approx(prefix(ranks[n], top[n], epsilon[n]))
        assert at[n] == pytest.approx(item_position(ranks[n], [1, 2], top[n], epsilon[n]))


@pytest.mark.parametrize("epsilon", [-0.1, 1.5, float("nan")])
def test_epsilon_is_a_probability(epsilon):
    with pytest.raises(ValueError, match="epsilon is a probability"):
        item_position(1, 1, 5, epsilon)


def test_what_cannot_be_shuffled_is_refused():
    with pytest.raises(ValueError, match="a slate of 3 cannot be drawn from 2 items"):
        prefix([[1, 2, 3]], 2, 0.5)
    with pytest.raises(ValueError, match="at least 1 item is shuffled, got 0"):
        item_position(1, 1, 0, 0.5)
