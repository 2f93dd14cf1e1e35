import math

import numpy as np
import pytest

from openiir.scenarios.conversational.dialogue import Act, Slot, Utterance
from openiir.scenarios.conversational.metrics import (
    PlainAct,
    PlainUtterance,
    Rewards,
    configured_reward,
    plain_utterances,
    recall_at,
    reciprocal_rank,
    restricted_mean_turns,
    reward_per_length,
    round_ratio,
    rounds,
    success_within,
    target_rank,
    turns_to_target,
    user_act_ratio,
)


def user(*intents, text=""):
    return PlainUtterance("user", text, tuple(PlainAct(one) for one in intents))


def system(*intents, items=(), text=""):
    return PlainUtterance("system", text, tuple(PlainAct(one) for one in intents), items)


def test_records_and_their_plain_form_read_alike():
    act = Act(intent="DISCLOSE", slots=(Slot(slot="genre", value="drama"), Slot(slot="year")))
    said = Utterance(speaker="user", text="a drama", acts=(act,), items=("7",))
    assert plain_utterances([said]) == plain_utterances([said.model_dump(mode="json")])
    assert plain_utterances([said])[0].acts == (PlainAct("DISCLOSE", (("genre", "drama"), ("year", None))),)


def test_success_counts_those_in_time():
    assert success_within([3, 5, 9, 4], [True, True, True, False], 5) == 0.5
    assert (
        math.isnan(success_within([], [], 5)) and "no dialogues" in success_within.measure([], [], 5).reason
    )
    with pytest.raises(ValueError, match="turns of 2 dialogues"):
        success_within([1, 2], [True], 5)


def test_restricted_mean_is_the_plain_mean_where_nobody_is_lost_early():
    rng = np.random.default_rng(3)
    for _ in range(40):
        turns, won = rng.integers(1, 11, 30), rng.random(30) < 0.6
        turns[~won] = 10
        assert restricted_mean_turns(turns, won, 10) == pytest.approx(np.where(won, turns, 10).mean())


def product_limit(turns, won, limit):
    """Kaplan and Meier's curve turn by turn."""
    area, alive = 0.0, 1.0
    for turn in range(limit):
        area += alive if turn == 0 else 0.0
        if turn:
            at_risk = [t >= turn for t in turns]
            ends = [t == turn and w for t, w in zip(turns, won, strict=True)]
            alive *= 1 - sum(ends) / sum(at_risk) if sum(at_risk) else 1
            area += alive
    return area


def test_restricted_mean_is_the_area_under_the_curve():
    rng = np.random.default_rng(4)
    for _ in range(40):
        turns, won = rng.integers(1, 13, 25), rng.random(25) < 0.5
        turns[0] = 12
        assert restricted_mean_turns(turns, won, 10) == pytest.approx(product_limit(turns, won, 10))


def test_restricted_mean_says_where_nobody_was_watched_long_enough():
    found = restricted_mean_turns.measure([2, 3], [True, False], 10)
    assert math.isnan(found.value) and "longer than 3 of 10" in found.reason
    assert restricted_mean_turns([2, 3], [True, True], 10) == 2.5


def test_recall_and_ranks():
    offers = [("a", "", "b"), ("a", "c"), ("t", "u")]
    assert recall_at(["a", "a", "t", "u"], {"t", "u"}, 2) == 0.5
    assert math.isnan(recall_at(["a"], (), 1))
    assert target_rank(offers, {"t", "u"}) == 5
    assert reciprocal_rank(offers, {"t"}) == 1 / 5 and reciprocal_rank(offers, {"z"}) == 0
    assert target_rank(offers, {"z"}) is None and math.isnan(reciprocal_rank(offers, ()))
    assert (
        turns_to_target(enumerate(offers), {"u"}) == 2 and turns_to_target(enumerate(offers), {"z"}) is None
    )


def test_what_precedes_the_first_recommendation_is_no_round():
    talk = [system("GREET"), user("DISCLOSE"), system("ELICIT"), user("DISCLOSE")]
    assert list(rounds(talk)) == [] and "no recommendation was answered" in round_ratio.measure(talk).reason
    full = [
        *talk,
        system("RECOMMEND"),
        user("DISLIKE"),
        system("ELICIT"),
        system("RECOMMEND"),
        user("ACCEPT"),
    ]
    assert [len(one) for one in rounds(full)] == [3, 2]
    assert round_ratio(full) == 0.5
    assert round_ratio([*full, system("RECOMMEND")]) == 0.5 and math.isnan(round_ratio(full[:5]))
    assert round_ratio([system(items=("a",)), user("LIKE", "ACCEPT"), user("DISLIKE")]) == 0


def test_rewards():
    talk = [system("RECOMMEND"), user("ACCEPT"), system("BYE"), user("BYE")]
    assert reward_per_length(talk) == 0.25
    assert math.isnan(reward_per_length([]))
    assert configured_reward(talk) == 20 - 4 - 2
    assert configured_reward([*talk, user("INQUIRE")]) == 20 - 3
    assert configured_reward([*talk, system("INQUIRE")]) == 20 - 4 - 2
    stuck = [system("ELICIT"), user("DONT_KNOW")] * 3
    assert configured_reward(stuck) == 20 - 4 - 3 - 4
    assert configured_reward(stuck * 9) == 0
    assert configured_reward(talk, Rewards(10, {"BYE": 3, "Y": 2}, 0, 0.5)) == 7


def test_user_act_ratio():
    assert user_act_ratio([system("GREET", "ELICIT"), user("DISCLOSE")]) == 0.5
    assert math.isnan(user_act_ratio([user("DISCLOSE"), system()]))
