"""What past ratings make of an item's utility."""

import numpy as np
import pytest
from small_catalogue import FILMS, HELD_OUT, RATINGS, TASTES

from openiir.kit.items.bias import BiasModel
from openiir.scenarios.conversational.model.taste import NEWCOMER, TasteModel


def test_leanings_are_shrunken_means_of_what_biases_leave() -> None:
    bias = BiasModel.fit(RATINGS)
    rated = ((1, 5.0), (2, 1.0))
    left = {item: value - (bias.mean + bias.users[0] + bias.items[item]) for item, value in rated}
    taste = TASTES.user_taste(0)
    assert taste.leaning(("genre", "action")) == pytest.approx(left[1] / 4, abs=1e-4)
    assert taste.leaning(("genre", "horror")) == pytest.approx(left[2] / 4, abs=1e-4), (
        "another horror film is held out"
    )
    assert taste.favourite("genre") in ("action", "crime")


def test_utility_weighs_the_need_and_the_rating_expected() -> None:
    taste = TASTES.user_taste(0)
    stars = taste.expected_rating(0)
    assert stars is not None and 1 <= stars <= 5
    assert taste.utility(0.5, 0) == pytest.approx(0.7 * 0.5 + 0.3 * (stars - 1) / 4, abs=1e-6)


def test_without_ratings_the_need_alone_counts() -> None:
    taste = TASTES.user_taste(NEWCOMER)
    assert taste.expected_rating(0) is None
    assert taste.utility(0.5, 0) == 0.5
    assert not taste.consumed and not taste.liked and taste.favourite("genre") is None


def test_expected_ratings_stay_on_the_scale_for_all_items() -> None:
    expected = np.array(
        [TASTES.user_taste(user).expected_rating(item) for user in range(3) for item in range(len(FILMS))]
    )
    assert expected.min() >= 1 and expected.max() <= 5


def test_what_is_held_out_is_what_a_user_would_say_of_it_and_has_not_had() -> None:
    taste = TASTES.user_taste(0)
    assert taste.expected_rating(3) == 1.0 and taste.dislikes(3)
    assert TASTES.user_taste(1).expected_rating(2) == 5.0 and not TASTES.user_taste(1).dislikes(2)
    assert taste.consumed == {1, 2}
    assert not taste.dislikes(0), "what nobody knows is not disliked"


def test_what_a_study_asks_of_taste_makes_more_items_disliked() -> None:
    picky = TasteModel(FILMS, RATINGS, HELD_OUT, least=3.5)
    for user in range(3):
        taste = picky.user_taste(user)
        for item in range(len(FILMS)):
            expected = taste.expected_rating(item)
            assert expected is not None
            assert taste.dislikes(item) == (expected < 3.5)
    assert not picky.user_taste(NEWCOMER).dislikes(0), "of a newcomer nothing is expected"
