"""One step over a panel, by the name that a study gives the rule."""

import numpy as np
import pytest

from openiir.core.errors import UnknownName
from openiir.core.grid import quantise
from openiir.core.seeds import Draw
from openiir.scenarios.panel.model.beliefs.classic import (
    deffuant,
    degroot,
    friedkin_johnsen,
    hegselmann_krause,
)
from openiir.scenarios.panel.model.beliefs.modes import MODES, ModeParameters, StatedClaim, step
from openiir.scenarios.panel.model.beliefs.stance_update import anchor_stance, hear_claim

X0 = np.array([-0.8, -0.25, 0.0, 0.5, 0.75])
X = np.array([-0.5, -0.25, 0.25, 0.5, 0.5])
WEIGHTS = Draw(1, "weights").uniform(agent=np.arange(5)[:, None], item=np.arange(5))
DRAW = Draw(3, "beliefs", step=4)


def grid(x):
    return quantise(np.clip(x, -1, 1), 2.0).tolist()


def test_every_pure_mode_is_its_model_on_the_grid():
    rule = ModeParameters(mu=0.4, epsilon=0.6, phi=0.1)
    expected = {
        "degroot": degroot(WEIGHTS, X),
        "friedkin-johnsen": friedkin_johnsen(WEIGHTS, X0, 0.9, x=X),
        "deffuant": deffuant(X, 0.6, 0.4, 2, DRAW),
        "hegselmann-krause": hegselmann_krause(X, 0.6),
        "none": X,
    }
    assert {*expected, "combined"} == set(MODES)
    for mode, moved in expected.items():
        assert step(mode, X, X0, WEIGHTS, rule=rule, draw=DRAW).tolist() == grid(moved), mode


def test_combined_is_each_hearer_hearing_each_claim_in_turn():
    said = [StatedClaim(1, -0.5, 0.6), StatedClaim(3, 0.7, 0.9)]
    expected = []
    for i, s in enumerate(X):
        for speaker, claim, strength in said:
            if i != speaker:
                s = hear_claim(s, claim, strength, WEIGHTS[i, speaker], 0.4, 0.9)
        expected.append(anchor_stance(s, X0[i], 0.1))
    rule = ModeParameters(mu=0.4, epsilon=0.9, phi=0.1)
    assert step("combined", X, X0, WEIGHTS, said, rule).tolist() == expected


def test_a_speaker_is_not_moved_by_their_own_words():
    moved = step("combined", X, X, said=[StatedClaim(2, 1.0, 1.0)], rule=ModeParameters(epsilon=2.0))
    assert moved[2] == X[2]
    assert (np.delete(moved, 2) != np.delete(X, 2)).all()


@pytest.mark.parametrize("mode", sorted(MODES))
def test_consensus_at_rest_stays(mode):
    same = np.full(5, 0.25)
    assert step(mode, same, same, said=[StatedClaim(0, 0.25, 1.0)], draw=DRAW).tolist() == same.tolist()


@pytest.mark.parametrize("mode", sorted(MODES))
def test_stances_stay_on_their_scale_and_grid_and_the_input_is_left_alone(mode):
    x, said = X.copy(), [StatedClaim(i % 5, (-1.0) ** i, 1.0) for i in range(9)]
    moved = step(mode, x, X0, WEIGHTS * 9, said, ModeParameters(mu=0.9, epsilon=2.0), DRAW)
    assert x.tolist() == X.tolist()
    assert moved.tolist() == grid(moved)


def test_without_words_or_anchor_the_default_moves_nobody():
    assert step("combined", X, X0, rule=ModeParameters(phi=0.0)).tolist() == X.tolist()


def test_a_mode_that_does_not_exist_is_refused_with_the_nearest():
    with pytest.raises(UnknownName, match="did you mean 'degroot'"):
        step("degrot", X, X0)


def test_deffuant_needs_a_draw():
    with pytest.raises(ValueError, match="draw bound to the step"):
        step("deffuant", X, X0)
