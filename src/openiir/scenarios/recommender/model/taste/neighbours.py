"""Item-based nearest-neighbour model of ratings."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from openiir.kit.items.ratings import Floats, Ints, Ratings
from openiir.plugin import order_by

_CELLS = 2**21
"""Number of similarities held in memory at a time."""
_TYPICAL = 1_000
"""Number of users over whom the typical sum of weights is taken."""


@dataclass(frozen=True, eq=False)
class NeighbourModel:
    """Item-based nearest neighbours on rating residuals (Sarwar et al., WWW 2001).

    The similarity of two items is (adjusted cosine x sqrt(cosine of who picked them))^1.5 where positive.
    Both cosines are over all users, a missing rating counting as none: that shrinks pairs with few common
    users by itself, and did better on validation ratings than a cosine over common users with a shrinkage
    constant.
    """

    residuals: Any
    seen: Any
    weights: Any
    """CSR (items, items) weights from a rated item to a predicted one, which has its `k` nearest."""
    shrink: float

    @classmethod
    def fit(cls, train: Ratings, residuals: Any, k: int = 200) -> "NeighbourModel":
        """Fit to residuals (users x items, CSR).

        A prediction shrinks towards 0 where its weights sum to less than typical.
        """
        weights = select_nearest(_similarities(train, residuals), train.items, k)
        some = train.seen[:_TYPICAL]
        found = some.multiply(some @ weights).data
        return cls(residuals, train.seen, weights, 0.3 * float(np.median(found)) if len(found) else 1.0)

    def block(self, users: Ints) -> Floats:
        """Predict the residuals of these users for all items, (len(users), items)."""
        evidence = (self.seen[users] @ self.weights).toarray()
        said = (self.residuals[users] @ self.weights).toarray()
        return np.asarray(said / np.maximum(evidence + self.shrink, 1e-12))


def select_nearest(similarities: Any, items: int, k: int) -> Any:
    """Select the k largest positive similarities of each item; returns a CSR matrix, a column an item.

    `similarities(start, end)` gives the rows of items start to end as an array; ties go to the smaller index.
    """
    from scipy.sparse import csc_array

    k = min(k, items)
    kept: list[Floats] = []
    at: list[Ints] = []
    step = max(_CELLS // max(items, 1), 1)
    for start in range(0, items, step):
        rows = similarities(start, min(start + step, items))
        numbers = np.arange(len(rows))
        rows[numbers, start + numbers] = 0
        least = -np.partition(-rows, k - 1, axis=1)[:, k - 1]
        for row, bound in zip(rows, least.tolist(), strict=True):
            near = np.flatnonzero(row >= bound) if bound > 0 else np.flatnonzero(row > 0)
            near = np.sort(near[order_by(-row[near])[:k]])
            at.append(near)
            kept.append(row[near])
    ends = np.cumsum([0, *map(len, at)])
    return csc_array((np.concatenate(kept), np.concatenate(at), ends), shape=(items, items)).tocsr()


def _similarities(train: Ratings, residuals: Any) -> Any:
    norms = np.sqrt(np.bincount(residuals.indices, residuals.data**2, train.items))
    scale = np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0)
    picks = train.seen.copy()
    picks.data = 1 / np.sqrt(train.counts[picks.indices])
    by_item, picked = residuals.T.tocsr(), picks.T.tocsr()

    def rows(start: int, end: int) -> Floats:
        likeness = (by_item[start:end] @ residuals).toarray() * scale[start:end, None] * scale
        together = (picked[start:end] @ picks).toarray()
        product = np.maximum(likeness, 0) * np.sqrt(together)
        return np.asarray(product * np.sqrt(product))

    return rows
