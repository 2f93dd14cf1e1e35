"""Effect sizes, and the gain from pairing seeds."""

import math

import numpy as np
from numpy.typing import ArrayLike

from openiir.kit.statistics.estimate import sample, spread_sample
from openiir.kit.statistics.paired import difference
from openiir.kit.statistics.statistic import Statistic, Undefined


@Statistic
def percent_difference(a: ArrayLike, b: ArrayLike) -> float:
    """Compute the difference of two arms' means in percent: 100 (mean b - mean a) / |mean a|.

    Only for measures with a true zero.
    """
    change, base = float(difference(a, b).mean()), float(sample(a).mean())
    if base == 0:
        raise Undefined("the first arm's mean is 0")
    return 100 * change / abs(base)


@Statistic
def d_z(d: ArrayLike) -> float:
    """Compute Cohen's d_z of paired differences, with Hedges' exact small-sample correction.

    Cohen's d_z (Statistical Power Analysis, 1988) times G(m/2) / (sqrt(m/2) G((m - 1)/2)), m = S - 1 (Hedges,
    J. Educ. Stat. 1981). It counts noise between seeds as its unit, so it grows without bound where a
    simulation has little. Undefined under 3 seeds, where the correction is 0.
    """
    array = spread_sample(d, 3)
    m = len(array) - 1
    correction = math.exp(math.lgamma(m / 2) - math.lgamma((m - 1) / 2)) / math.sqrt(m / 2)
    return float(array.mean() / array.std(ddof=1)) * correction


@Statistic
def cliffs_delta(a: ArrayLike, b: ArrayLike) -> float:
    """Compute Cliff's delta, P(b > a) - P(b < a) over all pairs of runs: -1 to 1.

    Cliff, Psychol. Bull. 1993. Pairs are formed whatever the runs' seeds.
    """
    first, second = np.sort(sample(a)), sample(b)
    below = np.searchsorted(first, second, side="left").sum()
    above = (len(first) - np.searchsorted(first, second, side="right")).sum()
    return float(below - above) / (len(first) * len(second))


@Statistic
def correlation(a: ArrayLike, b: ArrayLike) -> float:
    """Compute Pearson's correlation of two arms over shared seeds (what common random numbers gain)."""
    difference(a, b)
    first, second = spread_sample(a), spread_sample(b)
    return float(np.clip(np.corrcoef(first, second)[0, 1], -1.0, 1.0))


@Statistic
def spread_ratio(a: ArrayLike, b: ArrayLike) -> float:
    """Compute the ratio of the paired to the unpaired standard deviation of a difference.

    sd(b - a) / sqrt(var a + var b): under 1 pairing gained, 1 nothing, above 1 it cost. Its square is the
    share of the seeds that a paired study needs of an unpaired one.
    """
    d = difference(a, b)
    alone = sample(a, 2).var(ddof=1) + sample(b, 2).var(ddof=1)
    if alone == 0:
        raise Undefined("neither arm varies between seeds")
    return float(d.std(ddof=1) / math.sqrt(alone))
