"""Exposure by topic, its divergence from the catalogue, and regret to the oracle."""

import math

import numpy as np
import pytest
from scipy.spatial import distance
from scipy.stats import entropy as scipys

from openiir.kit.measures import Average, entropy, jensen_shannon, kl, row_shares, user_entropies

COUNTS = np.random.default_rng(6).integers(0, 9, (40, 6))


def test_shares_sum_to_1_and_are_missing_where_nothing_is():
    found = row_shares([[1, 3], [0, 0]])
    assert found[0].tolist() == [0.25, 0.75] and np.isnan(found[1]).all()
    assert row_shares([2, 2, 4]).tolist() == [0.25, 0.25, 0.5]


class TestEntropies:
    def test_each_user_is_that_of_the_measure(self):
        expected = [entropy(row, normalised=True) for row in COUNTS]
        assert user_entropies(COUNTS) == pytest.approx(expected, abs=1e-14)

    def test_pooling_hides_bubbles(self):
        bubbles = np.eye(4) * 10
        assert Average.of(user_entropies(bubbles)).measure("").value == 0.0
        assert entropy(bubbles.sum(axis=0), normalised=True) == pytest.approx(1)

    def test_users_who_saw_nothing_are_dropped_and_counted(self):
        assert Average.of(user_entropies([[1, 1], [0, 0], [2, 0]])) == (1.0, 2, 1)

    def test_one_topic_has_no_entropy(self):
        assert np.isnan(user_entropies([[3], [4]])).all()
        assert entropy.measure([7], normalised=True).reason == "1 categories; at least 2 are needed"


class TestDivergence:
    def test_they_are_those_of_scipy(self):
        for p, q in zip(COUNTS, COUNTS[1:] + 1, strict=False):
            assert kl(p, q) == pytest.approx(scipys(p, q), abs=1e-13)
            assert jensen_shannon(p, q) == pytest.approx(distance.jensenshannon(p, q) ** 2, abs=1e-13)

    def test_their_ends(self):
        assert kl([1, 2], [2, 4]) == 0.0
        assert jensen_shannon([1, 0], [0, 5]) == pytest.approx(math.log(2))
        assert jensen_shannon([1, 2], [10, 20]) == pytest.approx(0, abs=1e-16)
        assert jensen_shannon([3], [7]) == kl([3], [7]) == 0.0, "with one topic there is nothing to differ in"

    def test_exposure_outside_the_catalogue_has_no_kl(self):
        assert (
            kl.measure([1, 1], [2, 0]).reason
            == "there was exposure to topics that the catalogue does not hold"
        )
        assert kl([1, 0], [1, 1]) == pytest.approx(math.log(2))
        assert kl.measure([1, 1], [1, 1, 1]).reason == "2 topics against 3"
        assert kl.measure([0, 0], [1, 1]).reason == "all counts are 0"
