"""Reasons to pick an item: what others who picked the same picked, fame, content, and the rating to expect."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from openiir.kit.items.ratings import Floats, Ints, Ratings
from openiir.scenarios.recommender.taste.blocks import FactorProduct
from openiir.scenarios.recommender.taste.neighbours import nearest


@dataclass(frozen=True, eq=False)
class Fame:
    """How many picked an item: log (1 + count), the same for everybody."""

    counts: Ints

    def block(self, users: Ints) -> Floats:
        """(len(users), items)"""
        return np.tile(np.log1p(self.counts), (len(users), 1))


@dataclass(frozen=True, eq=False)
class Walk:
    """Log probability of a random walk from what a user picked to an item."""

    seen: Any
    links: Any
    """Items x items, CSR: from a picked item to those it speaks for."""

    @classmethod
    def fit(cls, train: Ratings, k: int = 500, discount: float = 0.4) -> "Walk":
        """Links are chances of the walk item - user - item, over the target's popularity ^ discount; k to an item.

        RP3-beta (Paudel, Christoffel, Newell & Bernstein, TiiS 2017) with alpha 1: three steps from the user. It is
        the meta-path Movie-User-Movie with each step shared out evenly.
        """
        rated = np.bincount(train.user, minlength=train.users)
        steps = train.seen.copy()
        steps.data = 1 / np.repeat(np.maximum(rated, 1), np.diff(steps.indptr)) / train.counts[steps.indices]
        famous = np.maximum(train.counts, 1) ** -discount
        by_item = train.seen.T.tocsr()

        def rows(start: int, end: int) -> Floats:
            return np.asarray((by_item[start:end] @ steps).toarray() * famous[start:end, None])

        return cls(train.seen, nearest(rows, train.items, k))

    def block(self, users: Ints) -> Floats:
        """(len(users), items): log (sum + 1/20 of the user's mean), so that no link is not minus infinity."""
        sums = (self.seen[users] @ self.links).toarray()
        return np.log(sums + 0.05 * sums.mean(axis=1, keepdims=True) + 1e-12)


class ContentMatch(FactorProduct):
    """Cosine of an item's content (rows of length 1 or 0) with the mean content of what the user picked."""

    @classmethod
    def fit(cls, train: Ratings, about: Floats) -> "ContentMatch":
        """`about` are the items' features, (items, dimensions)."""
        lengths = np.sqrt((about**2).sum(axis=1, keepdims=True))
        about = about / np.maximum(lengths, 1e-12)
        rated = np.bincount(train.user, minlength=train.users)
        return cls(train.seen @ about / np.maximum(rated, 1)[:, None], about)
