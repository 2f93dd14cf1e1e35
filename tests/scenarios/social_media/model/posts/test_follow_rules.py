"""Follows and unfollows beside the formula, pair by pair."""

import math

import numpy as np
import pytest

from openiir.core.seeds import Draw
from openiir.kit.networks import build_graph, power_law_graph
from openiir.kit.rankers import NONE
from openiir.scenarios.social_media.model.posts.follows import FollowRule, count_common_follows

DRAW = Draw(9, "test.follows")
GRAPH = power_law_graph(80, DRAW, 2.1, 2)
MEMBERS = np.arange(0, 80, 2)
CANDIDATES = DRAW.below(80, agent=MEMBERS[:, None], item=np.arange(8)[None, :])
COSINE = 2 * DRAW.at("cosine").uniform(agent=MEMBERS[:, None], item=np.arange(8)[None, :]) - 1


def followed(member):
    return set(GRAPH.following.neighbours(member).tolist())


def test_common_members_are_counted_as_sets_do():
    a, b = np.repeat(np.arange(80), 80), np.tile(np.arange(80), 80)
    naive = [len(followed(one) & followed(other)) for one, other in zip(a.tolist(), b.tolist(), strict=True)]
    assert count_common_follows(GRAPH, a, b).tolist() == naive and max(naive) > 2


def test_the_choice_is_that_of_the_formula():
    chosen = FollowRule().choose(GRAPH, MEMBERS, CANDIDATES, COSINE, DRAW)
    for row, member in enumerate(MEMBERS.tolist()):
        noisy = {}
        for column, other in enumerate(CANDIDATES[row].tolist()):
            if other != member and other not in followed(member):
                utility = 0.8 * math.log(len(GRAPH.followers.neighbours(other)) + 1)
                utility += 1.5 * COSINE[row, column] + math.log(1 + len(followed(member) & followed(other)))
                noise = DRAW.gumbel(agent=member, item=other)
                noisy[other] = max(noisy.get(other, -math.inf), utility + noise)
        assert chosen[row] == max(noisy, key=noisy.__getitem__)


def test_candidates_are_chosen_in_proportion_to_the_formula():
    graph = build_graph(6, followers=[0, 5, 4, 5, 3, 4], followees=[3, 3, 1, 1, 2, 2]).graph
    rule, cosine, candidates = FollowRule(), np.array([[0.5, -0.2, 0.1]]), np.array([[1, 2, 5]])
    weights = [3**0.8 * math.exp(0.75), 3**0.8 * math.exp(-0.3), math.exp(0.15) * 2]  # 0 and 5 follow 3
    draws = [
        rule.choose(graph, np.zeros(1, int), candidates, cosine, DRAW.at(step=step)).item()
        for step in range(1_000)
    ]
    for other, weight in zip((1, 2, 5), weights, strict=True):
        chance = weight / math.fsum(weights)
        assert draws.count(other) / 1_000 == pytest.approx(chance, abs=4 * math.sqrt(chance / 1_000))


def test_nobody_is_chosen_twice_or_follows_itself():
    graph = build_graph(4, followers=[0, 0], followees=[1, 2]).graph
    candidates = np.array([[0, 1, 2, NONE], [0, NONE, NONE, NONE], [1, NONE, NONE, NONE]])
    chosen = FollowRule().choose(graph, np.array([0, 3, 1]), candidates, np.zeros((3, 4)), DRAW)
    assert chosen.tolist() == [NONE, 0, NONE]
    nothing = np.zeros((2, 0), dtype=np.int64)
    assert (
        FollowRule().choose(graph, np.array([0, 1]), nothing, np.zeros((2, 0)), DRAW).tolist() == [NONE] * 2
    )


def test_other_candidates_do_not_change_a_draw():
    chosen = FollowRule().choose(GRAPH, MEMBERS, CANDIDATES, COSINE, DRAW)
    rows = np.arange(len(MEMBERS))
    column = (chosen[:, None] == CANDIDATES).argmax(axis=1)
    fewer, lost = CANDIDATES.copy(), (column + 1) % 8
    keeps = CANDIDATES[rows, lost] != chosen
    fewer[rows[keeps], lost[keeps]] = NONE
    assert FollowRule().choose(GRAPH, MEMBERS, fewer, COSINE, DRAW)[keeps].tolist() == chosen[keeps].tolist()


def test_authors_far_away_are_left_at_times():
    many = np.arange(40_000)
    distance = np.where(many % 2, 0.81, 0.8)
    left = FollowRule().draw_unfollows(distance, DRAW, many % 200, many // 200)
    assert not left[::2].any()
    assert left[1::2].mean() == pytest.approx(0.02, abs=4 * math.sqrt(0.02 / 20_000))
    assert FollowRule(leave=1.0).draw_unfollows(distance, DRAW, many, many)[1::2].all()
