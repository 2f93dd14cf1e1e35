"""The default update: what hearing one claim does, and what each parameter means."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openiir.core.grid import quantise
from openiir.scenarios.panel.model.beliefs.stance_update import anchor_stance, hear_claim

laws = settings(derandomize=True, deadline=None, max_examples=80, database=None)
stance = st.floats(-1, 1)
unit = st.floats(0, 1)
GRID = 2.0**-19


class TestHeard:
    def test_by_hand(self):
        assert hear_claim(0.0, 0.5, strength=0.8, mu=0.5) == pytest.approx(0.2, abs=GRID)
        assert hear_claim(-0.4, 0.4, strength=0.5, weight=2.0, mu=0.25) == pytest.approx(-0.2, abs=GRID)

    @laws
    @given(stance, stance, unit, st.floats(0, 5), unit, st.floats(0, 2))
    def test_it_ends_between_what_was_thought_and_what_was_heard(
        self, s, claim, strength, weight, mu, epsilon
    ):
        after = hear_claim(s, claim, strength, weight, mu, epsilon)
        assert min(s, claim) - GRID <= after <= max(s, claim) + GRID
        assert -1 <= after <= 1
        assert after == quantise(after, 2.0)

    @laws
    @given(stance, stance, unit, unit)
    def test_the_mirrored_stance_moves_alike(self, s, claim, strength, mu):
        assert hear_claim(-s, -claim, strength, mu=mu) == -hear_claim(s, claim, strength, mu=mu)

    @laws
    @given(stance, stance, unit, unit)
    def test_a_stronger_argument_never_moves_less(self, s, claim, one, two):
        weak, strong = sorted((one, two))
        moves = [abs(hear_claim(s, claim, strength) - quantise(s, 2.0)) for strength in (weak, strong)]
        assert moves[0] <= moves[1] + GRID

    @laws
    @given(st.lists(stance, min_size=1, max_size=9), stance, unit, unit)
    def test_an_element_is_one_hearer(self, panel, claim, strength, mu):
        together = hear_claim(np.array(panel), claim, strength, mu=mu)
        assert together.tolist() == [hear_claim(s, claim, strength, mu=mu) for s in panel]

    def test_a_claim_too_far_off_is_not_taken(self):
        assert hear_claim(-0.5, 0.51, 1.0, epsilon=1.0) == -0.5
        assert hear_claim(-0.5, 0.5, 1.0, epsilon=1.0) > -0.5

    @pytest.mark.parametrize(("s", "claim", "epsilon"), [(0.1, 0.4, 0.3), (0.7, 0.8, 0.1), (-0.3, 0.7, 1.0)])
    def test_just_within_reach_is_within_whatever_the_rounding(self, s, claim, epsilon):
        assert hear_claim(s, claim, 1.0, epsilon=epsilon) > s + 0.01

    def test_influence_carries_nobody_beyond_the_claim(self):
        assert hear_claim(0.0, 0.5, strength=1.0, weight=100.0) == 0.5


class TestAnchored:
    @laws
    @given(stance, stance, unit)
    def test_it_ends_between_now_and_the_start(self, s, s0, phi):
        assert min(s, s0) - GRID <= anchor_stance(s, s0, phi) <= max(s, s0) + GRID

    def test_the_ends(self):
        assert anchor_stance(0.5, -0.25, 0.0) == 0.5
        assert anchor_stance(0.5, -0.25, 1.0) == -0.25
        assert anchor_stance(np.array([0.5, 0.0]), np.array([0.0, 0.5]), 0.5).tolist() == [0.25, 0.25]
