"""Rank correlation: of two orders for many users at once, and of two measures of the same systems."""

import math

import numpy as np
from numpy.typing import ArrayLike

from openiir.core.seeds import Draw
from openiir.kit.arrays import Floats
from openiir.kit.statistics.estimate import Estimate, percentile_interval, sample
from openiir.kit.statistics.resampling import resamples
from openiir.kit.statistics.statistic import Undefined

_CELLS = 1 << 18
"""Number of item pairs processed at a time, small enough for the CPU cache."""


def kendall_tau(x: ArrayLike, y: ArrayLike) -> Floats:
    """Compute Kendall's tau-b between corresponding rows of two score matrices, (n, m) to (n,).

    Kendall 1945. `y` may be one row (m,) for all. NaN where all scores of a row are tied, where one is
    missing, and where m is below 2; `Average.of` drops and counts those. O(n m^2): for audit sets of some
    dozens of items.
    """
    left = np.atleast_2d(np.asarray(x, dtype=np.float64))
    right = np.broadcast_to(np.asarray(y, dtype=np.float64), left.shape)
    n, m = left.shape
    result = np.full(n, np.nan)
    rows = max(1, _CELLS // max(m * m // 2, 1))
    for first in range(0, n, rows):
        block = slice(first, first + rows)
        result[block] = _tau(np.ascontiguousarray(left[block].T), np.ascontiguousarray(right[block].T))
    return result


def _tau(x: Floats, y: Floats) -> Floats:
    """Compute Kendall's tau-b of corresponding columns, with the items on the first axis for speed."""
    one, two = np.triu_indices(len(x), 1)
    sx, sy = _signs(x, one, two), _signs(y, one, two)
    agree = (sx * sy).sum(axis=0, dtype=np.int64)
    untied = [np.count_nonzero(signs, axis=0).astype(np.float64) for signs in (sx, sy)]
    pairs = np.sqrt(untied[0] * untied[1])
    defined = (pairs > 0) & ~(np.isnan(x).any(axis=0) | np.isnan(y).any(axis=0))
    return np.divide(agree, pairs, out=np.full(x.shape[1], np.nan), where=defined)


def _signs(a: Floats, one: np.ndarray, two: np.ndarray) -> np.ndarray:
    first, second = a[one], a[two]
    return (first > second).view(np.int8) - (first < second).view(np.int8)


def order_agreement(
    a: ArrayLike, b: ArrayLike, draw: Draw | None = None, draws: int = 2_000, level: float = 0.95
) -> Estimate:
    """Compute Kendall's tau-b between two scores of the same systems, with an interval.

    The interval is by percentiles over resampled systems. 1 the same order, -1 the reverse (Kendall,
    Biometrika 1938). Undefined where one of the two ties all systems.
    """
    try:
        first, second = sample(a), sample(b)
    except Undefined as why:
        return Estimate(math.nan, reason=str(why))
    if len(first) != len(second):
        raise ValueError(f"scores of {len(first)} and of {len(second)} systems")
    if len(first) < 2:
        return Estimate(math.nan, reason="an order needs at least 2 systems")
    value = float(kendall_tau(first, second)[0])
    if math.isnan(value):
        return Estimate(math.nan, reason="one of the two ties all systems")
    found = [
        kendall_tau(first[picked], second[picked])
        for _, picked in resamples(len(first), draw or Draw(0, "statistics.order"), draws)
    ]
    return percentile_interval(value, np.concatenate(found), level, "percentile bootstrap")
