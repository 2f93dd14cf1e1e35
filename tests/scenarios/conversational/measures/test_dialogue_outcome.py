import math

from openiir.scenarios.conversational.measures.outcome import (
    recall_at,
    reciprocal_rank,
    reward_per_length,
    round_ratio,
    rounds,
    target_rank,
    turns_to_target,
    user_act_ratio,
    usersimcrs_reward,
)
from openiir.scenarios.conversational.model.dialogue import (
    Act,
    Slot,
    Utterance,
    build_act,
    build_utterance,
    load_utterances,
)


def user(*intents, text=""):
    return build_utterance("user", text, map(build_act, intents))


def system(*intents, items=(), text=""):
    return build_utterance("system", text, map(build_act, intents), items)


def test_utterances_come_back_from_a_log():
    act = Act(intent="DISCLOSE", slots=(Slot(slot="genre", value="drama"), Slot(slot="year")))
    said = Utterance(speaker="user", text="a drama", acts=(act,), items=("7",))
    assert load_utterances([said.model_dump(mode="json")]) == (said,)


def test_recall_and_ranks():
    offers = [("a", "", "b"), ("a", "c"), ("t", "u")]
    assert recall_at(["a", "a", "t", "u"], {"t", "u"}, 2) == 0.5
    assert math.isnan(recall_at(["a"], (), 1))
    assert target_rank(offers, {"t", "u"}) == 5
    assert reciprocal_rank(offers, {"t"}) == 1 / 5 and reciprocal_rank(offers, {"z"}) == 0
    assert math.isnan(target_rank(offers, {"z"})) and math.isnan(reciprocal_rank(offers, ()))
    assert turns_to_target(enumerate(offers), {"u"}) == 2 and math.isnan(
        turns_to_target(enumerate(offers), {"z"})
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
    assert usersimcrs_reward(talk) == 20 - 4 - 2
    assert usersimcrs_reward([*talk, user("INQUIRE")]) == 20 - 3
    assert usersimcrs_reward([*talk, system("INQUIRE")]) == 20 - 4 - 2
    stuck = [system("ELICIT"), user("DONT_KNOW")] * 3
    assert usersimcrs_reward(stuck) == 20 - 4 - 3 - 4
    assert usersimcrs_reward(stuck * 9) == 0


def test_user_act_ratio():
    assert user_act_ratio([system("GREET", "ELICIT"), user("DISCLOSE")]) == 0.5
    assert math.isnan(user_act_ratio([user("DISCLOSE"), system()]))
