"""Rating biases: the part of a rating explained by the user and the item alone."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from openiir.kit.arrays import Floats, Ints
from openiir.kit.items.ratings import Ratings


@dataclass(frozen=True, eq=False)
class BiasModel:
    """Baseline predictor of ratings: overall mean plus shrunken user and item offsets."""

    mean: float
    users: Floats
    """(users,) deviation of each user."""
    items: Floats
    """(items,) deviation of each item."""

    @classmethod
    def fit(cls, train: Ratings, user_shrink: float = 6.0, item_shrink: float = 2.0) -> "BiasModel":
        """Fit user and item offsets by ten rounds of alternating ridge regression.

        Without any rating, the mean is the middle of the scale.
        """
        users, items = np.zeros(train.users), np.zeros(train.items)
        if not len(train):
            return cls((train.scale.low + train.scale.high) / 2, users, items)
        rated = np.bincount(train.user, minlength=train.users)
        above = train.value - train.mean
        for _ in range(10):
            left = np.bincount(train.item, above - users[train.user], train.items)
            items = left / (train.counts + item_shrink)
            left = np.bincount(train.user, above - items[train.item], train.users)
            users = left / (rated + user_shrink)
        return cls(train.mean, users, items)

    def block(self, users: Ints) -> Floats:
        """Predict the ratings of these users for all items, (len(users), items)."""
        return self.mean + self.users[users, None] + self.items

    def residuals(self, train: Ratings) -> Any:
        """Subtract the predictions from the ratings; returns a CSR matrix, users x items."""
        left = train.matrix.copy()
        of = np.repeat(np.arange(train.users), np.diff(left.indptr))
        left.data = left.data - (self.mean + self.users[of] + self.items[left.indices])
        return left
