"""Recommenders by an item x item matrix: what a user rated speaks for what goes with it."""

from typing import Any

import numpy as np
from pydantic import Field

from openiir.kit.items import Ratings
from openiir.kit.items.ratings import Floats, Ints
from openiir.kit.rankers.recommenders.recommender import check_square
from openiir.kit.rankers.serving import best
from openiir.plugin import Record


class EaseOptions(Record):
    """Options of `ease`."""

    l2: float = Field(default=800.0, gt=0, le=1e7)
    """The penalty on squared weights, lambda in the paper."""


class Ease:
    """EASE: linear regression of every item on all others, its weight on itself 0, in closed form.

    Steck, "Embarrassingly Shallow Autoencoders for Sparse Data", WWW 2019. A rating of any value counts as 1.
    """

    name = "ease"

    def __init__(self, options: EaseOptions, seed: int) -> None:
        self._l2 = options.l2
        self._seen: Any = None
        self._weights: Floats = np.empty((0, 0))

    def fit(self, train: Ratings) -> None:
        from scipy.linalg import lapack
        from threadpoolctl import threadpool_limits

        check_square(train.items, self.name)
        self._seen = train.seen
        gram = (self._seen.T @ self._seen).toarray(order="F")
        gram[np.diag_indices_from(gram)] += self._l2
        with threadpool_limits(1):
            # The Gram matrix with its penalty is positive definite, and its inverse by Cholesky fills one triangle.
            factor, _ = lapack.dpotrf(gram, overwrite_a=True)
            inverse, _ = lapack.dpotri(factor, overwrite_c=True)
        weights = np.triu(inverse) + np.triu(inverse, 1).T
        weights /= -np.diag(weights).copy()
        np.fill_diagonal(weights, 0.0)
        self._weights = np.ascontiguousarray(weights)

    def scores(self, users: Ints) -> Floats:
        return np.asarray(self._seen[users] @ self._weights)


class ItemKnnOptions(Record):
    """Options of `itemknn`."""

    neighbours: int = Field(default=100, ge=1, le=10_000)
    """The items most alike that each item speaks for."""


class ItemKnn:
    """The sum of an item's cosine similarities to the user's items, of those among its nearest neighbours.

    Deshpande & Karypis, "Item-based top-N recommendation algorithms", TOIS 2004. A rating of any value counts as 1.
    """

    name = "itemknn"

    def __init__(self, options: ItemKnnOptions, seed: int) -> None:
        self._neighbours = options.neighbours
        self._seen: Any = None
        self._weights: Any = None

    def fit(self, train: Ratings) -> None:
        from scipy.sparse import csr_array

        check_square(train.items, self.name)
        self._seen = train.seen
        cosine = (self._seen.T @ self._seen).toarray()
        norm = np.sqrt(np.maximum(train.counts, 1))
        cosine /= norm[:, None]
        cosine /= norm[None, :]
        itself = np.eye(train.items, dtype=np.bool_)
        nearest = best(cosine, np.arange(train.items), itself, self._neighbours)
        there = nearest.scores > 0
        item = np.broadcast_to(np.arange(train.items)[:, None], there.shape)
        # Row: an item of the user's; column: an item it is a neighbour of.
        entries = (nearest.scores[there], (nearest.items[there], item[there]))
        self._weights = csr_array(entries, shape=(train.items, train.items))
        self._weights.sort_indices()

    def scores(self, users: Ints) -> Floats:
        return np.asarray((self._seen[users] @ self._weights).toarray())
