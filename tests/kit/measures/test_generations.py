"""Generations against generations, beside naive loops; Nash averaging beside a general optimiser."""

import math
from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import minimize

from openiir.core.errors import InputError
from openiir.core.seeds import Draw
from openiir.kit.measures import build_generation_matrix, cyclic_triads, find_disengagement, nash_average

DRAW = Draw(4, "test.generations")
CIRCLE = np.array([[0.0, -1, 1], [1, 0, -1], [-1, 1, 0]])


def draw_matrix(number, n):
    score = DRAW.uniform(agent=number, item=np.arange(n)[:, None], step=np.arange(n))
    error = 0.1 * DRAW.uniform(agent=number + 1000, item=np.arange(n)[:, None], step=np.arange(n))
    return score, error


def draw_advantage(number, n):
    score, _ = draw_matrix(number, n)
    return build_generation_matrix(score).advantage()


@pytest.mark.parametrize("number", range(6))
def test_every_measure_is_that_of_a_plain_loop(number):
    n = 3 + number
    numbers = np.cumsum(1 + DRAW.at("gap").below(2, item=np.arange(n), agent=number))
    score, error = draw_matrix(number, n)
    table = build_generation_matrix(score, error, numbers)
    for back in (1, 2, 3):
        steps = [
            score[g, h] - score[h, h] for g in range(n) for h in range(n) if numbers[g] - numbers[h] == back
        ]
        expected = math.fsum(steps) / len(steps) if steps else math.nan
        assert table.progress(back) == pytest.approx(expected, nan_ok=True)
    pairs = [(g, h) for g in range(n) for h in range(g)]
    worse = [score[g, h] < score[h, h] - math.hypot(error[g, h], error[h, h]) for g, h in pairs]
    assert table.forgetting() == pytest.approx(sum(worse) / len(pairs))
    assert table.generality() == pytest.approx([math.fsum(row) / n for row in score])
    other = table.swap_sides()
    for g in range(n):
        for h in range(n):
            assert other.score[g, h] == 1 - score[h, g] and other.error[g, h] == error[h, g]
            assert table.advantage()[g, h] == pytest.approx(score[g, h] - score[h, g], abs=2e-6)


def test_forgetting_and_progress_tell_an_arms_race_from_a_circle():
    n = 13
    race = build_generation_matrix(0.5 + 0.04 * (np.arange(n)[:, None] - np.arange(n)))
    assert race.progress(5) == pytest.approx(0.2) and race.forgetting() == 0
    assert cyclic_triads(race.advantage()) == 0
    angle = 2 * np.pi * np.arange(n) / n
    circle = build_generation_matrix(0.5 + 0.4 * np.sin(angle[:, None] - angle))
    assert circle.progress(3) == pytest.approx(0.4 * np.sin(6 * np.pi / n)) == -circle.progress(n - 3)
    most = (n**3 - n) / 24  # circles of a regular tournament, which no other one exceeds
    assert circle.forgetting() > 0.2
    assert cyclic_triads(circle.advantage()) == pytest.approx(most / math.comb(n, 3))
    weights, ratings = nash_average(circle.advantage())
    assert weights == pytest.approx(np.full(n, 1 / n), abs=1e-5) and ratings == pytest.approx(0, abs=1e-5)


def test_a_difference_within_its_error_is_not_forgotten():
    score = [[0.5, 0.5], [0.4, 0.5]]
    assert build_generation_matrix(score, 0.05).forgetting() == 1
    assert build_generation_matrix(score, 0.08).forgetting() == 0


@pytest.mark.parametrize("n", [3, 4, 7, 10])
def test_cyclic_triads_are_counted_as_one_by_one(n):
    wins = np.round(draw_advantage(n, n), 1)  # rounded, so that some tie
    signs = np.sign(wins)
    triads = combinations(range(n), 3)
    circles = sum(signs[a, b] == signs[b, c] == signs[c, a] != 0 for a, b, c in triads)
    assert cyclic_triads(wins) == pytest.approx(circles / math.comb(n, 3))


def test_a_tournament_at_random_has_a_quarter_of_its_triads_in_circles():
    found = [cyclic_triads(draw_advantage(100 + k, 25)) for k in range(40)]
    assert np.mean(found) == pytest.approx(0.25, abs=3 * np.std(found) / np.sqrt(40))
    assert math.isnan(cyclic_triads(np.zeros((2, 2))))


def test_a_circle_shares_the_weight_and_a_copy_changes_nothing():
    assert nash_average(CIRCLE)[0] == pytest.approx(np.full(3, 1 / 3))
    copied = [0, 0, 1, 2]
    assert nash_average(CIRCLE[np.ix_(copied, copied)])[0] == pytest.approx([1 / 6, 1 / 6, 1 / 3, 1 / 3])


def test_who_beats_everybody_has_all_the_weight():
    wins = np.sign(np.arange(6)[:, None] - np.arange(6)) * 0.25
    weights, ratings = nash_average(wins)
    assert weights == pytest.approx([0, 0, 0, 0, 0, 1]) and ratings == pytest.approx([-0.25] * 5 + [0])


def test_equals_share_the_weight():
    assert nash_average(np.zeros((5, 5)))[0] == pytest.approx(np.full(5, 0.2))


@pytest.mark.parametrize("number", range(8))
def test_nash_average_is_what_a_general_optimiser_finds(number):
    """The largest entropy among weights that nobody beats, by sequential quadratic programming."""
    n = 4 + number % 4
    wins = np.round(draw_advantage(number + 50, n) * 4) / 4  # coarse, so that equilibria are many
    weights, ratings = nash_average(wins)
    assert weights.sum() == pytest.approx(1) and (weights >= 0).all() and (ratings < 1e-6).all()
    rules = [{"type": "eq", "fun": lambda p: p.sum() - 1}, {"type": "ineq", "fun": lambda p: -(wins @ p)}]
    found = minimize(
        lambda p: float((p * np.log(np.maximum(p, 1e-12))).sum()),
        np.full(n, 1 / n),
        method="SLSQP",
        bounds=[(0, 1)] * n,
        constraints=rules,
        options={"maxiter": 500, "ftol": 1e-12},
    )
    assert found.success and weights == pytest.approx(found.x, abs=2e-3)


def test_disengagement_is_a_generation_without_differences():
    fitness = [[0.2, 0.4, 0.1], [0.3, 0.3, 0.3], [0.3, 0.3, 0.3005]]
    assert find_disengagement(fitness).tolist() == [False, True, True]
    assert find_disengagement(fitness, 1e-9).tolist() == [False, True, False]


@pytest.mark.parametrize(
    ("table", "numbers", "words"),
    [
        ([[0.1, 0.2]], None, "square table"),
        ([[0.1, math.nan], [0.2, 0.3]], None, "square table of numbers"),
        ([[0.1, 0.2], [0.2, 0.3]], [4, 4], "ascending"),
        ([[0.1, 0.2], [0.2, 0.3]], [4], "as many numbers"),
    ],
)
def test_tables_that_cannot_be_are_refused(table, numbers, words):
    with pytest.raises(InputError, match=words):
        build_generation_matrix(table, 0.0, numbers)


def test_an_advantage_that_is_no_mirror_image_is_refused():
    with pytest.raises(InputError, match="mirror image"):
        nash_average([[0, 1], [1, 0]])
    table = build_generation_matrix([[0.4]])
    assert math.isnan(table.progress(1)) and math.isnan(table.forgetting())
