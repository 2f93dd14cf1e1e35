"""Gaps between groups, and whether they grow."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from openiir.kit.arrays import Bools, Floats
from openiir.kit.statistics.estimate import Estimate
from openiir.kit.statistics.resampling import cluster_bootstrap, divide_arrays


class GapTrend(NamedTuple):
    """A gap between two groups over time."""

    gap: Estimate
    """Mean of one group's values less that of the other's, over all times."""
    trend: Estimate
    """Rise of that gap in so many times."""


def gap_trend(values: ArrayLike, one: Bools, other: Bools, times: int = 10) -> GapTrend:
    """Estimate the gap between two groups of units, and its rise in `times`, from values (times, units).

    The trend is the coefficient of group x time in a least-squares regression of values on group, time and
    their product: where each unit has a value at each time, the difference of the groups' mean slopes. A gap
    that grows as information flows is what the knowledge-gap hypothesis expects (Tichenor, Donohue & Olien,
    Public Opin. Q. 1970). Intervals are over resampled units, whose values stay together. Undefined where a
    group is empty; one time has no trend.
    """
    found = np.asarray(values, dtype=np.float64)
    gap, at = _compare(found.mean(axis=0), one, other), np.arange(len(found)) - (len(found) - 1) / 2
    if len(found) < 2:
        return GapTrend(gap, Estimate(np.nan, reason="one time has no trend"))
    return GapTrend(gap, _compare(times * (at @ found) / (at @ at), one, other))


def _compare(values: Floats, one: Bools, other: Bools) -> Estimate:
    """Estimate the mean of one group less that of the other, over resampled units."""

    def differ(a: Floats, n: Floats, b: Floats, m: Floats) -> Floats:
        return divide_arrays(a, n) - divide_arrays(b, m)

    return cluster_bootstrap(values * one, one, values * other, other, statistic=differ)
