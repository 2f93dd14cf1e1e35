"""Non-personalised baselines: random and popularity."""

import numpy as np

from openiir.kit.arrays import Floats, Ints
from openiir.kit.items import Ratings
from openiir.plugin import Draw
from openiir.scenarios.recommender.model.recommenders.recommender import NoOptions


class RandomRecommender:
    """Random baseline: uniform scores for each user and item, the same after every fit."""

    name = "random"

    def __init__(self, options: NoOptions, seed: int) -> None:
        self._draw = Draw(seed, "recommender/random")
        self._items = 0

    def fit(self, train: Ratings) -> None:
        self._items = train.items

    def scores(self, users: Ints) -> Floats:
        found: Floats = self._draw.uniform(
            agent=np.asarray(users)[:, None], item=np.arange(self._items)[None, :]
        )
        return found


class PopularityRecommender:
    """Popularity baseline: scores are the items' numbers of training ratings, the same for all users."""

    name = "popularity"

    def __init__(self, options: NoOptions, seed: int) -> None:
        self._counts: Floats = np.empty(0)

    def fit(self, train: Ratings) -> None:
        self._counts = train.counts.astype(np.float64)

    def scores(self, users: Ints) -> Floats:
        return np.tile(self._counts, (len(users), 1))
