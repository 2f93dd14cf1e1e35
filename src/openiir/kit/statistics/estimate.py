"""An estimate: a number and its interval, with a reason where one is undefined."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from openiir.core.records.measure import UNBOUNDED, Bounds, Measure
from openiir.kit.arrays import Floats
from openiir.kit.statistics.statistic import Undefined


class Estimate(NamedTuple):
    """A value with its interval; undefined ones are NaN, and `reason` says why."""

    value: float
    low: float = math.nan
    high: float = math.nan
    method: str = ""
    """Method of the interval, such as t, or BCa bootstrap."""
    reason: str | None = None

    @property
    def bounded(self) -> bool:
        """Whether there is an interval."""
        return not (math.isnan(self.low) or math.isnan(self.high))

    def measures(self, name: str) -> dict[str, Measure]:
        """Convert to measures: NAME, and NAME.low and NAME.high, the ends of its interval."""
        ends = zip(("", ".low", ".high"), self[:3], strict=True)
        return {f"{name}{end}": Measure(x, self.reason if math.isnan(x) else None) for end, x in ends}


def values(x: ArrayLike, at_least: int, what: str = "values") -> Floats:
    """Convert to a flat float64 array of at least `at_least` numbers; raises Undefined.

    Raises Undefined where it has fewer than `at_least` values or one is missing.
    """
    array = np.asarray(x, dtype=np.float64).ravel()
    if len(array) < at_least:
        raise Undefined(f"{len(array)} {what}; at least {at_least} are needed")
    if missing := int((~np.isfinite(array)).sum()):
        raise Undefined(f"{missing} of {len(array)} {what} have no value")
    return array


def sample(x: ArrayLike, at_least: int = 1) -> Floats:
    """Convert to a float64 array with one number for each seed, at least `at_least` of them.

    Raises Undefined where it has fewer than `at_least` or one is missing.
    """
    return values(x, at_least, "seed" if np.size(x) == 1 else "seeds")


def spread_sample(x: ArrayLike, at_least: int = 2) -> Floats:
    """Convert to a float64 array with one number for each seed and a positive standard deviation.

    Raises Undefined where all values are equal.
    """
    array = sample(x, at_least)
    if array.min() == array.max():
        raise Undefined(f"all {len(array)} values are {array[0]:g}, so there is no spread to judge by")
    return array


def t_interval(x: Floats, level: float = 0.95, bounds: Bounds = UNBOUNDED) -> Estimate:
    """Estimate a mean with Student's t interval, which lies within the bounds of what is averaged.

    Between two bounds it is formed on the logit scale by the delta method, as for proportions (Brown, Cai &
    DasGupta, Stat. Sci. 2001): near a bound, where values are skewed, that covers the mean more often, and
    far from both it is the same. Beyond one bound alone it is cut, which covers as often as without. `x` has
    a spread. Raises Undefined for a mean that does not lie between the bounds.
    """
    from scipy.special import expit, logit, stdtrit

    mean, (low, high) = float(x.mean()), bounds
    if not low < mean < high:
        raise Undefined(f"the mean, {mean:g}, does not lie between the bounds {low:g} and {high:g}")
    half = float(stdtrit(len(x) - 1, (1 + level) / 2)) * float(x.std(ddof=1)) / math.sqrt(len(x))
    if math.isfinite(high - low):
        place = (mean - low) / (high - low)
        moved = half / (high - low) / (place * (1 - place))
        below, above = (low + (high - low) * float(expit(logit(place) + by)) for by in (-moved, moved))
        return Estimate(mean, below, above, "t on the logit scale")
    cut = max(mean - half, low), min(mean + half, high)
    return Estimate(mean, *cut, "t" if cut == (mean - half, mean + half) else "t, cut at its bound")


def percentile_interval(value: float, draws: Floats, level: float, method: str) -> Estimate:
    """Compute a percentile interval from resampled values; NaN are left out and reported."""
    kept = draws[np.isfinite(draws)]
    without = f"{len(draws) - len(kept)} of {len(draws)} resamples"
    if len(kept) < len(draws) / 2:
        return Estimate(value, method=method, reason=f"undefined in {without}")
    low, high = np.quantile(kept, [(1 - level) / 2, (1 + level) / 2])
    left_out = f"{without} have no value and are left out" if len(kept) < len(draws) else None
    return Estimate(value, float(low), float(high), method, left_out)
