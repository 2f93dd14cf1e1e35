"""An estimate: a number and its interval, with a reason where there is none."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from openiir.kit.arrays import Floats
from openiir.kit.statistics.statistic import Undefined

NONE = math.nan


class Estimate(NamedTuple):
    """A value with its interval. What is undefined is NaN, and `reason` says why."""

    value: float
    low: float = NONE
    high: float = NONE
    method: str = ""
    """How the interval was made: t, BCa bootstrap, percentile bootstrap."""
    reason: str | None = None

    @property
    def bounded(self) -> bool:
        """Whether there is an interval."""
        return not (math.isnan(self.low) or math.isnan(self.high))


def sample(x: ArrayLike, at_least: int = 1) -> Floats:
    """One number a seed; raises Undefined where there are fewer than `at_least` or one is missing."""
    array = np.asarray(x, dtype=np.float64).ravel()
    if len(array) < at_least:
        raise Undefined(f"{_seeds(len(array))}; at least {at_least} are needed")
    if not np.isfinite(array).all():
        raise Undefined(f"{int((~np.isfinite(array)).sum())} of {_seeds(len(array))} have no value")
    return array


def spread_sample(x: ArrayLike, at_least: int = 2) -> Floats:
    """A `sample` that has a standard deviation; raises Undefined where all its values are equal."""
    array = sample(x, at_least)
    if array.min() == array.max():
        raise Undefined(f"all {len(array)} values are {array[0]:g}, so there is no spread to judge by")
    return array


def percentiles(value: float, draws: Floats, level: float, method: str) -> Estimate:
    """The interval between two percentiles of resampled values; those that are NaN are left out, and said so."""
    kept = draws[np.isfinite(draws)]
    if len(kept) < len(draws) / 2:
        return Estimate(
            value, method=method, reason=f"undefined in {len(draws) - len(kept)} of {len(draws)} resamples"
        )
    low, high = np.quantile(kept, [(1 - level) / 2, (1 + level) / 2])
    return Estimate(value, float(low), float(high), method, _left_out(len(draws) - len(kept), len(draws)))


def _left_out(n: int, of: int) -> str | None:
    return f"{n} of {of} resamples have no value and are left out" if n else None


def _seeds(n: Any) -> str:
    return "1 seed" if n == 1 else f"{n} seeds"
