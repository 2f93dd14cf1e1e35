"""Pairwise Jaccard against sets of Python, and what chance gives against counting and drawing."""

import math
from itertools import combinations

import numpy as np
import pytest

from openiir.core.seeds import Draw
from openiir.kit.measures import expected_jaccard, pairwise_jaccard
from openiir.kit.measures import overlap as module

DRAW = Draw(5, "test.overlap")


def rows(users=14, items=30, n=120, seed=4):
    rng = np.random.default_rng(seed)
    return rng.integers(0, users, n), rng.integers(0, items, n)


def jaccard(a, b):
    return len(a & b) / len(a | b)


@pytest.mark.parametrize(
    ("key", "value"), [((100, 5), 0.0283), ((100, 10), 0.0551), ((100, 20), 0.1134), ((1000, 20), 0.0104)]
)
def test_golden_expectations(key, value):
    assert expected_jaccard(*key) == pytest.approx(value, abs=5e-5)


@pytest.mark.parametrize(("items", "a", "b"), [(6, 2, 2), (6, 4, 3), (5, 5, 2), (7, 0, 3), (4, 4, 4)])
def test_the_expectation_is_the_mean_over_all_pairs_of_sets(items, a, b):
    found = [
        jaccard(set(x), set(y)) for x in combinations(range(items), a) for y in combinations(range(items), b)
    ]
    assert expected_jaccard(items, a, b) == pytest.approx(np.mean(found), abs=1e-12)
    assert expected_jaccard(items, b, a) == pytest.approx(np.mean(found), abs=1e-12)


def test_what_cannot_be_expected_says_why():
    assert expected_jaccard.measure(5, 0).reason == "both sets are empty"
    assert expected_jaccard.measure(5, 6).reason == "sets of 6 and 6 cannot be drawn from 5 items"
    assert expected_jaccard.measure(5, -1).reason == "sets of -1 and -1 cannot be drawn from 5 items"


def test_all_pairs_are_those_of_sets():
    user, item = rows()
    sets = [{int(i) for i in item[user == u]} for u in range(14)]
    found = pairwise_jaccard(user, item, 14, 30, DRAW)
    expected = [jaccard(a, b) for a, b in combinations(sets, 2)]
    assert found.jaccard.counted == len(expected) == 91
    assert found.jaccard.total == pytest.approx(sum(expected))
    chance = [expected_jaccard(30, len(a), len(b)) for a, b in combinations(sets, 2)]
    assert found.expected.total == pytest.approx(sum(chance))


def test_order_and_repetitions_do_not_matter():
    user, item = rows()
    twice = pairwise_jaccard(
        np.concatenate([user, user[::-1]]), np.concatenate([item, item[::-1]]), 14, 30, DRAW
    )
    assert twice == pairwise_jaccard(user, item, 14, 30, DRAW)


def test_pairs_without_anything_are_dropped_and_counted():
    found = pairwise_jaccard([0, 1], [3, 3], 4, 9, DRAW)
    assert found.jaccard == (1.0, 5, 1)
    assert found.expected.dropped == 1
    nobody = pairwise_jaccard([], [], 3, 9, DRAW).jaccard
    assert nobody == (0.0, 0, 3)
    assert math.isnan(nobody.measure("nobody consumed anything").value)


def test_a_sample_of_pairs_estimates_all():
    user, item = rows(users=150, items=60, n=3_000)
    whole = pairwise_jaccard(user, item, 150, 60, DRAW).jaccard
    sample = pairwise_jaccard(user, item, 150, 60, DRAW, most_pairs=4_000).jaccard
    assert whole.counted == 150 * 149 // 2 and sample.counted == 4_000
    assert sample.total / 4_000 == pytest.approx(whole.total / whole.counted, abs=0.003)
    assert sample.total / 4_000 != whole.total / whole.counted
    assert pairwise_jaccard(user, item, 150, 60, DRAW, most_pairs=4_000).jaccard == sample


def test_nobody_is_paired_with_themselves():
    user = np.arange(40)
    assert pairwise_jaccard(user, user, 40, 40, DRAW, most_pairs=700).jaccard == (0.0, 700, 0)


def test_random_sets_overlap_as_expected():
    rng = np.random.default_rng(9)
    user = np.repeat(np.arange(120), 20)
    item = np.concatenate([rng.permutation(300)[:20] for _ in range(120)])
    found = pairwise_jaccard(user, item, 120, 300, DRAW)
    assert found.jaccard.total == pytest.approx(found.expected.total, rel=0.03)
    assert found.expected.total / found.expected.counted == pytest.approx(expected_jaccard(300, 20))


def test_block_size_does_not_matter(monkeypatch):
    user, item = rows()
    whole = pairwise_jaccard(user, item, 14, 30, DRAW)
    monkeypatch.setattr(module, "_CELLS", 1)
    found = pairwise_jaccard(user, item, 14, 30, DRAW)
    assert found.jaccard == whole.jaccard
    assert found.expected.total == pytest.approx(whole.expected.total, rel=1e-14)
