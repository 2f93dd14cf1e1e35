"""Lists against a plain sort; what is excluded is never shown."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from openiir.core.errors import InputError
from openiir.kit.items import Collection, Ratings
from openiir.kit.rankers import NONE
from openiir.scenarios.recommender.model.recommenders import recommender
from openiir.scenarios.recommender.model.recommenders.listing import list_top_items, top_items

RNG = np.random.default_rng(4)


@pytest.mark.parametrize("k", [1, 4, 9, 12])
def test_top_is_a_sort_by_falling_score_and_rising_index(k: int) -> None:
    scores = RNG.choice([-np.inf, -2.0, 0.0, 0.5, 0.5 + 2.0**-30, 3.0], (20, 9))
    exclude = csr_array((RNG.random((20, 9)) < 0.3).astype(np.float64))
    found = top_items(scores, k, exclude)
    assert found.items.shape == found.scores.shape == (20, k)
    for user, row in enumerate(scores):
        left = [n for n in range(9) if row[n] > -np.inf and not exclude.toarray()[user, n]]
        order = sorted(left, key=lambda n: (-round(row[n] * 2**20), n))[:k]
        assert found.items[user].tolist() == order + [NONE] * (k - len(order))
        np.testing.assert_allclose(found.scores[user][: len(order)], row[order], atol=2.0**-20)
        assert np.isnan(found.scores[user][len(order) :]).all()


def test_what_is_stored_is_excluded_whatever_its_value() -> None:
    exclude = csr_array((np.array([0.0]), (np.array([0]), np.array([1]))), shape=(1, 3))
    assert top_items(np.array([[1.0, 3.0, 2.0]]), 2, exclude).items.tolist() == [[2, 0]]


def test_the_caller_s_scores_are_left_alone() -> None:
    scores = np.array([[1.0, -np.inf]])
    scores.flags.writeable = False
    assert top_items(scores, 2).items.tolist() == [[0, NONE]]


@pytest.mark.parametrize("wrong", [np.nan, np.inf, 1e18])
def test_scores_that_cannot_be_ranked_are_refused(wrong: float) -> None:
    with pytest.raises(InputError, match="score"):
        top_items(np.array([[0.0, wrong]]), 1)


@pytest.mark.parametrize("block", [1, 7, 1_000])
def test_lists_are_the_same_in_any_blocks(block: int, train: Ratings, collection: Collection) -> None:
    one = recommender("ease", {}, collection, 1)
    one.fit(train)
    users = np.array([5, 0, 39, 12, 5])
    whole = top_items(one.scores(users), 4, train.seen[users])
    found = list_top_items(one, users, 4, train.seen, block=block)
    np.testing.assert_array_equal(found.items, whole.items)
    np.testing.assert_array_equal(found.scores, whole.scores)
    assert not train.seen.toarray()[users[:, None], found.items].any()


def test_a_recommender_s_nan_is_named(train: Ratings) -> None:
    class Broken:
        name = "broken"

        def fit(self, train: Ratings) -> None:
            pass

        def scores(self, users: np.ndarray) -> np.ndarray:
            return np.full((len(users), 3), np.nan)

    with pytest.raises(InputError, match="'broken'"):
        list_top_items(Broken(), np.array([1]), 2)
