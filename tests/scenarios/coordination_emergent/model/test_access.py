"""What agents know and see is what a naive count of their rounds gives; choices are a logit."""

import numpy as np
import pytest
from scipy.stats import chisquare

from openiir.plugin import Draw, Members, Population
from openiir.scenarios.coordination_emergent.model.access import (
    COUNTS,
    DENIED,
    HIDDEN,
    NAMES,
    AccessArm,
    AccessChoice,
    relative,
)
from openiir.scenarios.coordination_emergent.model.sources import GRADES, draw_sources

DRAW = Draw(4, "tests.access")
AGENTS, SOURCES, REQUESTS, ROUNDS, HALF = 9, 5, 2, 6, 3.0
GOALS = {"a": "what it costs", "b": "who may do it"}
PLAIN = draw_sources(SOURCES, GOALS, DRAW)


def asked_in(step):
    noise = DRAW.uniform(agent=np.arange(AGENTS)[:, None], item=np.arange(SOURCES), step=step)
    source = np.argsort(noise, axis=1)[:, :REQUESTS]
    answer = DRAW.at("answer", step=step).below(GRADES + 1, agent=np.arange(AGENTS)[:, None], item=source)
    return source, answer + DENIED


def begin(agents, sees, goal):
    people = Population(Members(agents, "visitor", {}), {})
    rows = np.arange(agents)
    order = DRAW.at("tie").uniform(agent=rows[:, None], item=rows)
    return AccessArm(sees, people, goal, PLAIN.looks[goal], order)


@pytest.fixture(scope="module")
def arms():
    goal = np.arange(AGENTS) % 2
    made = {name: begin(AGENTS, name, goal) for name in (HIDDEN, COUNTS, NAMES)}
    for step in range(ROUNDS):
        for arm in made.values():
            arm.learn(*asked_in(step), HALF, step + 1)
    return made


def count_naively():
    worth, answers, accesses = (np.zeros((AGENTS, SOURCES)) for _ in range(3))
    met = np.zeros((AGENTS, AGENTS))
    for step in range(ROUNDS):
        source, answer = asked_in(step)
        weight = 0.5 ** ((ROUNDS - 1 - step) / HALF)
        users = {}
        for agent in range(AGENTS):
            for one, grade in zip(source[agent], answer[agent], strict=True):
                if grade != DENIED:
                    worth[agent, one] += grade
                    answers[agent, one] += 1
                    accesses[agent, one] += weight
                    for other in users.setdefault(one, []):
                        met[agent, other] += weight
                        met[other, agent] += weight
                    users[one].append(agent)
    return worth, answers, accesses, met


class TestArm:
    def test_an_arm_learns_what_a_naive_count_says(self, arms):
        worth, answers, accesses, met = count_naively()
        for arm in arms.values():
            assert (arm.total * 4 == worth).all() and (arm.uses == answers).all()
            assert arm.accesses == pytest.approx(accesses, abs=1e-4)
            assert arm.met == pytest.approx(met, abs=1e-4)
        source, answer = asked_in(ROUNDS - 1)
        for one in range(SOURCES):
            own = source == one
            turned = (answer[own] == DENIED).mean() if own.any() else 0.0
            assert arms[HIDDEN].busy[one] == pytest.approx(turned, abs=1e-6)

    def test_a_source_is_worth_its_answers_and_its_looks_as_one_more(self, arms):
        arm, (worth, answers, _, _) = arms[HIDDEN], count_naively()
        looks, everybody = PLAIN.looks[np.arange(AGENTS) % 2], np.arange(AGENTS)
        expected = arm.expect(arm.recall(everybody, ROUNDS + 1, DRAW))
        assert expected == pytest.approx((worth + looks) / (answers + 1) / 4, abs=1e-5)
        fresh = begin(2, HIDDEN, np.array([0, 1]))
        assert (fresh.expect(fresh.recall(np.arange(2), 1, DRAW)) == PLAIN.looks / 4).all()
        assert not fresh.others(3).any()

    def test_others_are_nobody_everybody_or_those_met_most(self, arms):
        _, _, accesses, met = count_naively()
        assert not arms[HIDDEN].others(2).any()
        counts = arms[COUNTS].others(2)
        names, known = arms[NAMES].others(2), arms[NAMES].acquaintances(np.arange(AGENTS), 2)
        for agent in range(AGENTS):
            others = [one for one in range(AGENTS) if one != agent]
            assert counts[agent] == pytest.approx(accesses[others].sum(axis=0), abs=1e-3)
            most = sorted(met[agent], reverse=True)[:2]
            assert sorted(met[agent, known[agent]], reverse=True) == pytest.approx(most)
            assert agent not in known[agent]
            assert names[agent] == pytest.approx(accesses[known[agent]].sum(axis=0), abs=1e-3)

    def test_who_met_nobody_knows_nobody(self):
        arm = begin(4, NAMES, np.zeros(4, dtype=np.int64))
        arm.learn(np.array([[0], [0], [1], [-1]]), np.array([[4], [3], [2], [DENIED]]), HALF, 1)
        known = [one.tolist() for one in arm.acquaintances(np.arange(4), 3)]
        assert known == [[1], [0], [], []]
        assert arm.others(3).tolist()[0] == [1, 0, 0, 0, 0] and not arm.others(3)[2:].any()

    def test_relative_counts_have_a_largest_of_one(self):
        assert relative(np.array([[1.0, 4.0], [0.0, 0.0]])).tolist() == [[0.25, 1.0], [0.0, 0.0]]


class TestChoice:
    def test_choices_follow_the_logit_without_replacement(self):
        """First choices are softmax shares, and second ones those of what is left (Plackett-Luce)."""
        agents = 6_000
        value, social, busy = np.array([0.5, 0.2, 0.9]), np.array([1.0, 0.0, 0.25]), np.array([0.0, 0.5, 1.0])
        choice = AccessChoice(requests=2, value=2.0, social=1.0, congestion=1.5)
        noise = DRAW.at("choice").gumbel(agent=np.arange(agents)[:, None], item=np.arange(3))
        chosen = choice.choose(*(np.tile(one, (agents, 1)) for one in (value, social, busy)), noise)
        weight = np.exp(2.0 * value + social - 1.5 * busy)
        share = weight / weight.sum()
        expected = {
            (a, b): agents * share[a] * weight[b] / (weight.sum() - weight[a])
            for a in range(3)
            for b in range(3)
            if a != b
        }
        seen = [(chosen == pair).all(axis=1).sum() for pair in expected]
        assert chisquare(seen, list(expected.values())).pvalue > 0.001

    def test_planted_agents_ask_the_same_sources_and_mostly_those_that_turn_away(self):
        busy = np.repeat([0.0, 0.8], 10)
        rounds = [AccessChoice().act_in_concert(busy, 5, DRAW.at(step=n)) for n in range(40)]
        assert all((one == one[0]).all() and len(set(one[0])) == 4 for one in rounds)
        assert np.mean([busy[one[0]] > 0 for one in rounds]) > 0.95
        assert len({tuple(sorted(one[0])) for one in rounds}) > 10
        assert AccessChoice().act_in_concert(busy, 0, DRAW).shape == (0, 4)
