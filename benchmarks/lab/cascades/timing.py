"""Times until cascades reach a size or a depth, censored where they never did; distributions."""

import math
import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import CensoredData, ecdf

from openiir.core.errors import InputError
from openiir.kit.arrays import Bools, Floats
from openiir.kit.statistics import Estimate
from openiir.plugin import order_by
from openiir.scenarios.social_media.model.cascades import CascadeTrees


class CensoredTimes(NamedTuple):
    """Times since each tree's root; where something never happened, the time until observation ended."""

    time: Floats
    happened: Bools

    def survival(self) -> Any:
        """Estimate the probability that it takes longer than a time (Kaplan & Meier, JASA 1958)."""
        return ecdf(CensoredData(self.time[self.happened], right=self.time[~self.happened])).sf

    def median(self, level: float = 0.95) -> Estimate:
        """Estimate the median time with its interval (Brookmeyer & Crowley, Biometrics 1982).

        An end of the interval is infinite where the limit stays above one half; the median is NaN where so
        few trees got there that no time has one half of them before it.
        """
        if not self.happened.any():
            return Estimate(math.nan, reason=f"none of {len(self.time)} trees got there")
        curve = self.survival()
        times, shares = curve.quantiles, curve.probabilities
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter(
                "ignore"
            )  # limits without a value, at the first and last times, are handled
            limits = curve.confidence_interval(level, method="log-log")
        low, high = limits.low.probabilities, limits.high.probabilities
        curves = shares, np.where(np.isnan(low), shares, low), np.where(np.isnan(high), 1.0, high)
        value, *ends = (float(min(times[one <= 0.5], default=math.inf)) for one in curves)
        if value == math.inf:
            happened = f"{self.happened.sum()} of {len(self.time)} trees got there"
            return Estimate(math.nan, reason=f"{happened}, too few for a median")
        return Estimate(value, *ends, method="Kaplan-Meier, log-log limits")


def time_to_size(trees: CascadeTrees, size: int, until: float | None = None) -> CensoredTimes:
    """Compute the time from each tree's root to its share number `size`.

    Observation ends at `until`, by default with the last share of all trees.
    """
    time = trees.shares.time
    order = order_by(trees.tree, time)
    start = np.cumsum(trees.size) - trees.size
    place = np.minimum(start + size - 1, max(len(order) - 1, 0))
    return _censor(trees, time[order[place]] if len(trees) else np.zeros(0), trees.size >= size, until)


def time_to_depth(trees: CascadeTrees, depth: int, until: float | None = None) -> CensoredTimes:
    """Compute the time from each tree's root to its first share at a depth.

    Observation ends at `until`, by default with the last share of all trees.
    """
    first = np.full(len(trees), np.inf)
    if depth < len(trees.levels):
        rows = trees.levels[depth]
        np.minimum.at(first, trees.tree[rows], trees.shares.time[rows])
    return _censor(trees, first, np.isfinite(first), until)


def _censor(trees: CascadeTrees, moment: Floats, there: Bools, until: float | None) -> CensoredTimes:
    born = trees.shares.time[trees.roots]
    end = trees.shares.time.max(initial=-np.inf) if until is None else until
    if len(late := np.flatnonzero(born > end)):
        start = f"tree {late[0]} starts at {born[late[0]]:g}"
        raise InputError(f"{start}, after the end of observation at {end:g}")
    happened = there & (moment <= end)
    return CensoredTimes(np.where(happened, moment, end) - born, happened)


def ccdf(values: ArrayLike) -> tuple[Floats, Floats]:
    """Compute the complementary cumulative distribution: the values, and the share of all at least as large.

    NaN (the virality of a root alone) is left out.
    """
    array = np.asarray(values, dtype=np.float64).ravel()
    array = array[~np.isnan(array)]
    points, counts = np.unique(array, return_counts=True)
    return points, np.cumsum(counts[::-1])[::-1] / max(len(array), 1)
