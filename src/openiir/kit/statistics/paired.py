"""Paired differences between two arms over shared seeds, and their mean."""

import math
import warnings
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from openiir.core.hashing import fingerprint
from openiir.core.records.measure import UNBOUNDED, Bounds
from openiir.core.seeds import Draw
from openiir.kit.arrays import Floats
from openiir.kit.statistics.estimate import Estimate, sample, spread_sample, t_interval
from openiir.kit.statistics.statistic import Undefined

RESAMPLES = 9_999
SMALL = 20
"""Number of seeds from which on the bootstrap replaces Student's t."""


def difference(a: ArrayLike, b: ArrayLike) -> Floats:
    """Compute b - a seed by seed.

    Raises Undefined where a value is missing, ValueError for unequal lengths.
    Differences lie on the grid of 2^-40 of the largest value, so that the last bits of a subtraction are not
    taken for variation between seeds.
    """
    first, second = sample(a), sample(b)
    if len(first) != len(second):
        raise ValueError(f"{len(first)} and {len(second)} values cannot be paired")
    largest = max(float(np.abs(first).max()), float(np.abs(second).max()))
    if largest == 0:
        return np.zeros(len(first))
    grid = math.ldexp(1.0, math.frexp(largest)[1] - 40)
    return np.round((second - first) / grid) * grid + 0.0


def mean_interval(x: ArrayLike, level: float = 0.95, bounds: Bounds = UNBOUNDED) -> Estimate:
    """Compute the mean over seeds (n,) and its interval, which lies within (least, most) of the values.

    An Estimate is NaN with the reason where a seed has no value, and has no interval for one seed alone.
    Student's t (`t_interval`) under 20 seeds; from 20 on the bias-corrected and accelerated bootstrap (Efron,
    JASA 1987) with 9,999 resamples, which are drawn by a name made of the values, so that the same values
    give the same interval.
    """
    try:
        array = sample(x)
    except Undefined as why:
        return Estimate(math.nan, reason=str(why))
    mean, method = float(array.mean()), "t" if len(array) < SMALL else "BCa bootstrap"
    try:
        spread_sample(array)
        if len(array) < SMALL:
            return t_interval(array, level, bounds)
    except Undefined as why:
        return Estimate(mean, method=method, reason=str(why))
    low, high = _by_bootstrap(tuple(array.tolist()), level)
    if math.isnan(low) or math.isnan(high):
        return Estimate(mean, method=method, reason="the bootstrap is degenerate: too few values differ")
    return Estimate(mean, low, high, method)


def paired_difference(
    a: ArrayLike, b: ArrayLike, level: float = 0.95, bounds: Bounds = UNBOUNDED
) -> Estimate:
    """Compute the mean of b - a over shared seeds, with its interval as in `mean_interval`.

    Differences of values between `bounds` lie within its width.
    """
    low, high = bounds
    try:
        return mean_interval(difference(a, b), level, (low - high, high - low))
    except Undefined as why:
        return Estimate(math.nan, reason=str(why))


@lru_cache(maxsize=4_096)
def _by_bootstrap(x: tuple[float, ...], level: float) -> tuple[float, float]:
    from scipy.stats import bootstrap

    key = Draw(0, "statistics.bootstrap", item=fingerprint(x)).bits()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a degenerate bootstrap gives NaN, which the caller puts into words
        found = bootstrap(
            (np.array(x),),
            np.mean,
            n_resamples=RESAMPLES,
            confidence_level=level,
            method="BCa",
            rng=np.random.Generator(np.random.Philox(key=key)),
        ).confidence_interval
    return float(found.low), float(found.high)
