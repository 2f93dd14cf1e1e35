"""A study's own recommender: how it is called, and what is refused of it."""

import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from openiir.core.errors import InputError, OwnCodeFailed
from openiir.kit.items import Collection, Ratings
from openiir.scenarios.recommender.model.recommenders import recommender
from openiir.scenarios.recommender.model.recommenders.listing import list_top_items


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = ModuleType("own_recommenders")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return module


class ByIndex:
    """Likes items with high indices, by so much."""

    def __init__(self, train: Ratings, collection: Collection, seed: int, slope: float = 1.0) -> None:
        self.row = slope * np.arange(len(collection)) + seed

    def __call__(self, users: Any) -> Any:
        return np.tile(self.row, (len(users), 1))


def test_a_class_and_a_function_are_called_with_what_there_is_to_know(
    own: ModuleType, train: Ratings, collection: Collection
) -> None:
    own.ByIndex, own.function = ByIndex, lambda *given, **options: ByIndex(*given, **options)
    for name in ("ByIndex", "function"):
        one = recommender(f"own_recommenders:{name}", {"slope": -2.0}, collection, 8)
        assert one.name == f"own_recommenders:{name}"
        one.fit(train)
        assert one.scores(np.array([3]))[0, :3].tolist() == [8.0, 6.0, 4.0]
        assert list_top_items(one, np.array([3]), 2).items.tolist() == [[0, 1]]


def test_it_cannot_change_what_the_platform_holds(
    own: ModuleType, train: Ratings, collection: Collection
) -> None:
    def spoil(given: Ratings, collection: Collection, seed: int) -> Any:
        given.matrix.data[:] = 99
        return lambda users: np.zeros((len(users), given.items))

    own.spoil = spoil
    recommender("own_recommenders:spoil", {}, collection, 1).fit(train)
    assert train.matrix.max() <= 5


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda users: np.zeros((len(users), 3)), "shape (1, 3)"),
        (lambda users: np.zeros(24), "shape (1, 24)"),
        (lambda users: np.full((len(users), 24), np.nan), "item 0"),
        (lambda users: np.full((len(users), 24), np.inf), "inf"),
        (lambda users: "these", "no numbers"),
        (3, "returned a int"),
    ],
)
def test_what_cannot_be_scores_is_refused(
    answer: Any, words: str, own: ModuleType, train: Ratings, collection: Collection
) -> None:
    own.make = lambda *given: answer
    one = recommender("own_recommenders:make", {}, collection, 1)
    with pytest.raises(InputError) as refused:
        one.fit(train)
        list_top_items(one, np.array([0]), 1)
    assert words in str(refused.value) and "own_recommenders:make" in str(refused.value)


def test_minus_infinity_is_never_shown(own: ModuleType, train: Ratings, collection: Collection) -> None:
    own.make = lambda *given: (
        lambda users: np.where(np.arange(24) == 5, 1.0, -np.inf) + np.zeros((len(users), 1))
    )
    one = recommender("own_recommenders:make", {}, collection, 1)
    one.fit(train)
    assert list_top_items(one, np.array([0]), 3).items.tolist() == [[5, -1, -1]]


def test_a_name_that_leads_nowhere_is_refused(collection: Collection) -> None:
    with pytest.raises(InputError, match="no_such_module"):
        recommender("no_such_module:thing", {}, collection, 1)


def test_an_option_that_the_function_does_not_take_is_said(
    own: ModuleType, train: Ratings, collection: Collection
) -> None:
    own.ByIndex = ByIndex
    with pytest.raises(
        OwnCodeFailed,
        match=r"'own_recommenders:ByIndex' raised TypeError: .*steep.* at .*test_callables.py, line \d+",
    ):
        recommender("own_recommenders:ByIndex", {"steep": 1}, collection, 1).fit(train)
