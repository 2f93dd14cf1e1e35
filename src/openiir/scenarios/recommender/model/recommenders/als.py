"""Matrix factorisation for implicit feedback by alternating least squares."""

from typing import Any

import numpy as np
from pydantic import Field
from threadpoolctl import threadpool_limits

from openiir.kit.arrays import Floats, Ints
from openiir.kit.items import Ratings
from openiir.plugin import Record


class AlsOptions(Record):
    """Options of the recommender `als`."""

    factors: int = Field(default=64, ge=1, le=1_024)
    l2: float = Field(default=1.0, gt=0, le=1e6)
    """Penalty on squared factors."""
    alpha: float = Field(default=2.0, gt=0, le=1e4)
    """Extra confidence in rated items: 1 + alpha for a rated item, 1 for any other."""
    rounds: int = Field(default=15, ge=1, le=1_000)
    """Number of rounds, each of which solves for the users' and then the items' factors."""


class Als:
    """Implicit matrix factorisation: factors fit 1 for rated items and 0 for others, weighted by confidence.

    Hu, Koren & Volinsky, "Collaborative Filtering for Implicit Feedback Datasets", ICDM 2008. A rating of any
    value counts as 1.
    """

    name = "als"

    def __init__(self, options: AlsOptions, seed: int) -> None:
        self._options = options
        self._seed = seed
        self._users: Floats = np.empty((0, options.factors))
        self._items = self._users

    def fit(self, train: Ratings) -> None:
        options = self._options
        by_user = train.seen
        by_item = by_user.T.tocsr()
        generator = np.random.default_rng(self._seed)
        self._items = generator.normal(0.0, 0.1, (train.items, options.factors))
        with threadpool_limits(1):
            for _ in range(options.rounds):
                self._users = solve_factors(by_user, self._items, options.l2, options.alpha)
                self._items = solve_factors(by_item, self._users, options.l2, options.alpha)

    def scores(self, users: Ints) -> Floats:
        with threadpool_limits(1):
            return np.asarray(self._users[users] @ self._items.T)


_ROWS = 128
"""Number of equation systems solved at a time, small enough for the CPU cache."""


def solve_factors(seen: Any, others: Floats, l2: float, alpha: float) -> Floats:
    """Solve for the factors of the rows of `seen` (CSR) with those of its columns fixed.

    A row's x solves (Y'Y + alpha Y_s'Y_s + l2 I) x = (1 + alpha) Y_s' 1, with Y_s the factors of what it has
    seen.
    """
    rows, factors = seen.shape[0], others.shape[1]
    everything = others.T @ others + l2 * np.eye(factors)
    wanted = (1 + alpha) * (seen @ others)
    found = np.empty((rows, factors))
    for start in range(0, rows, _ROWS):
        block = slice(start, min(start + _ROWS, rows))
        systems = np.empty((block.stop - start, factors, factors))
        for place, row in enumerate(range(start, block.stop)):
            some = others[seen.indices[seen.indptr[row] : seen.indptr[row + 1]]]
            np.matmul(some.T, some, out=systems[place])
        systems *= alpha
        systems += everything
        found[block] = np.linalg.solve(systems, wanted[block, :, None])[..., 0]
    return found
