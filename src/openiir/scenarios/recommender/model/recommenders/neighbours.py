"""Recommenders by an item x item weight matrix: EASE and item-based nearest neighbours."""

from typing import Any

import numpy as np
from pydantic import Field
from threadpoolctl import threadpool_limits

from openiir.kit.arrays import Floats, Ints
from openiir.kit.items import Ratings
from openiir.plugin import InputError, Record, quantise
from openiir.scenarios.recommender.model.taste.neighbours import select_nearest

MOST = 20_000
"""Largest number of items for `ease`, whose two square matrices then take 6.4 GB."""


class EaseOptions(Record):
    """Options of the recommender `ease`."""

    l2: float = Field(default=800.0, gt=0, le=1e7)
    """Penalty on squared weights, lambda in the paper."""


class LinearRecommender:
    """Recommender that scores items by summing the weight rows of the user's rated items."""

    _seen: Any
    """CSR mask (users, items) of rated items."""
    _weights: Any
    """(items, items) weights as an array or CSR, from a rated item to the items it recommends."""

    def scores(self, users: Ints) -> Floats:
        found = self._seen[users] @ self._weights
        return found if isinstance(found, np.ndarray) else np.asarray(found.toarray())


class Ease(LinearRecommender):
    """EASE: linear regression of every item on all other items, solved in closed form.

    Steck, "Embarrassingly Shallow Autoencoders for Sparse Data", WWW 2019. A rating of any value counts as 1.
    """

    name = "ease"

    def __init__(self, options: EaseOptions, seed: int) -> None:
        self._l2 = options.l2

    def fit(self, train: Ratings) -> None:
        from scipy.linalg import lapack

        if train.items > MOST:
            raise InputError(
                f"recommender {self.name!r} holds items x items numbers, too many for {train.items:,} items "
                f"(at most {MOST:,}); take als, or a smaller collection"
            )
        self._seen = train.seen
        gram = (self._seen.T @ self._seen).toarray(order="F")
        gram[np.diag_indices_from(gram)] += self._l2
        with threadpool_limits(1):
            # The Gram matrix with its penalty is positive definite: its inverse by Cholesky, in place, upper
            # half.
            factor, failed = lapack.dpotrf(gram, overwrite_a=True)
            inverse, _ = lapack.dpotri(factor, overwrite_c=True)
        if failed:
            raise InputError(
                f"recommender {self.name!r}: l2 = {self._l2:g} is too small for these ratings; raise it"
            )
        inverse += np.triu(inverse, 1).T
        weights = inverse.T  # the same numbers, row by row
        weights /= -np.diag(inverse).copy()
        np.fill_diagonal(weights, 0.0)
        self._weights = weights


class ItemKnnOptions(Record):
    """Options of the recommender `itemknn`."""

    neighbours: int = Field(default=100, ge=1, le=10_000)
    """Number of nearest items that each item recommends."""


class ItemKnn(LinearRecommender):
    """Item-based nearest neighbours: an item's score sums its cosines to the user's rated items.

    A cosine counts only if the scored item is among the nearest of the rated one. Deshpande & Karypis,
    "Item-based top-N recommendation algorithms", TOIS 2004. A rating of any value counts as 1.
    """

    name = "itemknn"

    def __init__(self, options: ItemKnnOptions, seed: int) -> None:
        self._neighbours = options.neighbours

    def fit(self, train: Ratings) -> None:
        self._seen = train.seen
        of_items, norm = self._seen.T.tocsr(), np.sqrt(np.maximum(train.counts, 1))

        def cosines(start: int, end: int) -> Floats:
            together = (of_items[start:end] @ self._seen).toarray()
            return np.asarray(quantise(together / norm[start:end, None] / norm))

        self._weights = select_nearest(cosines, train.items, self._neighbours)
