"""Signals of interest in an item: popularity, co-picks with earlier picks, and content."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from openiir.kit.items.ratings import Floats, Ints, Ratings
from openiir.scenarios.recommender.model.taste.blocks import FactorProduct
from openiir.scenarios.recommender.model.taste.neighbours import select_nearest


@dataclass(frozen=True, eq=False)
class PopularitySignal:
    """Popularity signal: log (1 + number of picks), the same for all users."""

    counts: Ints

    def block(self, users: Ints) -> Floats:
        """Repeat the popularity of all items for each user, (len(users), items)."""
        return np.tile(np.log1p(self.counts), (len(users), 1))


@dataclass(frozen=True, eq=False)
class RandomWalkSignal:
    """Random-walk signal: log probability of a walk from a user's picks to an item."""

    seen: Any
    links: Any
    """CSR (items, items) walk probabilities from a picked item to another."""

    @classmethod
    def fit(cls, train: Ratings, k: int = 500, discount: float = 0.4) -> "RandomWalkSignal":
        """Fit the probabilities of walks item - user - item, discounted by popularity; k for an item.

        The discount is a division by the target's popularity ^ discount. RP3-beta (Paudel, Christoffel,
        Newell & Bernstein, TiiS 2017) with alpha 1: three steps from the user. It is the meta-path
        Movie-User-Movie with each step shared out evenly.
        """
        rated = np.bincount(train.user, minlength=train.users)
        steps = train.seen.copy()
        steps.data = 1 / np.repeat(np.maximum(rated, 1), np.diff(steps.indptr)) / train.counts[steps.indices]
        famous = np.maximum(train.counts, 1) ** -discount
        by_item = train.seen.T.tocsr()

        def rows(start: int, end: int) -> Floats:
            return np.asarray((by_item[start:end] @ steps).toarray() * famous[start:end, None])

        return cls(train.seen, select_nearest(rows, train.items, k))

    def block(self, users: Ints) -> Floats:
        """Compute the signal of all items for these users, (len(users), items).

        It is log (sum + 1/20 of the user's mean), so that it is finite without a walk.
        """
        sums = (self.seen[users] @ self.links).toarray()
        return np.log(sums + 0.05 * sums.mean(axis=1, keepdims=True) + 1e-12)


class ContentMatch(FactorProduct):
    """Content signal: cosine of an item with the mean content of a user's picks.

    Rows of content have length 1 or 0.
    """

    @classmethod
    def fit(cls, train: Ratings, about: Floats) -> "ContentMatch":
        """Compute the mean content of each user's picks; `about` are the items' features."""
        lengths = np.sqrt((about**2).sum(axis=1, keepdims=True))
        about = about / np.maximum(lengths, 1e-12)
        rated = np.bincount(train.user, minlength=train.users)
        return cls(train.seen @ about / np.maximum(rated, 1)[:, None], about)
