"""Split ratings into training, validation and test folds, per user and by seed."""

from dataclasses import dataclass

import numpy as np

from openiir.kit.items.ratings import Ratings
from openiir.plugin import InputError, order_by


@dataclass(frozen=True, eq=False)
class Split:
    """Ratings in three folds of the same users and items; validation and test are held out."""

    train: Ratings
    validation: Ratings
    test: Ratings


def split(ratings: Ratings, seed: int, validation: float = 0.1, test: float = 0.1) -> Split:
    """Split every user's ratings at random into training, validation and test folds.

    Users in order of index, `numpy.random.default_rng(seed).permutation` over each one's ratings in the order
    of their rows: the first round-half-up(share * n), at least 1, are test, the next so many validation, the
    rest training. A user with fewer than 3 ratings stays in training whole. Raises InputError for shares that
    leave nothing to train on.
    """
    if not (validation >= 0 and test >= 0 and validation + test < 1):
        raise InputError(
            f"shares of {validation:g} and {test:g} held out leave nothing to train on; hold out less than 1"
        )
    generator = np.random.default_rng(seed)
    fold = np.zeros(len(ratings), dtype=np.int8)
    by_user = order_by(ratings.user)
    ends = np.cumsum(np.bincount(ratings.user, minlength=ratings.users))
    for end, n in zip(ends.tolist(), np.diff(ends, prepend=0).tolist(), strict=True):
        order = by_user[end - n : end][generator.permutation(n)]
        tested, validated = (_share(share, n) for share in (test, validation))
        if n > tested + validated:
            fold[order[:tested]] = 2
            fold[order[tested : tested + validated]] = 1
    return Split(*(ratings.select(fold == n) for n in range(3)))


def _share(share: float, n: int) -> int:
    return max(1, int(np.floor(share * n + 0.5))) if share else 0
