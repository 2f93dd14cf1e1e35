import math
from collections import Counter

import numpy as np
import pytest

from openiir.kit.items.collection import Collection
from openiir.kit.items.ratings import Ratings
from openiir.scenarios.recommender.model.persona.profile import LABELS, profiles


def by_hand(train, collection, user):
    rows = [
        (i, v)
        for u, i, v in zip(train.user.tolist(), train.item.tolist(), train.value.tolist(), strict=True)
        if u == user
    ]
    means = {i: np.mean([v for j, v in zip(train.item, train.value, strict=True) if j == i]) for i, _ in rows}
    genres = Counter(g for i, _ in rows for g in collection.values("genre", i))
    return (
        np.mean([v for _, v in rows]),
        len(rows),
        np.mean([(v - means[i]) ** 2 for i, v in rows]),
        len(genres),
    )


def test_numbers_are_those_of_the_formulas(train, collection):
    found = profiles(train, collection)
    for user in range(1, 12):
        assert found.of(user)[1:] == pytest.approx(by_hand(train, collection, user), abs=1e-5)


def test_levels_by_the_bounds_of_the_paper(collection):
    values = [[5, 5], [5, 4], [4, 4], [4, 3], [3, 4], [3, 3]]
    user, item = np.repeat(np.arange(6), 2), np.tile([0, 1], 6)
    train = Ratings(6, 40, user, item, np.array(values, dtype=np.float64).ravel())
    assert profiles(train, collection).levels[:, 0].tolist() == [0, 0, 1, 1, 1, 2]


def test_percentiles_of_agent4rec(train, collection):
    found = profiles(train, collection)
    counts = found.ratings[:12]
    low, high = np.percentile(counts, [60, 90])
    assert found.levels[:12, 1].tolist() == [int(c > low) + int(c > high) for c in counts]
    low, high = np.percentile(found.conformity[:12], [25, 80])
    assert found.levels[:12, 2].tolist() == [int(c > low) + int(c > high) for c in found.conformity[:12]]


def test_who_rated_nothing_is_in_the_middle(train, collection):
    nobody = profiles(train, collection).of(12)
    assert nobody.levels == (1, 1, 1, 1)
    assert nobody.ratings == 0 and math.isnan(nobody.mean) and math.isnan(nobody.genres)


def test_items_without_genres_leave_variety_open(train):
    plain = Collection("item", tuple(map(str, range(40))), tuple(map(str, range(40))))
    found = profiles(train, plain).of(11)
    assert math.isnan(found.genres) and found.levels[3] == 1


def test_words_and_labels_name_each_level(train, collection):
    found = profiles(train, collection).of(11)
    assert found.labels() == {
        name: LABELS[name][level] for name, level in zip(LABELS, found.levels, strict=True)
    }
    assert found.words("book").count(".") == 4
