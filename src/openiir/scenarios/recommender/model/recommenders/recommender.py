"""Protocol of a recommender under test, and the two that do not learn: random and popularity."""

from typing import Protocol

import numpy as np

from openiir.kit.arrays import Floats, Ints
from openiir.kit.items import Ratings
from openiir.plugin import Draw, Record


class Recommender(Protocol):
    """A recommender under test; users and items are indices of the ratings it was fitted to."""

    @property
    def name(self) -> str:
        """Name of the recommender in studies."""

    def fit(self, train: Ratings) -> None:
        """Fit to these ratings from scratch; called again with more of them where a study re-trains."""

    def scores(self, users: Ints) -> Floats:
        """Score all items for these users, (len(users), items): higher is better.

        float64; minus infinity marks items that are never recommended.
        """


class NoOptions(Record):
    """Options of a recommender without any."""


class RandomRecommender:
    """Random baseline: uniform scores for each user and item, the same after every fit."""

    name = "random"

    def __init__(self, options: NoOptions, seed: int) -> None:
        self._draw = Draw(seed, "recommender/random")

    def fit(self, train: Ratings) -> None:
        self._items = np.arange(train.items)

    def scores(self, users: Ints) -> Floats:
        found: Floats = self._draw.uniform(agent=np.asarray(users)[:, None], item=self._items)
        return found


class PopularityRecommender:
    """Popularity baseline: scores are the items' numbers of training ratings, the same for all users."""

    name = "popularity"

    def __init__(self, options: NoOptions, seed: int) -> None:
        """Take no options, and no seed: nothing is drawn."""

    def fit(self, train: Ratings) -> None:
        self._counts = train.counts.astype(np.float64)

    def scores(self, users: Ints) -> Floats:
        return np.tile(self._counts, (len(users), 1))
