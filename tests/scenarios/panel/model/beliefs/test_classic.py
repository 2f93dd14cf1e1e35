"""The classic models against closed forms, conserved quantities and the published numbers of clusters."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openiir.core.seeds import Draw
from openiir.scenarios.panel.model.beliefs.classic import (
    clusters,
    deffuant,
    degroot,
    degroot_weights,
    friedkin_johnsen,
    friedkin_johnsen_limit,
    hegselmann_krause,
    row_stochastic,
)

laws = settings(derandomize=True, deadline=None, max_examples=40, database=None)
unit = st.floats(0, 1)
opinions = st.lists(unit, min_size=2, max_size=12).map(np.array)

THREE = [[0.6, 0.4, 0], [0.2, 0.5, 0.3], [0, 0.3, 0.7]]


def random_panel(seed, n=9):
    draw = Draw(seed, "panel")
    weights = draw.uniform(agent=np.arange(n)[:, None], item=np.arange(n))
    return weights, draw.uniform(agent=np.arange(n), step=1) * 2 - 1, draw.uniform(agent=np.arange(n), step=2)


class TestDeGroot:
    def test_social_influence_of_the_three(self):
        assert degroot_weights(THREE) == pytest.approx([0.2, 0.4, 0.4], abs=1e-12)

    @pytest.mark.parametrize("seed", range(5))
    def test_many_rounds_end_at_the_weighted_mean(self, seed):
        weights, x, _ = random_panel(seed)
        consensus = float(degroot_weights(weights) @ x)
        assert degroot(weights, x, 200) == pytest.approx(np.full(len(x), consensus), abs=1e-12)

    @pytest.mark.parametrize("seed", range(5))
    def test_rounds_are_powers_of_the_matrix(self, seed):
        weights, x, _ = random_panel(seed)
        power = np.linalg.matrix_power(weights / weights.sum(axis=1, keepdims=True), 7)
        assert degroot(weights, x, 7) == pytest.approx(power @ x, abs=1e-12)

    @pytest.mark.parametrize("weights", [np.eye(2), [[0, 1], [1, 0]], [[1, 1, 0], [1, 1, 0], [0, 0, 1]]])
    def test_no_common_limit_is_said(self, weights):
        with pytest.raises(ValueError, match="no common limit"):
            degroot_weights(weights)

    def test_who_hears_nobody_keeps_their_opinion(self):
        assert degroot([[0, 0], [1, 1]], [0.8, 0.2], 3)[0] == 0.8

    @pytest.mark.parametrize("weights", [[[1, 2, 3]], [[1, -1], [1, 1]], [[1, np.nan], [1, 1]]])
    def test_weights_that_are_none_are_refused(self, weights):
        with pytest.raises(ValueError, match="weights are"):
            row_stochastic(weights)


class TestFriedkinJohnsen:
    @pytest.mark.parametrize("seed", range(8))
    def test_iteration_reaches_the_closed_form(self, seed):
        weights, x0, susceptibility = random_panel(seed)
        susceptibility = 0.95 * susceptibility
        resting = friedkin_johnsen_limit(weights, x0, susceptibility)
        assert np.abs(friedkin_johnsen(weights, x0, susceptibility, 800) - resting).max() < 1e-12

    def test_the_ends_of_susceptibility(self):
        weights, x0, _ = random_panel(1)
        assert friedkin_johnsen(weights, x0, 0.0, 5).tolist() == x0.tolist()
        assert friedkin_johnsen(weights, x0, 1.0, 5).tolist() == degroot(weights, x0, 5).tolist()

    def test_it_goes_on_from_where_it_stood(self):
        weights, x0, share = random_panel(2)
        halfway = friedkin_johnsen(weights, x0, share, 3)
        onwards = friedkin_johnsen(weights, x0, share, 4, x=halfway)
        assert onwards.tolist() == friedkin_johnsen(weights, x0, share, 7).tolist()

    def test_stubborn_members_keep_the_panel_from_consensus(self):
        weights, x0, _ = random_panel(3)
        assert np.ptp(friedkin_johnsen(weights, x0, 0.6, 500)) > 0.05


def start(seed, n=400):
    return Draw(seed, "start").uniform(agent=np.arange(n))


def meet(x, epsilon, seed=0, mu=0.5, rounds=100):
    return deffuant(x, epsilon, mu, rounds * len(x), Draw(seed, "meet"))


class TestDeffuant:
    @laws
    @given(opinions, unit, st.floats(0, 0.5), st.integers(0, 99))
    def test_the_mean_is_kept_and_the_range_never_grows(self, x, epsilon, mu, seed):
        after = meet(x, epsilon, seed, mu, rounds=5)
        assert after.mean() == pytest.approx(x.mean(), abs=1e-12)
        assert x.min() - 1e-12 <= after.min() <= after.max() <= x.max() + 1e-12

    def test_those_out_of_reach_do_not_move(self):
        x = np.array([0.0, 0.5, 1.0])
        assert meet(x, 0.5).tolist() == x.tolist()

    def test_two_within_reach_meet_in_the_middle(self):
        assert deffuant([0.2, 0.6], 0.5, 0.5, 1, Draw(0, "x")) == pytest.approx([0.4, 0.4])

    def test_pairs_are_two_different_people_and_each_pair_alike(self):
        from scipy.stats import chisquare

        moved = [deffuant(np.arange(5.0), 9.0, 0.1, 1, Draw(s, "x")) != np.arange(5.0) for s in range(1_500)]
        pairs, counted = np.unique(moved, axis=0, return_counts=True)
        assert (pairs.sum(axis=1) == 2).all()
        assert len(pairs) == 10
        assert chisquare(counted).pvalue > 1e-3

    def test_the_bound_step_is_part_of_who_meets(self):
        x, draw = start(0, 20), Draw(0, "x")
        one, two = (deffuant(x, 1.0, 0.5, 10, draw.at(step=step)).tolist() for step in (1, 2))
        assert one != two

    def test_a_panel_of_one_stays(self):
        assert deffuant([0.3], 1.0, 0.5, 10, Draw(0, "x")).tolist() == [0.3]

    @pytest.mark.parametrize(("epsilon", "expected"), [(0.5, 1), (0.25, 2), (0.2, 2), (0.15, 3), (0.1, 4.3)])
    def test_the_number_of_major_clusters(self, epsilon, expected):
        found = [len(clusters(meet(start(s), epsilon, s), share=0.05)) for s in range(4)]
        assert np.mean(found) == pytest.approx(expected, abs=0.7)


class TestHegselmannKrause:
    def test_one_step_by_hand(self):
        x = np.array([0.0, 0.25, 0.5, 1.0])
        assert hegselmann_krause(x, 0.25).tolist() == [0.125, 0.25, 0.375, 1.0]

    @laws
    @given(opinions, st.integers(0, 8))
    def test_a_step_is_the_plain_loop(self, x, eighths):
        x, epsilon = np.round(x * 16) / 16, eighths / 8
        plain = [np.mean([y for y in x if abs(y - own) <= epsilon]) for own in x]
        assert hegselmann_krause(x, epsilon) == pytest.approx(plain, abs=1e-12)

    @laws
    @given(opinions, unit)
    def test_order_is_kept_and_the_range_never_grows(self, x, epsilon):
        after = hegselmann_krause(np.sort(x), epsilon, 3)
        assert (np.diff(after) >= -1e-12).all()
        assert np.ptp(after) <= np.ptp(x) + 1e-12

    def test_at_rest_clusters_lie_out_of_reach(self):
        resting = hegselmann_krause(start(1, 200), 0.1, 200)
        gaps = np.diff(np.unique(resting.round(9)))
        assert (gaps > 0.1).all()
        assert hegselmann_krause(resting, 0.1, 1) == pytest.approx(resting, abs=1e-12)

    @pytest.mark.parametrize(("epsilon", "low", "high"), [(0.05, 6.5, 9), (0.1, 3, 4.6), (0.25, 1, 1.2)])
    def test_the_number_of_clusters(self, epsilon, low, high):
        found = [len(clusters(hegselmann_krause(start(s, 300), epsilon, 100))) for s in range(5)]
        assert low <= np.mean(found) <= high

    def test_a_narrow_bound_never_ends_in_consensus(self):
        assert all(len(clusters(hegselmann_krause(start(s, 200), 0.15, 100))) > 1 for s in range(5))


class TestClusters:
    def test_the_counting_rule(self):
        x = [0.5] * 90 + [0.505] * 5 + [0.9] * 5
        assert clusters(x).tolist() == [95, 5]
        assert clusters(x, share=0.05).tolist() == [95]
        assert clusters(x, gap=0.001).tolist() == [90, 5, 5]

    @laws
    @given(opinions, unit)
    def test_everyone_is_in_one_cluster(self, x, gap):
        assert clusters(x, gap).sum() == len(x)

    def test_nobody_is_no_cluster(self):
        assert clusters([]).tolist() == []
