"""Block-wise predictions, users by items, and helpers to compute and index them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from threadpoolctl import threadpool_limits

from openiir.kit.items.ratings import Floats, Ints, Ratings
from openiir.plugin import InputError

BLOCK = 256
"""Users predicted at a time."""


class Part(Protocol):
    """One model of a blend, or one signal of several."""

    def block(self, users: Ints) -> Floats:
        """(len(users), items): its numbers; a user's row is the same in every block."""


@dataclass(frozen=True, eq=False)
class FactorProduct:
    """A part whose numbers are products of a user's and an item's factors."""

    users: Floats
    """(users, rank)"""
    items: Floats
    """(items, rank)"""

    def block(self, users: Ints) -> Floats:
        """(len(users), items): each user's row by itself, so that it is the same in every block."""
        rows = [self.items @ self.users[user] for user in users.tolist()]
        return np.array(rows).reshape(len(users), len(self.items))


def at_pairs(block: Callable[[Ints], Floats], users: Ints, items: Ints) -> Floats:
    """(pairs, ...): the entries of a block-wise matrix at pairs, each user's row made once."""
    if not len(users):
        return block(users)[:, 0]
    order = np.argsort(users, kind="stable")
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


def check_apart(train: Ratings, held_out: Ratings) -> None:
    """Raise InputError where a held-out rating is among the training ratings, which would weigh models by memory."""
    known = np.append(np.sort(train.pairs), -1)
    both = np.flatnonzero(known[np.searchsorted(known[:-1], held_out.pairs)] == held_out.pairs)
    if len(both):
        user, item = held_out.user[both[0]], held_out.item[both[0]]
        raise InputError(
            f"{len(both)} held-out ratings are training ratings too, the first of user {user} and item {item}; "
            "split the ratings once and take both folds from that split"
        )


def one_thread() -> threadpool_limits:
    """Limit BLAS to one thread, since the order of summation shows in the last digits."""
    import scipy.linalg  # noqa: F401  Only a BLAS that is loaded can be limited, and SciPy brings its own.

    return threadpool_limits(1)
