"""What a null keeps is kept, and every arrangement comes up."""

from collections import Counter
from itertools import permutations, product

import numpy as np
import pytest
from scipy.stats import chisquare

from openiir.core.seeds import Draw
from openiir.kit.statistics.nulls import TRADES, curveball, permute_within


class TestPermuteWithin:
    def test_strata_are_kept(self):
        strata = np.array(list("abcabcabcaab"))
        places = permute_within(strata, Draw(1, "null"))
        assert sorted(places) == list(range(12))
        assert (strata[places] == strata).all()

    def test_all_arrangements_of_a_stratum_are_as_likely(self):
        seen = Counter(
            tuple(permute_within([0, 1, 0, 0], Draw(seed, "null")).tolist()) for seed in range(1_200)
        )
        assert set(seen) == {(a, 1, b, c) for a, b, c in permutations((0, 2, 3))}
        assert chisquare(list(seen.values())).pvalue > 0.001

    def test_several_permutations_are_those_of_their_draws(self):
        strata = np.array(list("abcabcabcaab"))
        several = permute_within(strata, Draw(1, "null"), 3)
        for number, places in enumerate(several):
            assert (places == permute_within(strata, Draw(1, "null", agent=number))).all()
        assert len({tuple(places) for places in several.tolist()}) == 3

    def test_nothing(self):
        assert permute_within([], Draw(1, "null")).size == 0


class TestCurveball:
    def test_row_and_column_sums_are_kept(self):
        uses = Draw(2, "uses").uniform(item=np.arange(600)).reshape(20, 30) < np.linspace(0.05, 0.9, 30)
        drawn = curveball(uses, Draw(1, "null"), 3)
        assert drawn.shape == (3, 20, 30)
        assert (drawn.sum(axis=1) == uses.sum(axis=0)).all()
        assert (drawn.sum(axis=2) == uses.sum(axis=1)).all()
        assert ((drawn != uses).mean(axis=(1, 2)) > 0.1).all()
        assert (drawn[0] != drawn[1]).any()

    def test_column_sums_are_kept_in_each_stratum(self):
        uses = Draw(2, "uses").uniform(item=np.arange(210)).reshape(21, 10) < 0.4
        strata = np.array(list("abcba" * 4 + "d"))
        for drawn in curveball(uses, Draw(1, "null"), 4, strata):
            assert (drawn.sum(axis=1) == uses.sum(axis=1)).all()
            for stratum in "abcd":
                assert (drawn[strata == stratum].sum(axis=0) == uses[strata == stratum].sum(axis=0)).all()
            assert (drawn[-1] == uses[-1]).all(), "nobody to trade with"
            assert (drawn != uses).any()

    @pytest.mark.parametrize("trades", [TRADES, 3 * TRADES])
    def test_all_matrices_of_the_same_sums_are_as_likely(self, trades):
        """Three agents and sources with one use each: the six permutation matrices; and a larger family."""
        drawn = curveball(np.eye(3), Draw(5, "null"), 1_200, trades=trades)
        seen = Counter(map(tuple, drawn.argmax(axis=2).tolist()))
        assert set(seen) == set(permutations(range(3)))
        assert chisquare(list(seen.values())).pvalue > 0.001
        uses = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [0, 0, 1, 1]], dtype=bool)
        family = [
            matrix
            for cells in product((False, True), repeat=12)
            if ((matrix := np.reshape(cells, (3, 4))).sum(axis=0) == uses.sum(axis=0)).all()
            and (matrix.sum(axis=1) == uses.sum(axis=1)).all()
        ]
        seen = Counter(one.tobytes() for one in curveball(uses, Draw(7, "null"), 2_000, trades=trades))
        assert set(seen) == {matrix.tobytes() for matrix in family}
        assert chisquare(list(seen.values())).pvalue > 0.001

    @pytest.mark.parametrize("uses", [np.ones((4, 3)), np.zeros((4, 3)), np.ones((1, 3)), np.zeros((0, 3))])
    def test_what_cannot_change_does_not(self, uses):
        assert (curveball(uses, Draw(1, "null")) == uses.astype(bool)).all()

    def test_the_matrix_given_stays_and_a_sample_does_not_depend_on_how_many_there_are(self):
        uses = np.eye(6, dtype=bool)
        few, many = (curveball(uses, Draw(1, "null"), samples) for samples in (2, 5))
        assert (uses == np.eye(6, dtype=bool)).all()
        assert (few == many[:2]).all() and (curveball(uses, Draw(1, "null")) == many[0]).all()
