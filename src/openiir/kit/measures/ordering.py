"""How far two orders of the same items agree, for many users at once."""

import numpy as np
from numpy.typing import ArrayLike

from openiir.kit.measures.spread import Array

_CELLS = 1 << 17
"""Scores a block: few enough to stay in the cache."""


def kendall_tau(x: ArrayLike, y: ArrayLike) -> Array:
    """Kendall's tau-b (1945) of each row of scores with the same row of others, (n, m) to (n,).

    `y` may be one row (m,) for all. NaN where all scores of a row are tied, where one is missing, and where m is
    below 2; `Average.of` drops and counts those. O(n m^2): for audit sets of some dozens of items.
    """
    left = np.atleast_2d(np.asarray(x, dtype=np.float64))
    right = np.broadcast_to(np.asarray(y, dtype=np.float64), left.shape)
    n, m = left.shape
    result = np.full(n, np.nan)
    rows = max(1, _CELLS // max(m, 1))
    for first in range(0, n, rows):
        block = slice(first, first + rows)
        result[block] = _tau(np.ascontiguousarray(left[block].T), np.ascontiguousarray(right[block].T))
    return result


def _tau(x: Array, y: Array) -> Array:
    """Tau of columns: items run down the first axis, so that each step is one pass over contiguous memory."""
    m, n = x.shape
    narrow = np.int16 if m < 1 << 15 else np.int64  # a sum of m signs; narrow sums are fast
    agree, untied_x, untied_y = (np.zeros(n, dtype=np.int64) for _ in range(3))
    for gap in range(1, m):
        sx, sy = _signs(x[gap:], x[:-gap]), _signs(y[gap:], y[:-gap])
        agree += (sx * sy).sum(axis=0, dtype=narrow)
        untied_x += (sx * sx).sum(axis=0, dtype=narrow)
        untied_y += (sy * sy).sum(axis=0, dtype=narrow)
    pairs = np.sqrt(untied_x.astype(np.float64)) * np.sqrt(untied_y.astype(np.float64))
    defined = (pairs > 0) & ~(np.isnan(x).any(axis=0) | np.isnan(y).any(axis=0))
    return np.divide(agree, pairs, out=np.full(n, np.nan), where=defined)


def _signs(a: Array, b: Array) -> np.ndarray:
    return (a > b).view(np.int8) - (a < b).view(np.int8)
