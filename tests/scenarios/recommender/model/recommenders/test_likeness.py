"""What goes with items, against plain loops over who rated them."""

import math
import random

import numpy as np
import pytest

from openiir.kit.items import Ratings
from openiir.plugin import quantise
from openiir.scenarios.conversational.model.item_similarity import ItemSimilarity


def made(seed: int, users: int = 12, items: int = 15) -> Ratings:
    rng = random.Random(seed)
    at = np.array(sorted(rng.sample(range(users * items), rng.randint(1, 60))))
    return Ratings(users, items, at // items, at % items, np.full(len(at), 3.0))


def plainly_nearest(train: Ratings, item: int, k: int) -> list[tuple[int, float]]:
    raters = [set(train.user[train.item == other].tolist()) for other in range(train.items)]
    found = []
    for other, who in enumerate(raters):
        if other != item and (both := len(who & raters[item])):
            found.append((other, quantise(both / math.sqrt(len(who) * len(raters[item])))))
    return sorted(found, key=lambda one: (-one[1], one[0]))[:k]


def test_nearest_by_cosine() -> None:
    for seed in range(60):
        train, k = made(seed), 1 + seed % 5
        likeness = ItemSimilarity(train, k)
        for item in range(train.items):
            near, cosines = likeness.nearest(item)
            assert list(zip(near.tolist(), cosines.tolist(), strict=True)) == plainly_nearest(train, item, k)


def test_a_basket_speaks_for_the_nearest_of_each_of_its_items() -> None:
    for seed in range(20):
        train = made(seed)
        basket = random.Random(seed).sample(range(train.items), 4)
        plain = np.zeros(train.items)
        for item in basket:
            for other, cosine in plainly_nearest(train, item, 3):
                plain[other] += cosine
        found = ItemSimilarity(train, 3).score_similar([*basket, basket[0]])
        assert found == pytest.approx(plain, abs=1e-12)
