"""Agreement of raters: the measures that a Delphi reports each round."""

from math import fsum

import numpy as np
from numpy.typing import ArrayLike

from openiir.kit.statistics.estimate import values
from openiir.kit.statistics.statistic import Statistic, Undefined

QUANTILES = ("linear", "hazen", "weibull", "median_unbiased", "normal_unbiased", "interpolated_inverted_cdf")
"""Quantile methods by NumPy's names; `linear` is Hyndman & Fan's type 7, `hazen` 5, `weibull` 6."""


@Statistic
def iqr(x: ArrayLike, method: str = "linear") -> float:
    """Compute the interquartile range.

    On small panels the quantile method matters: name it where you report the range.
    """
    ratings = values(x, 1, "ratings")
    if method not in QUANTILES:
        raise Undefined(f"no quantile method is called {method!r}; known: {', '.join(QUANTILES)}")
    return float(np.subtract(*np.quantile(ratings, [0.75, 0.25], method=method)))  # type: ignore[call-overload]


@Statistic
def percent_agreement(x: ArrayLike, low: float | None = None, high: float | None = None) -> float:
    """Compute the share (0 to 1) of ratings between `low` and `high`, both included.

    Without bounds it is the share of the commonest rating.
    0.75 is the threshold most often set (Diamond et al., J. Clin. Epidemiol. 2014).
    """
    ratings = values(x, 1, "ratings")
    if low is None and high is None:
        return float(np.unique(ratings, return_counts=True)[1].max() / len(ratings))
    floor, ceiling = -np.inf if low is None else low, np.inf if high is None else high
    return float(((ratings >= floor) & (ratings <= ceiling)).mean())


@Statistic
def coefficient_of_variation(x: ArrayLike) -> float:
    """Compute the coefficient of variation: standard deviation (by n - 1) over |mean|.

    Only for scales with a true zero.
    """
    ratings = values(x, 2, "ratings")
    if ratings.mean() == 0:
        raise Undefined("the mean is 0")
    return float(ratings.std(ddof=1) / abs(ratings.mean()))


@Statistic
def kendalls_w(ratings: ArrayLike) -> float:
    """Compute Kendall's coefficient of concordance of m raters (rows) over n items, corrected for ties.

    W = 12 S / (m^2 (n^3 - n) - m T); scores are ranked within each row, so ranks may be given as they are.
    1 is one order, 0 none. m (n - 1) W is Friedman's chi-square with n - 1 degrees of freedom. Bands in use:
    .1 very weak, .3 weak, .5 moderate, .7 strong, .9 very strong (Schmidt, Decision Sciences 1997).
    """
    from scipy.stats import rankdata

    table = np.asarray(ratings, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] < 2 or table.shape[1] < 2:
        raise Undefined(f"at least 2 raters by 2 items are needed, got shape {table.shape}")
    values(table, 4, "ratings")
    m, n = table.shape
    sums = rankdata(table, axis=1).sum(axis=0)
    equal = [np.unique(row, return_counts=True)[1].astype(np.float64) for row in table]
    largest = m**2 * (n**3 - n) - m * fsum((size**3 - size).sum() for size in equal)
    if largest == 0:
        raise Undefined("every rater ties all items")
    return float(12 * ((sums - m * (n + 1) / 2) ** 2).sum() / largest)
