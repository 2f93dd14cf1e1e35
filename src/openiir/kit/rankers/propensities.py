"""Exact propensities of slates served with an epsilon-shuffle.

With probability 1 - epsilon the first K of the deterministic order are served, with probability epsilon the
first K of a uniform permutation of its first `top` items. Ranks and positions count from 1. All numbers are
exact; none of them can be had from scores once the best K were served as they stood.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from openiir.kit.arrays import Floats


def item_position(det_rank: ArrayLike, position: ArrayLike, top: ArrayLike, epsilon: ArrayLike) -> Floats:
    """Compute the probability that an item is served at a position of the slate.

    It is (1 - epsilon) 1[det_rank = position] + epsilon / top.
    All four broadcast. `det_rank` is the item's rank in the deterministic order; 0, or a rank beyond `top`,
    stands for an item that is not among those shuffled, and has probability 0. `top` is the number of items
    there were to shuffle: fewer than asked for where there were fewer candidates.
    """
    rank, shuffled = np.asarray(det_rank), np.asarray(top)
    chance = _check_chances(epsilon, shuffled)
    first = np.where(rank == np.asarray(position), 1 - chance, 0.0)
    return np.where((rank >= 1) & (rank <= shuffled), first + chance / shuffled, 0.0)


def prefix(det_rank: ArrayLike, top: ArrayLike, epsilon: ArrayLike) -> Floats:
    """Compute the probability that the first r items are served in this order, r = 1..K, (..., K).

    (1 - epsilon) 1[the first r are the deterministic ones] + epsilon (top - r)! / top!. `det_rank` has the
    shape (..., K), a slate a row, its items distinct; `top` and `epsilon` are single numbers or have the
    shape (...). Raises ValueError where a slate has more positions than items were shuffled.
    """
    rank = np.asarray(det_rank)
    shuffled = np.asarray(top)[..., None]
    chance = _check_chances(np.asarray(epsilon)[..., None], shuffled)
    places = np.arange(1, rank.shape[-1] + 1)
    if rank.shape[-1] > shuffled.min():
        raise ValueError(f"a slate of {rank.shape[-1]} cannot be drawn from {shuffled.min()} items")
    as_ranked = np.logical_and.accumulate(rank == places, axis=-1)
    possible = np.logical_and.accumulate((rank >= 1) & (rank <= shuffled), axis=-1)
    orders = np.cumprod(1 / (shuffled - places + 1), axis=-1)
    return np.where(possible, np.where(as_ranked, 1 - chance, 0.0) + chance * orders, 0.0)


def in_slate(det_rank: ArrayLike, length: int, top: ArrayLike, epsilon: ArrayLike) -> Floats:
    """Compute the probability that an item is served anywhere in a slate of `length`.

    It is (1 - epsilon) 1[det_rank <= length] + epsilon length / top.
    Dividing clicks by this number forgets the position, and is biased: see `item_only` among the estimators.
    """
    rank, shuffled = np.asarray(det_rank), np.asarray(top)
    chance = _check_chances(epsilon, shuffled)
    first = np.where(rank <= length, 1 - chance, 0.0)
    return np.where((rank >= 1) & (rank <= shuffled), first + chance * length / shuffled, 0.0)


def _check_chances(epsilon: ArrayLike, top: NDArray[np.generic]) -> Floats:
    chance = np.asarray(epsilon, dtype=np.float64)
    if not ((chance >= 0) & (chance <= 1)).all():
        raise ValueError(
            f"epsilon is a probability, 0 to 1, got {chance[~((chance >= 0) & (chance <= 1))].ravel()[0]}"
        )
    if (np.asarray(top) < 1).any():
        raise ValueError(f"at least 1 item is shuffled, got {np.asarray(top).min()}")
    return chance
