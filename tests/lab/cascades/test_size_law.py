"""Sizes and shapes of branching cascades beside probabilities added up over all trees, and simulated ones."""

import os
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chisquare, nbinom, poisson

from lab.cascades.branching import branching_cascades
from lab.cascades.rumour_trees import read_rumour_trees
from lab.cascades.size_law import SizeLaw, cascades_of_sizes
from lab.fitting import Parameter, compare_held_out, maximise_likelihood
from openiir.core.errors import InputError
from openiir.core.seeds import Draw

DRAW = Draw(2, "test.sizes")
BOTH = pytest.mark.parametrize("dispersion", [0.3, np.inf])


def offspring_law(reproduction, dispersion):
    if np.isinf(dispersion):
        return poisson(reproduction)
    return nbinom(dispersion, dispersion / (dispersion + reproduction))


def trees_of(size, reproduction, dispersion):
    """All plane trees of a size, as offspring by breadth-first number, with probability and depth."""
    law = offspring_law(reproduction, dispersion)
    for offspring in product(range(size), repeat=size):
        depths, at = [0], 0
        while at < len(depths) <= size:
            depths += [depths[at] + 1] * offspring[at]
            at += 1
        if len(depths) == at == size:
            yield float(np.prod(law.pmf(offspring))), max(depths), offspring


@BOTH
def test_the_law_of_sizes_adds_up_the_chances_of_all_trees(dispersion):
    law = np.exp(SizeLaw(0.6, dispersion).log_probability([1, 2, 3, 4, 5]))
    for size, found in enumerate(law, 1):
        assert found == pytest.approx(sum(p for p, _, _ in trees_of(size, 0.6, dispersion)), rel=1e-9)


@BOTH
def test_sizes_of_simulated_cascades_follow_the_law(dispersion):
    law, trees = SizeLaw(0.7, dispersion), branching_cascades(20_000, 0.7, DRAW, 10**7, dispersion)
    edges = [1, 2, 3, 5, 9, 20, 10_001]
    shares = np.exp(law.log_probability(np.arange(1, 10_001)))
    wanted = np.add.reduceat(shares, np.array(edges[:-1]) - 1) * 20_000
    for sizes in (trees.size, law.draw(20_000, DRAW)):
        assert chisquare(np.histogram(sizes, edges)[0], wanted).pvalue > 0.01
    offspring = np.bincount(trees.parent[trees.parent >= 0], minlength=len(trees.parent))
    variance = 0.7 + (0.0 if np.isinf(dispersion) else 0.7**2 / dispersion)
    assert offspring.var() == pytest.approx(variance, rel=0.05)


def test_a_law_from_the_smallest_size_on_is_the_whole_one_rescaled():
    whole, tail = SizeLaw(0.7, 0.3), SizeLaw(0.7, 0.3, smallest=4)
    gap = tail.log_probability([4, 50]) - whole.log_probability([4, 50])
    rest = 1 - np.exp(whole.log_probability([1, 2, 3])).sum()
    assert gap == pytest.approx([-np.log(rest)] * 2) and tail.draw(500, DRAW).min() == 4


@BOTH
def test_shapes_of_a_given_size_are_those_of_all_trees_of_it(dispersion):
    chances = dict.fromkeys(range(1, 5), 0.0)
    for p, depth, _ in trees_of(5, 0.6, dispersion):
        chances[depth] += p
    wanted = np.array(list(chances.values())) / sum(chances.values())
    sizes = np.tile([1, 5], 4_000)
    trees = cascades_of_sizes(sizes, DRAW, dispersion)
    assert np.array_equal(trees.size, sizes)
    seen = np.bincount(trees.max_depth[1::2], minlength=5)[1:]
    assert chisquare(seen, wanted * 4_000).pvalue > 0.01
    assert (trees.depth == trees.shares.time).all()
    other = wanted[::-1] * 4_000
    assert chisquare(seen, other).pvalue < 1e-6


def test_another_cascade_changes_none_before_it():
    few, many = (cascades_of_sizes(np.full(n, 30), DRAW, 0.2) for n in (20, 30))
    assert many.parent[: 20 * 30].tolist() == few.parent.tolist()
    assert len(cascades_of_sizes([], DRAW)) == 0


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: SizeLaw(0.0), "both numbers are above 0"),
        (lambda: SizeLaw(0.5, 0.0), "both numbers are above 0"),
        (lambda: SizeLaw(0.5, 1.0, smallest=0), "sizes 1 or more"),
        (lambda: SizeLaw(0.5, 1.0, 5).log_probability([7, 4]), "cascades of 4 to 7 shares; this law is of 5"),
        (lambda: branching_cascades(3, 0.5, DRAW, dispersion=0.0), "dispersion is above 0"),
    ],
)
def test_bad_numbers_are_refused(ask, words):
    with pytest.raises(InputError, match=words):
        ask()


def test_sizes_that_cannot_tell_two_laws_apart_give_no_interval():
    sizes = SizeLaw(0.8, 0.1, smallest=5).draw(1_000, Draw(7, "fitting").at("sizes"))[::2]
    ranges = [Parameter("reproduction", 0.1, 0.99), Parameter("dispersion", 0.001, 100.0, log=True)]
    fit = maximise_likelihood(lambda values: SizeLaw(*values, smallest=5).log_probability(sizes), ranges)
    assert fit.peak["dispersion"] > 3 and not fit.estimates()["dispersion"].bounded
    assert "far from normal" in fit.reason
    best, other = (
        SizeLaw(*v, smallest=5).log_probability(sizes).sum() for v in (fit.peak.values(), (0.8, 0.1))
    )
    assert best - 2 < other <= best


def test_sizes_of_rumours_are_not_those_of_branching_and_poisson_offspring_is_further_off():
    folder = Path(os.environ.get("OPENIIR_DATA") or "") / "social-twitter15"
    if not os.environ.get("OPENIIR_DATA") or not folder.exists():
        pytest.skip("OPENIIR_DATA holds no social-twitter15")
    sizes = read_rumour_trees(folder).cleaned.trees.size
    half, smallest = DRAW.at("half").bits(item=np.arange(len(sizes))) % np.uint64(2) == 0, int(sizes.min())
    assert smallest == 56 and 700 < half.sum() < 790
    parameters = [Parameter("reproduction", 0.05, 0.999), Parameter("dispersion", 0.001, 10.0, log=True)]

    def law(values):
        return SizeLaw(values[0], values[1] if len(values) > 1 else np.inf, smallest)

    losses = {}
    for name, some in (("negative binomial", parameters), ("Poisson", parameters[:1])):
        fit = maximise_likelihood(lambda values: law(values).log_probability(sizes[half]), some)
        losses[name] = -law(tuple(fit.peak.values())).log_probability(sizes[~half])
    assert fit.estimates()["reproduction"].value == pytest.approx(0.975, abs=0.004)
    assert compare_held_out(losses, "Poisson")["negative binomial"].saving.low > 0.05
