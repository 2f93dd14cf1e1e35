"""What a null keeps is kept, and every arrangement comes up."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from scipy.stats import chisquare

from openiir.core.seeds import Draw
from openiir.kit.statistics.nulls import curveball, permute_within


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

    def test_nothing(self):
        assert permute_within([], Draw(1, "null")).size == 0


class TestCurveball:
    def test_row_and_column_sums_are_kept(self):
        uses = Draw(2, "uses").uniform(item=np.arange(600)).reshape(20, 30) < np.linspace(0.05, 0.9, 30)
        drawn = curveball(uses, Draw(1, "null"))
        assert (drawn.sum(axis=0) == uses.sum(axis=0)).all()
        assert (drawn.sum(axis=1) == uses.sum(axis=1)).all()
        assert (drawn != uses).mean() > 0.1

    def test_all_matrices_of_the_same_sums_are_as_likely(self):
        """3 x 3 with one use a row and a column: the six permutation matrices."""
        seen = Counter(
            tuple(curveball(np.eye(3), Draw(seed, "null"), 30).argmax(axis=1).tolist()) for seed in range(600)
        )
        assert set(seen) == set(permutations(range(3)))
        assert chisquare(list(seen.values())).pvalue > 0.001

    @pytest.mark.parametrize("uses", [np.ones((4, 3)), np.zeros((4, 3)), np.ones((1, 3)), np.zeros((0, 3))])
    def test_what_cannot_change_does_not(self, uses):
        assert (curveball(uses, Draw(1, "null")) == uses.astype(bool)).all()

    def test_the_matrix_given_stays(self):
        uses = np.eye(6, dtype=bool)
        curveball(uses, Draw(1, "null"))
        assert (uses == np.eye(6, dtype=bool)).all()
