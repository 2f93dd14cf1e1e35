"""What exposure does to beliefs, against the formula written out for one user and one topic at a time."""

import numpy as np
import pytest

from openiir.kit.beliefs import BeliefRule, anchor_beliefs, apply_exposure

GRID = 2.0**-20
RULES = {
    "assimilation": BeliefRule(),
    "bounded": BeliefRule(rule="bounded", bound=0.4, rate=0.7),
    "repulsion": BeliefRule(rule="repulsion", repel_beyond=0.9, repulsion=0.8, rate=1.0),
}


def by_hand(b: float, theta: float, v: float, weight: float, rule: BeliefRule) -> float:
    gap = v - b
    if rule.rule == "assimilation":
        g = 1.0
    elif rule.rule == "bounded":
        g = 1.0 if abs(gap) < rule.bound else 0.0
    else:
        g = -rule.repulsion if abs(gap) > rule.repel_beyond else 1.0
    return min(1.0, max(-1.0, b + rule.rate * theta * weight * g * gap))


def crowd(n: int = 300, k: int = 4) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    belief = np.round(rng.uniform(-1, 1, (n, k)) * 2**19) / 2**19
    return belief, rng.dirichlet([0.3] * k, n), rng.uniform(-1, 1, n), rng.uniform(0, 1, n)


@pytest.mark.parametrize("name", RULES)
def test_a_block_moves_as_the_formula_says(name: str) -> None:
    rule, (belief, theta, valence, weight) = RULES[name], crowd()
    found = apply_exposure(belief.copy(), theta, valence, weight, rule)
    for user in range(len(belief)):
        for topic in range(belief.shape[1]):
            hand = by_hand(belief[user, topic], theta[user, topic], valence[user], weight[user], rule)
            assert found[user, topic] == pytest.approx(hand, abs=GRID)
    assert (found * 2**19 == np.rint(found * 2**19)).all(), "beliefs stay on the grid"


@pytest.mark.parametrize("name", RULES)
def test_beliefs_stay_within_bounds_for_ever(name: str) -> None:
    belief, theta, _, _ = crowd()
    start, extreme = belief.copy(), np.where(np.arange(len(belief)) % 2, 1.0, -1.0)
    rule = RULES[name].model_copy(update={"rate": 1.0, "anchor": 0.5})
    for turn in range(60):
        belief = apply_exposure(belief, theta, extreme * (-1) ** (turn // 3), np.ones(len(belief)), rule)
        assert np.abs(belief).max() <= 1
        belief = anchor_beliefs(belief, start, rule)
        assert np.abs(belief).max() <= 1


def test_the_given_beliefs_are_left_as_they_are() -> None:
    belief, theta, valence, weight = crowd()
    before = belief.copy()
    apply_exposure(belief, theta, valence, weight, RULES["repulsion"])
    anchor_beliefs(belief, belief * 0.5, BeliefRule(anchor=0.3))
    assert (belief == before).all()


def test_assimilation_moves_towards_an_item_and_never_past_it() -> None:
    belief, theta, valence, weight = crowd()
    found = apply_exposure(belief.copy(), theta, valence, weight, BeliefRule(rate=1.0))
    before, after = np.abs(valence[:, None] - belief), np.abs(valence[:, None] - found)
    assert (after <= before + GRID).all()
    assert ((valence[:, None] - found) * (valence[:, None] - belief) >= -2 * GRID).all()


def test_nothing_beyond_the_bound_moves_anything() -> None:
    belief, theta, valence, weight = crowd()
    rule = RULES["bounded"]
    found = apply_exposure(belief.copy(), theta, valence, weight, rule)
    far = np.abs(valence[:, None] - belief) >= rule.bound
    assert far.any() and (found[far] == belief[far]).all()
    near = ~far & (theta * weight[:, None] > 0.01) & (np.abs(valence[:, None] - belief) > 0.01)
    assert (found[near] != belief[near]).all()


def test_repulsion_pushes_away_what_is_far_off_and_only_that() -> None:
    belief, theta, valence, weight = crowd()
    rule = RULES["repulsion"]
    found = apply_exposure(belief.copy(), theta, valence, weight, rule)
    gap, moved = valence[:, None] - belief, found - belief
    far = np.abs(gap) > rule.repel_beyond
    assert far.any() and (moved[far] * gap[far] <= 0).all() and (moved[~far] * gap[~far] >= 0).all()
    assert (moved[far] != 0).any()


def test_an_anchor_draws_back_to_the_first_belief() -> None:
    belief, start = np.array([[0.75, -0.5]]), np.array([[0.25, 0.5]])
    assert (anchor_beliefs(belief, start, BeliefRule(anchor=0.0)) == belief).all()
    assert (anchor_beliefs(belief, start, BeliefRule(anchor=1.0)) == start).all()
    assert anchor_beliefs(belief, start, BeliefRule(anchor=0.25)) == pytest.approx(np.array([[0.625, -0.25]]))


def test_an_item_moves_its_own_topics_alone() -> None:
    belief = np.array([[0.25, -0.25, 0.5]])
    found = apply_exposure(
        belief.copy(), np.array([[0.0, 1.0, 0.0]]), np.array([1.0]), np.array([1.0]), BeliefRule(rate=0.5)
    )
    assert found.tolist() == [[0.25, 0.375, 0.5]]
