"""Item-to-item similarity, computed for one item at a time on demand."""

from collections.abc import Iterable
from functools import lru_cache

import numpy as np

from openiir.kit.arrays import Floats, Ints
from openiir.kit.items import Ratings
from openiir.plugin import order_by, quantise

_KEPT = 10_000
"""Number of items whose neighbours are cached."""


class ItemSimilarity:
    """Cosine similarity of items by their raters, for the `neighbours` nearest items of each.

    Deshpande & Karypis, "Item-based top-N recommendation algorithms", TOIS 2004: every item of a basket
    speaks for its own nearest. A rating of any value counts as 1. Nothing is computed for an item before it
    is asked for.
    """

    def __init__(self, train: Ratings, neighbours: int) -> None:
        self._seen = train.seen
        self._raters = train.seen.T.tocsr()
        self._norm = np.sqrt(np.maximum(train.counts, 1))
        self._neighbours = neighbours
        self.nearest = lru_cache(_KEPT)(self._find_nearest)
        """Function from an item to its nearest items and their cosines, best first; cached."""

    def score_similar(self, items: Iterable[int]) -> Floats:
        """Score all items, (items,), by the sum of their cosines to the given items.

        A cosine counts only if the scored item is among the nearest of the given one.
        """
        scores = np.zeros(len(self._norm))
        for item in sorted(set(items)):
            near, cosines = self.nearest(item)
            scores[near] += cosines
        return scores

    def _find_nearest(self, item: int) -> tuple[Ints, Floats]:
        """Find an item's nearest items and their cosines, best first.

        Cosines lie on the grid of 2^-20; ties go to the smaller index. Items that nobody rated with it are
        left out.
        """
        raters = self._raters.indices[self._raters.indptr[item] : self._raters.indptr[item + 1]]
        together = np.bincount(self._seen[raters].indices, minlength=len(self._norm))
        together[item] = 0
        near = np.flatnonzero(together)
        cosines: Floats = np.asarray(quantise(together[near] / (self._norm[near] * self._norm[item])))
        order = order_by(-cosines)[: self._neighbours]
        return near[order], cosines[order]
