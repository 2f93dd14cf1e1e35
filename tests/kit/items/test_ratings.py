"""Ratings in columns and their splits, beside what plain loops make of them."""

import numpy as np
import pytest

from openiir.kit.items import Collection, Ratings, Scale, split
from openiir.plugin import InputError


def some(users=12, items=30, seed=5):
    draws = np.random.default_rng(seed)
    pairs = np.sort(draws.choice(users * items, 150, replace=False))
    pairs = pairs[pairs // items != 3]  # user 3 has none, and user 4 has one
    pairs = np.append(pairs[pairs // items != 4], 4 * items + 7)
    value = draws.integers(1, 6, len(pairs)).astype(float)
    return Ratings(users, items, pairs // items, pairs % items, value)


class TestRatings:
    def test_views_are_those_of_loops(self):
        ratings = some()
        rows = list(zip(ratings.user.tolist(), ratings.item.tolist(), ratings.value.tolist(), strict=True))
        for item in range(30):
            own = [v for _, i, v in rows if i == item]
            assert ratings.counts[item] == len(own)
            assert (
                ratings.item_means[item] == pytest.approx(np.mean(own))
                if own
                else np.isnan(ratings.item_means[item])
            )
        for user in range(12):
            items, values = ratings.of(user)
            assert [*zip(items.tolist(), values.tolist(), strict=True)] == sorted(
                (i, v) for u, i, v in rows if u == user
            )
        assert ratings.seen.sum() == len(ratings) and ratings.mean == pytest.approx(
            np.mean([v for *_, v in rows])
        )

    def test_what_is_new_is_added_once(self):
        ratings = some()
        has = (int(ratings.user[0]), int(ratings.item[0]))
        new = next((0, i) for i in range(30) if i not in ratings.of(0)[0])
        user, item = (np.array(column) for column in zip(has, new, new, strict=True))
        more = ratings.with_rows(user, item, np.array([1.0, 2.0, 3.0]))
        assert len(more) == len(ratings) + 1 and more.value[-1] == 2 and more.value[0] == ratings.value[0]
        assert len(ratings.select(ratings.user == 4)) == 1

    def test_what_does_not_fit(self):
        one = np.array([0])
        for told, args in {
            "names user 2 of 2": (2, 3, np.array([2]), one, np.array([3.0])),
            "names item 3 of 3": (2, 3, one, np.array([3]), np.array([3.0])),
            "reach from 0 to 0, but the scale is 1 to 5": (2, 3, one, one, np.array([0.0])),
            "one user, one item and one value": (2, 3, one, one, np.array([])),
            "rated one item twice": (2, 3, np.array([1, 0, 1]), np.array([2, 2, 2]), np.array([3.0, 4, 5])),
        }.items():
            with pytest.raises(InputError, match=told):
                Ratings(*args)
        with pytest.raises(ValueError, match="read-only"):
            some().value[0] = 1
        assert Ratings(2, 3, one, one, np.array([0.0]), Scale(0, 1, 1)).mean == 0


class TestSplits:
    def test_as_the_rule_says(self):
        ratings = some()
        folds = split(ratings, 42)
        generator = np.random.default_rng(42)
        expected = {"test": set(), "validation": set(), "train": set()}
        for user in range(ratings.users):
            rows = np.flatnonzero(ratings.user == user)
            order = rows[generator.permutation(len(rows))].tolist()
            held = max(1, int(len(rows) * 0.1 + 0.5)) if len(rows) >= 3 else 0
            expected["test"] |= {*order[:held]}
            expected["validation"] |= {*order[held : 2 * held]}
            expected["train"] |= {*order[2 * held :]}
        for name, rows in expected.items():
            assert getattr(folds, name).pairs.tolist() == ratings.pairs[sorted(rows)].tolist()

    def test_users_with_little_stay_in_training(self):
        folds = split(some(), 1)
        assert len(folds.train.of(4)[0]) == 1 and not len(folds.train.of(3)[0])

    def test_other_shares(self):
        folds = split(some(), 1, validation=0, test=0.5)
        assert not len(folds.validation) and abs(len(folds.test) - len(folds.train)) <= 12
        with pytest.raises(InputError, match="leave nothing to train on"):
            split(some(), 1, 0.5, 0.5)


class TestCollections:
    def test_what_is_known(self):
        films = Collection("movie", ("a", "b"), ("A", "B"), {"genre": (("x",), ())}, summaries=("s", ""))
        assert (
            films.index == {"a": 0, "b": 1}
            and films.values("genre", 0) == ("x",)
            and films.values("actor", 0) == ()
        )
        assert films.text("summaries", 0) == "s" and films.text("images", 1) == "" and len(films) == 2

    def test_what_does_not_fit(self):
        with pytest.raises(InputError, match="'a' comes twice"):
            Collection("book", ("a", "a"), ("A", "B"))
        with pytest.raises(InputError, match="a collection of 2 items has 1 genre"):
            Collection("book", ("a", "b"), ("A", "B"), {"genre": ((),)})
