"""Neutral drift beside the theory of the haploid Wright-Fisher population, N = 20."""

import math

import numpy as np
import pytest

from openiir.core.seeds import Draw
from openiir.kit.evolution import NO_PARENT, Birth, GenomeSpec, TextLocus, build_lineage, random_parents
from openiir.kit.measures import hill_number

N, POPULATIONS, GENERATIONS = 20, 400, 220
DRAW = Draw(11, "test.drift").at(agent=np.arange(POPULATIONS)[:, None])


@pytest.fixture(scope="module")
def parents():
    """Parents (generations, populations, agents) of populations without any selection."""
    return np.array([random_parents(N, N, DRAW, generation) for generation in range(1, GENERATIONS)])


def pass_on(types, parents):
    """Types of all agents by generation, from those of founders (populations, agents)."""
    found = [types]
    for chosen in parents:
        found.append(np.take_along_axis(found[-1], chosen, axis=1))
    return np.array(found)


def expected_coalescence():
    """Mean generations to the common ancestor of N by the chain of the number of ancestors.

    From k lineages to j: the chance that k balls in N boxes fill j, by adding a ball at a time.
    """
    step = np.zeros((N + 1, N + 1))
    step[0, 0] = 1
    for k in range(N):
        for j in range(k + 1):
            step[k + 1, j] += step[k, j] * j / N
            step[k + 1, j + 1 if j < N else j] += step[k, j] * (N - j) / N
    many = slice(2, N + 1)
    return float(np.linalg.solve(np.eye(N - 1) - step[many, many], np.ones(N - 1))[-1])


def test_heterozygosity_falls_by_one_over_n_a_generation(parents):
    types = pass_on(np.tile(np.arange(N), (POPULATIONS, 1)), parents[:40])
    for generation in (1, 5, 13, 26, 40):
        found = [1 - 1 / hill_number(np.bincount(row, minlength=N), 2) for row in types[generation]]
        expected = (1 - 1 / N) * 0.95**generation
        assert np.mean(found) == pytest.approx(expected, abs=3.3 * np.std(found) / math.sqrt(POPULATIONS))


def test_a_founder_is_fixed_with_probability_one_over_n(parents):
    last = pass_on(np.tile(np.arange(N), (POPULATIONS, 1)), parents)[-1]
    assert (last == last[:, :1]).all()
    fixed = np.bincount(last[:, 0], minlength=N)
    assert (
        (fixed - POPULATIONS / N) ** 2 / (POPULATIONS / N)
    ).sum() < 43.8  # chi-squared, 19 degrees, p = .001


def test_the_time_to_the_common_ancestor_is_that_of_theory(parents):
    """37.3 generations by the exact chain; the large-N coalescent has 2N (1 - 1/N) = 38."""
    genome = GenomeSpec("neutral", 1, {"type": TextLocus(options={"a": "A"})}).build({"type": "A"})
    founders, times = [Birth(NO_PARENT, genome)] * N, []
    for population in range(0, POPULATIONS, 3):
        cohorts = [[Birth(int(parent), genome) for parent in row] for row in parents[:, population]]
        lineage = build_lineage([founders, *cohorts], ["type"])
        last = range(len(lineage.births) - N, len(lineage.births))
        times.append(lineage.coalescence_time(last))
        assert {one.fixed for one in lineage.fixations()} and lineage.survival()[-1] == 1
    interval = 3.3 * np.std(times) / math.sqrt(len(times))
    for theory in (expected_coalescence(), 37.4):
        assert interval < 7 and np.mean(times) == pytest.approx(theory, abs=interval)
