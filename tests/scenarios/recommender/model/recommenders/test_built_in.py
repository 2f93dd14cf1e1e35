"""Every built-in recommender against what its paper says, spelled out without care for speed."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from openiir.core.errors import InputError
from openiir.kit.items import Collection, Ratings
from openiir.scenarios.recommender.model.recommenders import recommender
from openiir.scenarios.recommender.model.recommenders.als import solve_factors
from openiir.scenarios.recommender.model.recommenders.listing import list_top_items
from openiir.scenarios.recommender.model.recommenders.named import RECOMMENDERS

SMALL: Mapping[str, dict[str, Any]] = {
    "random": {},
    "popularity": {},
    "itemknn": {"neighbours": 5},
    "als": {"factors": 4, "rounds": 4},
    "multvae": {"hidden": 16, "latent": 6, "epochs": 40, "batch": 16, "rate": 0.01},
    "ease": {"l2": 5.0},
}


def fitted(name: str, train: Ratings, collection: Collection, seed: int = 3, **options: Any) -> np.ndarray:
    one = recommender(name, {**SMALL[name], **options}, collection, seed)
    one.fit(train)
    return one.scores(np.arange(train.users))


def test_all_are_tried() -> None:
    assert SMALL.keys() == RECOMMENDERS.keys()


@pytest.mark.parametrize("name", SMALL)
def test_scores_are_finite_and_the_same_however_they_are_asked_for(
    name: str, train: Ratings, collection: Collection
) -> None:
    one = recommender(name, SMALL[name], collection, 3)
    assert one.name == name
    one.fit(train)
    users = np.arange(train.users)
    scores = one.scores(users)
    assert (
        scores.shape == (train.users, train.items)
        and scores.dtype == np.float64
        and np.isfinite(scores).all()
    )
    some = np.array([7, 2, 39])
    np.testing.assert_allclose(one.scores(some), scores[some], atol=1e-6)
    one.fit(train)
    np.testing.assert_array_equal(one.scores(users), scores)
    with threadpool_limits(2):
        np.testing.assert_array_equal(fitted(name, train, collection), scores)


@pytest.mark.parametrize("name", ["itemknn", "als", "multvae", "ease"])
def test_those_that_learn_find_a_user_s_taste(name: str, train: Ratings, collection: Collection) -> None:
    one = recommender(name, SMALL[name], collection, 3)
    one.fit(train)
    users = np.arange(train.users - 1)
    shown = list_top_items(one, users, 2, train.seen).items
    # What is left unseen is of the other taste by two thirds.
    assert (shown % 2 == users[:, None] % 2).mean() > 0.85


@pytest.mark.parametrize("name", ["popularity", "itemknn", "als", "ease"])
def test_fitting_again_takes_up_new_ratings(name: str, train: Ratings, collection: Collection) -> None:
    one = recommender(name, SMALL[name], collection, 3)
    one.fit(train)
    before = one.scores(np.array([39]))
    one.fit(train.with_rows(np.array([39, 39]), np.array([1, 3]), np.array([5.0, 5.0])))
    assert (one.scores(np.array([39])) != before).any()


def test_random_depends_on_the_seed_and_not_on_who_else_is_asked(
    train: Ratings, collection: Collection
) -> None:
    first, second = (fitted("random", train, collection, seed) for seed in (1, 2))
    assert (first != second).all() and abs(first.mean() - 0.5) < 0.05


def test_popularity_counts(train: Ratings, collection: Collection) -> None:
    scores = fitted("popularity", train, collection)
    assert (scores == train.seen.toarray().sum(axis=0)).all()


def test_ease_is_the_regression_it_says_it_is(train: Ratings, collection: Collection) -> None:
    seen, weights = train.seen.toarray(), np.zeros((train.items, train.items))
    for item in range(train.items):
        others = [n for n in range(train.items) if n != item]
        x = seen[:, others]
        weights[others, item] = np.linalg.solve(x.T @ x + 5.0 * np.eye(len(others)), x.T @ seen[:, item])
    np.testing.assert_allclose(fitted("ease", train, collection), seen @ weights, atol=1e-9)


def test_itemknn_sums_the_similarities_of_an_item_s_nearest(train: Ratings, collection: Collection) -> None:
    seen = train.seen.toarray()
    norms = np.sqrt(np.maximum(seen.sum(axis=0), 1))
    cosine = seen.T @ seen / norms[:, None] / norms[None, :]
    scores = np.zeros(seen.shape)
    for item in range(train.items):
        others = [n for n in range(train.items) if n != item]
        for near in sorted(others, key=lambda n: (-round(cosine[item, n] * 2**20), n))[:5]:
            scores[:, item] += seen[:, near] * cosine[item, near]
    np.testing.assert_allclose(fitted("itemknn", train, collection), scores, atol=1e-5)


def test_als_solves_each_row_of_its_weighted_least_squares(train: Ratings) -> None:
    others = np.random.default_rng(1).normal(size=(train.items, 4))
    found = solve_factors(train.seen, others, l2=0.7, alpha=2.0)
    for user, row in enumerate(train.seen.toarray()):
        confidence = np.diag(1 + 2.0 * row)
        left = others.T @ confidence @ others + 0.7 * np.eye(4)
        np.testing.assert_allclose(found[user], np.linalg.solve(left, others.T @ confidence @ row), atol=1e-9)


def test_als_lowers_its_objective_with_every_round(train: Ratings, collection: Collection) -> None:
    seen = train.seen.toarray()
    errors = []
    for rounds in (1, 2, 4, 8):
        scores = fitted("als", train, collection, rounds=rounds)
        errors.append((np.where(seen > 0, 3.0, 1.0) * (seen - scores) ** 2).sum())
    assert errors == sorted(errors, reverse=True)


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("easy", {}, ["'easy'", "ease", "file:PATH"]),
        ("ease", {"lambda": 3}, ["'ease'", "lambda", "l2"]),
        ("ease", {"l2": -1}, ["l2", "greater than 0"]),
        ("random", {"seed": 1}, ["seed", "no options"]),
        (":x", {}, ["none is called so"]),
    ],
)
def test_unknown_names_and_options_are_refused(
    name: str, options: dict[str, Any], words: list[str], collection: Collection
) -> None:
    with pytest.raises(InputError) as refused:
        recommender(name, options, collection, 1)
    assert all(word in str(refused.value) for word in words), refused.value


def test_a_collection_too_large_for_a_square_is_refused(of_tastes: Callable[..., Ratings]) -> None:
    many = Ratings(2, 20_001, np.array([0]), np.array([20_000]), np.array([3.0]))
    ids = tuple(map(str, range(20_001)))
    one = recommender("ease", {}, Collection("item", ids, ids), 1)
    with pytest.raises(InputError, match="20,001 items"):
        one.fit(many)
