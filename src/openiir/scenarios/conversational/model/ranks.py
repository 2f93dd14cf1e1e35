"""Rank correlation of two scores of the same units."""

import math

import numpy as np
from numpy.typing import ArrayLike

from openiir.kit.arrays import Floats
from openiir.kit.statistics.estimate import Estimate, percentile_interval, sample
from openiir.kit.statistics.resampling import resamples
from openiir.kit.statistics.statistic import Undefined
from openiir.plugin import Draw

_UNITS = Draw(0, "statistics.ranks")


def spearman(
    a: ArrayLike, b: ArrayLike, draw: Draw = _UNITS, draws: int = 2_000, level: float = 0.95
) -> Estimate:
    """Compute Spearman's rank correlation of two scores, with a percentile interval.

    Am. J. Psychol. 1904. The interval is over resampled units. Ties share their mean rank; a pair of which
    one is NaN is left out. Undefined under 3 pairs and where one of the two is the same for all.
    """
    first, second = np.asarray(a, dtype=np.float64).ravel(), np.asarray(b, dtype=np.float64).ravel()
    if len(first) != len(second):
        raise ValueError(f"scores of {len(first)} and of {len(second)} units")
    there = ~(np.isnan(first) | np.isnan(second))
    try:
        one, other = sample(first[there], 3), sample(second[there], 3)
    except Undefined as why:
        return Estimate(math.nan, reason=str(why))
    value = float(rank_correlations(one[None, :], other[None, :])[0])
    if math.isnan(value):
        return Estimate(value, reason="one of the two is the same for all")
    found = [rank_correlations(one[picked], other[picked]) for _, picked in resamples(len(one), draw, draws)]
    return percentile_interval(value, np.concatenate(found), level, "percentile bootstrap")


def rank_correlations(a: Floats, b: Floats) -> Floats:
    """Compute Spearman's correlation of corresponding rows; NaN where all values of a row are equal."""
    from scipy.stats import rankdata

    first, second = (rankdata(rows, axis=1) for rows in (a, b))
    first, second = (ranks - ranks.mean(axis=1, keepdims=True) for ranks in (first, second))
    spread = np.sqrt((first**2).sum(axis=1) * (second**2).sum(axis=1))
    together = (first * second).sum(axis=1)
    return np.clip(np.divide(together, spread, out=np.full(len(a), np.nan), where=spread > 0), -1.0, 1.0)
