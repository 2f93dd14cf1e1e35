"""The reaction model beside its formula worked out for one exposure, and its published targets."""

import math
from dataclasses import replace

import numpy as np
import pytest

from openiir.core.errors import InputError
from openiir.core.seeds import Draw
from openiir.kit.networks import power_law_graph
from openiir.scenarios.social_media.model.cascades import p_for_reproduction
from openiir.scenarios.social_media.model.posts.reactions import (
    ACTIONS,
    ReactionFeatures,
    ReactionModel,
    ReactionRule,
)

DRAW = Draw(8, "test.reactions")
SIZE = 4_000


def number(what, low=0.0, high=1.0):
    return low + (high - low) * DRAW.at(what).uniform(item=np.arange(SIZE))


SAMPLE = ReactionFeatures(
    agreement=number("agreement", -1),
    novelty=number("novelty", 0, 0.4),
    arousal=number("arousal", 0, 0.4),
    weight=np.exp(number("weight", -1, 2)),
)
RULE = ReactionRule()
MODEL = RULE.calibrate(SAMPLE, repost=0.01)


def test_probabilities_are_those_of_the_formula():
    seen = SAMPLE._replace(score=np.arange(SIZE) % 7 - 3, reposts=np.arange(SIZE) % 5)
    found = MODEL.probabilities(seen)
    for row in range(0, SIZE, 97):
        a, n, e, s, r, w = (float(np.asarray(column)[row]) for column in seen)
        appeal = 0.5 * n + 0.5 * e + 0.25 * math.log(w)
        shared = a + appeal + 0.3 * math.log(1 + r)
        like = a + appeal + MODEL.herding * 2 * max(s, 0) / (1 + max(s, 0))
        terms = (0, like, appeal - a, shared, shared)
        odds = [math.exp(term + base) for term, base in zip(terms, (0, *MODEL.base), strict=True)]
        assert found[row].tolist() == pytest.approx([odd / math.fsum(odds) for odd in odds])


def test_rates_are_those_asked_for():
    rates = MODEL.probabilities(SAMPLE).mean(axis=0)
    assert rates[1:].tolist() == pytest.approx([RULE.like, RULE.dislike, RULE.comment, 0.01], rel=1e-4)


def test_rates_near_the_limit_are_met_as_well():
    rates = ReactionRule(like=0.45, dislike=0.3).calibrate(SAMPLE, 0.14).probabilities(SAMPLE).mean(axis=0)
    assert rates.tolist() == pytest.approx([0.106, 0.45, 0.3, 0.004, 0.14], rel=1e-4)


def test_a_repost_causes_as_many_more_as_the_reproduction_number():
    graph = power_law_graph(SIZE, DRAW, 2.3, 3)
    model = RULE.calibrate(SAMPLE, p_for_reproduction(graph, 0.8))
    posters = np.repeat(np.arange(SIZE), graph.followers.degrees)
    readers, row = graph.followers.member.astype(np.int64), np.arange(len(posters)) % SIZE
    seen = ReactionFeatures(*(np.broadcast_to(column, SIZE)[row] for column in SAMPLE))
    reposts = DRAW.at(agent=readers, item=posters).choices(ACTIONS, model.utilities(seen)) == ACTIONS.index(
        "repost"
    )
    assert reposts.sum() / SIZE == pytest.approx(0.8, abs=0.08)


def test_one_up_vote_makes_likes_a_third_more_likely_and_a_down_vote_changes_nothing():
    likes = [MODEL.probabilities(SAMPLE._replace(score=score))[:, 1].mean() for score in (-1, 0, 1, 3)]
    assert likes[0] == likes[1]
    assert likes[2] / likes[1] == pytest.approx(1.32, abs=1e-4)
    assert likes[3] > likes[2]
    seen = SAMPLE._replace(score=1)
    chosen = [DRAW.at(agent=np.arange(SIZE)).choices(ACTIONS, MODEL.utilities(one)) for one in (SAMPLE, seen)]
    changed = chosen[0] != chosen[1]
    assert changed.any() and set(chosen[1][changed]) == {ACTIONS.index("like")}  # the noise stays


def test_false_posts_are_reposted_more_often_by_their_novelty_and_arousal():
    gap = MODEL.find_emotion_gap(SAMPLE)
    false = SAMPLE._replace(novelty=SAMPLE.novelty + gap, arousal=SAMPLE.arousal + gap)
    ratio = MODEL.probabilities(false).mean(axis=0) / MODEL.probabilities(SAMPLE).mean(axis=0)
    assert ratio[4] == pytest.approx(1.7, abs=1e-4)
    rare = ReactionRule(like=1e-5, dislike=1e-5, comment=1e-5).calibrate(SAMPLE, 1e-5)
    assert rare.find_emotion_gap(SAMPLE) == pytest.approx(math.log(1.7), abs=1e-3)
    assert gap > math.log(1.7)
    assert MODEL.find_emotion_gap(SAMPLE, ratio=1.0) == 0


@pytest.mark.parametrize("key", ["agreement", "novelty", "arousal", "proof", "author"])
def test_a_weight_of_zero_takes_a_feature_out(key):
    model = replace(MODEL, rule=RULE.model_copy(update={key: 0.0}))
    seen = SAMPLE._replace(reposts=3)
    feature = {"proof": "reposts", "author": "weight"}.get(key, key)
    changed = seen._replace(**{feature: np.asarray(getattr(seen, feature)) + 0.5})
    assert np.array_equal(model.utilities(seen), model.utilities(changed))
    assert not np.array_equal(MODEL.utilities(seen), MODEL.utilities(changed))


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda: RULE.calibrate(SAMPLE, 0.97), "at most 0.9"),
        (lambda: RULE.calibrate(SAMPLE, 0.0), "give shares above 0"),
        (lambda: ReactionRule(like=0.4, herding=3).calibrate(SAMPLE, 0.01), "lower `herding` or `like`"),
        (lambda: MODEL.find_emotion_gap(SAMPLE, 0.5), "a lower ratio from 1"),
    ],
)
def test_impossible_reactions_are_refused(call, why):
    with pytest.raises(InputError, match=why):
        call()


def test_a_model_is_a_rule_with_base_utilities():
    assert ReactionModel(RULE, MODEL.base, MODEL.herding) == MODEL
    assert [base * 2**20 % 1 for base in (*MODEL.base, MODEL.herding)] == [0] * 5
