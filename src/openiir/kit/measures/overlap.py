"""Overlap of the items that users consumed: pairwise Jaccard, beside its expectation by chance."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from openiir.core.seeds import Draw
from openiir.kit.arrays import Floats, Ints
from openiir.kit.measures.average import Average
from openiir.kit.statistics.statistic import Statistic, Undefined

_CELLS = 1 << 22
"""Number of bytes of packed sets compared at a time."""


class Overlap(NamedTuple):
    """Mean Jaccard over pairs of users, and its expectation for random sets of the same sizes.

    Pairs of which neither consumed anything have no Jaccard; they are dropped and counted. The expectation
    takes every item to be as likely for everyone: where items arrive over time, a random feed is the better
    control.
    """

    jaccard: Average
    expected: Average


@Statistic
def expected_jaccard(items: int, a: int, b: int | None = None) -> float:
    """Compute the expected Jaccard of two random sets of sizes `a` and `b` out of `items`.

    The sets are uniformly random; `b` is `a` by default.
    """
    other = a if b is None else b
    if not (min(a, other) >= 0 and max(a, other) <= items):
        raise Undefined(f"sets of {a} and {other} cannot be drawn from {items} items")
    if a + other == 0:
        raise Undefined("both sets are empty")
    return float(_mean_jaccard(items, np.array([a]), np.array([other]))[0])


def pairwise_jaccard(
    user: ArrayLike, item: ArrayLike, users: int, items: int, draw: Draw, most_pairs: int = 20_000
) -> Overlap:
    """Compute the Jaccard of pairs of users' item sets from a log of (user, item) rows.

    Repeated rows count once. Both are indices from 0, `user` below `users` and `item` below `items`; users
    without a row have the empty set. Up to `most_pairs` pairs all are taken, beyond that a sample of as many,
    drawn with replacement by `draw`.
    """
    one, two = _pairs(users, draw, most_pairs)
    chosen, place = np.unique(np.concatenate([one, two]), return_inverse=True)
    packed = _pack_sets(np.asarray(user), np.asarray(item), chosen, items)
    sizes = np.bitwise_count(packed).sum(axis=1, dtype=np.int64)
    left, right = np.split(place.ravel(), 2)
    common = np.empty(len(left), dtype=np.int64)
    rows = max(1, _CELLS // max(packed.shape[1], 1))
    for first in range(0, len(left), rows):
        block = slice(first, first + rows)
        common[block] = np.bitwise_count(packed[left[block]] & packed[right[block]]).sum(
            axis=1, dtype=np.int64
        )
    union = sizes[left] + sizes[right] - common
    found = np.divide(common, union, out=np.full(len(union), np.nan), where=union > 0)
    return Overlap(Average.of(found), Average.of(_expected_by_size(items, sizes[left], sizes[right])))


def _pairs(users: int, draw: Draw, most: int) -> tuple[Ints, Ints]:
    if users * (users - 1) // 2 <= most:
        one, two = np.triu_indices(users, 1)
        return one.astype(np.int64), two.astype(np.int64)
    pair = np.arange(most)
    one = draw.at("first").below(users, item=pair)
    two = draw.at("second").below(users - 1, item=pair)
    return one, two + (two >= one)


def _pack_sets(user: Ints, item: Ints, chosen: Ints, items: int) -> NDArray[np.uint8]:
    """Pack each chosen user's item set into a row of bits; `chosen` is sorted."""
    packed = np.zeros((len(chosen), (items + 7) // 8), dtype=np.uint8)
    if not len(user) or not len(chosen):
        return packed
    place = np.searchsorted(chosen, user).clip(max=len(chosen) - 1)
    kept = chosen[place] == user
    np.bitwise_or.at(packed, (place[kept], item[kept] // 8), (1 << (item[kept] % 8)).astype(np.uint8))
    return packed


def _expected_by_size(items: int, a: Ints, b: Ints) -> Floats:
    """Compute `expected_jaccard` of each pair, once for each combination of sizes.

    NaN for two empty sets.
    """
    combined, place = np.unique(np.minimum(a, b) * (items + 1) + np.maximum(a, b), return_inverse=True)
    low, high = combined // (items + 1), combined % (items + 1)
    rows = max(1, _CELLS // int(low.max(initial=0) + 1) // 8)
    blocks = [_mean_jaccard(items, low[n : n + rows], high[n : n + rows]) for n in range(0, len(low), rows)]
    return np.concatenate([*blocks, np.empty(0)])[place.ravel()]


def _mean_jaccard(items: int, a: Ints, b: Ints) -> Floats:
    """Average the Jaccard over the hypergeometric distribution of the size of the intersection."""
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, items + 1)))])

    def choose(n: Any, k: Any) -> Any:
        return logs[n] - logs[k] - logs[n - k]

    a, b = a[:, None], b[:, None]
    common = np.arange(int(np.minimum(a, b).max(initial=0)) + 1)[None, :]
    possible = (common <= np.minimum(a, b)) & (common >= a + b - items)
    c = np.where(possible, common, np.maximum(a + b - items, 0))
    chance = np.where(possible, np.exp(choose(a, c) + choose(items - a, b - c) - choose(items, b)), 0.0)
    union = (a + b - c).astype(np.float64)
    expected = (chance * np.divide(c, union, out=np.zeros(union.shape), where=union > 0)).sum(axis=1)
    return np.where((a + b).ravel() > 0, expected, np.nan)
