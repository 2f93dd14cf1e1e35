"""Convergence, disagreement and polarisation against published values, identities and plain loops."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openiir.core.seeds import Draw
from openiir.kit.measures import (
    agreement,
    bimodality,
    disagreement,
    esteban_ray,
    mean_pairwise_distance,
    polarisation,
    r_wg,
    variance_ratio,
)
from openiir.scenarios.panel.model.beliefs.classic import friedkin_johnsen_limit

laws = settings(derandomize=True, deadline=None, max_examples=60, database=None)
stances = st.lists(st.floats(-1, 1), min_size=2, max_size=12)
frequencies = st.lists(st.integers(0, 30), min_size=3, max_size=9).filter(any)


class TestVarianceAndDistance:
    @laws
    @given(stances.filter(lambda x: np.ptp(x) > 1e-3), st.floats(0, 1))
    def test_shrinking_by_a_factor_shrinks_the_variance_by_its_square(self, x, factor):
        assert variance_ratio(np.array(x) * factor, x) == pytest.approx(factor**2, abs=1e-9)

    @laws
    @given(stances)
    def test_pairwise_distance_is_the_plain_mean_over_pairs(self, x):
        plain = np.mean([abs(a - b) for a, b in combinations(x, 2)])
        assert mean_pairwise_distance(x) == pytest.approx(plain, abs=1e-12)


class TestRwg:
    def test_by_hand(self):
        assert r_wg([3, 3, 3], 5) == 1.0
        assert r_wg([2, 3, 4], 5) == pytest.approx(0.5)

    def test_two_poles_count_as_no_agreement(self):
        assert r_wg([1, 1, 5, 5], 5) == 0.0


def by_triples(pattern):
    """Van der Eijk's agreement of a 0/1 pattern from its triples, counted one by one."""
    k, full = len(pattern), sum(pattern)
    if full == 1:
        return 1.0
    triples = [(pattern[a], pattern[b], pattern[c]) for a, b, c in combinations(range(k), 3)]
    agree, split = triples.count((1, 1, 0)) + triples.count((0, 1, 1)), triples.count((1, 0, 1))
    if agree + split == 0:
        return 0.0
    return ((k - 2) * agree - (k - 1) * split) / ((k - 2) * (agree + split)) * (1 - (full - 1) / (k - 1))


class TestAgreement:
    @pytest.mark.parametrize(
        ("counted", "expected"), [([0, 0, 10, 0, 0], 1.0), ([2, 2, 2, 2, 2], 0.0), ([5, 0, 0, 0, 5], -1.0)]
    )
    def test_golden_values(self, counted, expected):
        assert agreement(counted) == pytest.approx(expected, abs=1e-12)

    @laws
    @given(frequencies)
    def test_layers_of_one_are_the_layers_of_the_definition(self, counted):
        left, total = list(counted), 0.0
        for _ in range(max(counted)):
            pattern = [int(c > 0) for c in left]
            total += sum(pattern) / sum(counted) * by_triples(pattern)
            left = [max(c - 1, 0) for c in left]
        assert agreement(counted) == pytest.approx(total, abs=1e-12)

    @laws
    @given(frequencies, st.integers(2, 9))
    def test_neither_size_nor_direction_matters(self, counted, times):
        expected = agreement(counted)
        assert agreement(counted[::-1]) == pytest.approx(expected, abs=1e-12)
        assert agreement([c * times for c in counted]) == pytest.approx(expected, abs=1e-12)
        assert agreement(np.array(counted) / sum(counted)) == pytest.approx(expected, abs=1e-9)
        assert -1 - 1e-12 <= expected <= 1 + 1e-12


class TestEstebanRay:
    def test_golden_values(self):
        assert esteban_ray([0.5, 0.5], [-1, 1]) == pytest.approx(0.32987697769322355, abs=1e-12)
        assert esteban_ray([1] * 5, np.linspace(-1, 1, 5)) == pytest.approx(0.06091692603890811, abs=1e-12)
        assert esteban_ray([0, 7, 0], [-1, 0, 1]) == 0.0

    @laws
    @given(st.lists(st.floats(0.01, 1), min_size=2, max_size=6))
    def test_two_equal_poles_are_the_most_polarised(self, masses):
        positions = np.linspace(-1, 1, len(masses))
        assert esteban_ray(masses, positions) <= esteban_ray([1, 1], [-1, 1]) + 1e-12


class TestBimodality:
    def test_the_three_shapes(self):
        draw = Draw(1, "shape")
        assert bimodality(np.linspace(-1, 1, 10_001)) == pytest.approx(0.555, abs=1e-3)
        assert bimodality(draw.normal(agent=np.arange(40_000))) == pytest.approx(0.332, abs=0.01)
        assert bimodality([-1, 1] * 500) == pytest.approx(0.995, abs=1e-3)

    @laws
    @given(st.lists(st.integers(-20, 20), min_size=4, max_size=30).filter(lambda x: len(set(x)) > 1))
    def test_moments_are_those_of_scipy(self, x):
        from scipy import stats

        n = len(x)
        g, k = stats.skew(x, bias=False), stats.kurtosis(x, bias=False)
        expected = (g**2 + 1) / (k + 3 * (n - 1) ** 2 / ((n - 2) * (n - 3)))
        assert bimodality(x) == pytest.approx(expected, rel=1e-9)

    @laws
    @given(st.lists(st.integers(-9, 9), min_size=4, max_size=20).filter(lambda x: len(set(x)) > 1))
    def test_neither_place_nor_unit_matters(self, x):
        assert bimodality(np.array(x) * -3.0 + 40) == pytest.approx(bimodality(x), rel=1e-9)


class TestPolarisationAndDisagreement:
    @pytest.mark.parametrize("seed", range(8))
    def test_their_sum_is_the_quadratic_form_of_the_innate_opinions(self, seed):
        """Musco, Musco & Tsourakakis (WWW 2018): P + D = s' (I + L)^-1 s, with s centred."""
        n, draw = 12, Draw(seed, "graph")
        pairs = draw.uniform(agent=np.arange(n)[:, None], item=np.arange(n))
        weights = np.triu(np.where(pairs < 0.4, pairs, 0.0), 1)
        weights, innate = weights + weights.T, draw.uniform(agent=np.arange(n), step=1) * 2 - 1
        degree = weights.sum(axis=1)
        resting = friedkin_johnsen_limit(weights, innate, degree / (1 + degree))
        centred = innate - innate.mean()
        form = centred @ np.linalg.solve(np.eye(n) + np.diag(degree) - weights, centred)
        assert abs(polarisation(resting) + disagreement(resting, weights) - form) < 1e-12

    def test_each_edge_counts_once(self):
        assert disagreement([0.0, 1.0, 1.0], [[0, 2, 0], [2, 0, 5], [0, 5, 0]]) == 2.0
        assert polarisation([-1.0, 1.0]) == 2.0
