"""Predictions for blocks of users, as matrices of users by items."""

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np
from threadpoolctl import ThreadpoolController

from openiir.kit.items.ratings import Floats, Ints, Ratings
from openiir.plugin import InputError, order_by

BLOCK = 256
"""Number of users predicted at a time."""


class ModelPart(Protocol):
    """Protocol of a component of a blended model: predictions for users and all items."""

    def block(self, users: Ints) -> Floats:
        """Predict for these users and all items, (len(users), items), independently of other users."""


@dataclass(frozen=True, eq=False)
class FactorProduct:
    """A model whose predictions are inner products of user and item factors."""

    users: Floats
    """(users, rank) factors of the users."""
    items: Floats
    """(items, rank) factors of the items."""

    def block(self, users: Ints) -> Floats:
        """Predict for these users and all items, (len(users), items), user by user.

        So a user's row is the same in every block.
        """
        rows = [self.items @ self.users[user] for user in users.tolist()]
        return np.array(rows).reshape(len(users), len(self.items))


def at_pairs(block: Callable[[Ints], Floats], users: Ints, items: Ints) -> Floats:
    """Look up predictions of (user, item) pairs, (pairs, ...), computing each user's row once."""
    if not len(users):
        return block(users)[:, 0]
    order = order_by(users)
    named, first = np.unique(users[order], return_index=True)
    ends = np.append(first, len(users))
    found = []
    for start in range(0, len(named), BLOCK):
        some = named[start : start + BLOCK]
        at = order[ends[start] : ends[min(start + BLOCK, len(named))]]
        found.append(block(some)[np.searchsorted(some, users[at]), items[at]])
    values = np.concatenate(found)
    values[order] = values.copy()
    return values


def check_disjoint(train: Ratings, held_out: Ratings) -> None:
    """Raise InputError if held-out ratings overlap with training ratings, which would bias the weights."""
    if len(both := np.intersect1d(train.pairs, held_out.pairs)):
        user, item = divmod(int(both[0]), train.items)
        raise InputError(
            f"{len(both)} held-out ratings are training ratings too, such as user {user}'s of item {item}; "
            "split the ratings once and take both folds from that split"
        )


def limit_blas_threads() -> AbstractContextManager[object]:
    """Limit BLAS to one thread for reproducibility: summation order changes the last digits."""
    import scipy.linalg  # noqa: F401  Only a BLAS that is loaded can be limited, and SciPy brings its own.

    return _find_blas(len(sys.modules)).limit(limits=1)


@lru_cache(maxsize=1)
def _find_blas(modules: int) -> ThreadpoolController:
    """Find the loaded BLAS libraries (some milliseconds), anew when more modules are loaded."""
    return ThreadpoolController()
