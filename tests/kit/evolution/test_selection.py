"""Selection: who has children, how often, and what a win is worth."""

import math

import numpy as np
import pytest
from pydantic import ValidationError

from openiir.core.errors import InputError
from openiir.core.seeds import Draw
from openiir.kit.evolution import SelectionRule, choose_opponents, random_parents, rank_agents, share_fitness

DRAW = Draw(2, "test.selection")
N = 12
FITNESS = np.round(DRAW.at("fitness").uniform(item=np.arange(N)), 1)  # rounded, so that some tie


def plain_rank(fitness):
    return sorted(range(len(fitness)), key=lambda agent: (-fitness[agent], agent))


def test_agents_are_ranked_by_fitness_and_then_in_order():
    assert len(set(FITNESS)) < N
    assert rank_agents(FITNESS).tolist() == plain_rank(FITNESS)
    assert rank_agents([0.5, 0.5 + 1e-9, 0.4]).tolist() == [0, 1, 2]  # equal on the grid


def test_tournaments_are_those_of_a_plain_loop():
    rule = SelectionRule(contestants=3, elites=2)
    parents = rule.choose_parents(FITNESS, 30, DRAW, 5)
    own, ranked = DRAW.at("tournament", step=5), plain_rank(FITNESS)
    expected = [min((own.below(N, item=c, agent=k) for k in range(3)), key=ranked.index) for c in range(30)]
    assert parents.tolist() == [*ranked[:2], *expected[2:]]
    assert rule.choose_parents(FITNESS, 10, DRAW, 5).tolist() == parents[:10].tolist()


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_tournaments_prefer_by_the_known_share(k):
    """The best of n in k draws with replacement has rank r or better with probability 1 - (1 - r/n)^k."""
    rule = SelectionRule(contestants=k, elites=0)
    parents = rule.choose_parents(-np.arange(10.0), 6_000, DRAW, 1)
    better = np.arange(1, 11) / 10
    found = np.searchsorted(np.sort(parents), np.arange(1, 11)) / 6_000
    assert found == pytest.approx(1 - (1 - better) ** k, abs=1.95 / np.sqrt(6_000))


def test_truncation_leaves_the_best_share():
    rule = SelectionRule(method="truncation", share=0.25, elites=1)
    parents = rule.choose_parents(FITNESS, 600, DRAW, 1)
    best = plain_rank(FITNESS)[:3]
    assert parents[0] == best[0] and set(parents.tolist()) == set(best)
    counts = np.unique(parents[1:], return_counts=True)[1]
    assert counts == pytest.approx(200, abs=4 * math.sqrt(200))
    assert set(
        SelectionRule(method="truncation", share=0.01, elites=0).choose_parents(FITNESS, 9, DRAW, 1)
    ) == {best[0]}


def test_random_parents_know_neither_fitness_nor_elites():
    rule = SelectionRule(method="random", elites=4)
    assert rule.copies == 0 and SelectionRule(elites=4).copies == 4
    parents = rule.choose_parents(FITNESS, N, DRAW, 3)
    assert parents.tolist() == rule.choose_parents(FITNESS[::-1], N, DRAW, 3).tolist()
    assert parents.tolist() == random_parents(N, N, DRAW, 3).tolist()
    many = random_parents(10, 5_000, DRAW, 1)
    assert np.bincount(many) == pytest.approx(500, abs=4 * math.sqrt(500))


@pytest.mark.parametrize(
    ("rule", "fitness", "words"),
    [
        ({}, [0.3], "each of 2 agents or more"),
        ({}, [[0.3, 0.4]], "each of 2 agents or more"),
        ({}, [0.3, math.nan, 0.2], "agent 1 has the fitness nan"),
        ({}, [0.3, 0.2, math.inf], "agent 2 has the fitness inf"),
        ({"elites": 4}, [0.3, 0.2, 0.1], "4 elites of 3 agents with 10 children"),
        ({"elites": 11}, FITNESS, "11 elites of 12 agents with 10 children"),
    ],
)
def test_populations_that_cannot_be_selected_from_are_refused(rule, fitness, words):
    with pytest.raises(InputError, match=words):
        SelectionRule(**rule).choose_parents(fitness, 10, DRAW, 1)


@pytest.mark.parametrize(
    "rule",
    [{"method": "roulette"}, {"contestants": 0}, {"share": 0}, {"share": 1.1}, {"elites": -1}, {"k": 3}],
)
def test_rules_that_cannot_be_are_refused(rule):
    with pytest.raises(ValidationError):
        SelectionRule(**rule)


def test_a_win_counts_for_as_much_as_few_others_have_it():
    """Rosin & Belew 1997: the sum over opponents beaten of 1 over the number who beat them."""
    beats = DRAW.chance(0.4, agent=np.arange(7)[:, None], item=np.arange(9))
    plain = [math.fsum(1 / sum(row[j] for row in beats) for j in range(9) if beats[i][j]) for i in range(7)]
    assert share_fitness(beats) == pytest.approx(plain)
    assert share_fitness(beats).sum() == pytest.approx(sum(beats[:, j].any() for j in range(9)))
    assert share_fitness([[1, 1, 0], [1, 1, 0], [0, 0, 1]]).tolist() == [1.0, 1.0, 1.0]
    with pytest.raises(InputError, match="agents by opponents"):
        share_fitness([True, False])


def test_opponents_are_of_now_and_of_the_hall_of_fame():
    current, hall = [f"g9-{n}" for n in range(10)], [f"g{n}-0" for n in range(9)] + ["g9-3", "g1-0"]
    met = choose_opponents(current, hall, 8, DRAW, 9)
    assert len(set(met)) == 8 and len(set(met) & set(current)) == 4
    assert set(met) - set(current) < set(hall)
    # 4.2 of 7 are 4, and 4.9 are 5
    for share, fame in ((0.6, 4), (0.7, 5)):
        assert len(set(choose_opponents(current, hall, 7, DRAW, 9, share)) - set(current)) == fame
    assert met == choose_opponents(current, hall[::-1], 8, DRAW, 9)
    assert met != choose_opponents(current, hall, 8, DRAW, 10)
    early = choose_opponents(current, ["g0-0"], 8, DRAW, 1)
    assert early[0] == "g0-0" and len(set(early)) == 8
    assert set(choose_opponents(current, hall, 10, DRAW, 9, share=0)) == set(current)
    with pytest.raises(InputError, match="there are 11 opponents, not 12"):
        choose_opponents(current, ["g0-0"], 12, DRAW, 1)


def test_the_hall_is_drawn_from_evenly():
    hall = [f"g{n}" for n in range(8)]
    met = [choose_opponents(["a", "b"], hall, 4, DRAW, step) for step in range(1, 1_001)]
    counts = [sum(name in found for found in met) for name in hall]
    assert counts == pytest.approx([250] * 8, abs=4 * math.sqrt(250 * 0.75))
