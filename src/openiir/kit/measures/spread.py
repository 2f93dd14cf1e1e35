"""Measures of convergence, disagreement and polarisation of opinions."""

import numpy as np
from numpy.typing import ArrayLike

from openiir.kit.arrays import Floats
from openiir.kit.statistics.estimate import values
from openiir.kit.statistics.statistic import Statistic, Undefined


def check_counts(x: ArrayLike, at_least: int) -> Floats:
    """Validate counts of categories: raises Undefined unless all are at least 0 and one is above 0."""
    array = values(x, at_least, "categories")
    if (array < 0).any():
        raise Undefined("a count is negative")
    if array.sum() == 0:
        raise Undefined("all counts are 0")
    return array


@Statistic
def variance_ratio(x: ArrayLike, x0: ArrayLike) -> float:
    """Compute Var(x) / Var(x0), by n: 0 is consensus, 1 as at the start, above 1 divergence."""
    now, start = values(x, 1), values(x0, 1)
    if start.var() == 0:
        raise Undefined("opinions did not differ at the start")
    return float(now.var() / start.var())


@Statistic
def mean_pairwise_distance(x: ArrayLike) -> float:
    """Compute the mean of |x_i - x_j| over unordered pairs, in O(n log n)."""
    array = np.sort(values(x, 2))
    n = len(array)
    return float(((2 * np.arange(n) - n + 1) * array).sum() * 2 / (n * (n - 1)))


@Statistic
def r_wg(x: ArrayLike, categories: int) -> float:
    """Compute the within-group agreement r_wg against uniformly spread ratings.

    James, Demaree & Wolf 1984.
    1 - S^2 / ((A^2 - 1) / 12), with S^2 by n - 1; less agreement than chance counts as 0.
    """
    ratings = values(x, 2, "ratings")
    if categories < 2:
        raise Undefined("a scale has at least 2 categories")
    return float(max(0.0, 1 - ratings.var(ddof=1) / ((categories**2 - 1) / 12)))


def _layer_agreement(filled: Floats) -> float:
    """Compute van der Eijk's agreement of one layer: a pattern of filled and empty categories."""
    k, full = len(filled), int(filled.sum())
    if full == 1:
        return 1.0
    before, after = np.cumsum(filled) - filled, filled.sum() - np.cumsum(filled)
    empty_after, empty_before = np.cumsum((1 - filled)[::-1])[::-1], np.cumsum(1 - filled)
    agree = float((before * filled * empty_after).sum() + (empty_before * filled * after).sum())
    split = float((before * (1 - filled) * after).sum())
    if agree + split == 0:
        return 0.0
    unimodality = ((k - 2) * agree - (k - 1) * split) / ((k - 2) * (agree + split))
    return float(unimodality * (1 - (full - 1) / (k - 1)))


@Statistic
def agreement(frequencies: ArrayLike) -> float:
    """Compute van der Eijk's agreement A over an ordered scale.

    Quality & Quantity 2001: 1 where all choose one category, 0 for an even spread, -1 for two poles.
    `frequencies` holds the count of each category, empty ones included, in the order of the scale; three
    categories or more.
    """
    left, total, result = check_counts(frequencies, 3).copy(), 0.0, 0.0
    whole = left.sum()
    while left.sum() > 1e-12 * whole:
        filled = (left > 0).astype(np.float64)
        height = left[left > 0].min()
        share = height * filled.sum() / whole
        result += share * _layer_agreement(filled)
        left = np.where(left - height > 1e-12 * whole, left - height, 0.0)
        total += share
    return float(result / total)


@Statistic
def esteban_ray(masses: ArrayLike, positions: ArrayLike, alpha: float = 1.6) -> float:
    """Compute Esteban & Ray's polarisation of groups: sum of p_i^(1 + alpha) p_j |y_i - y_j|.

    Econometrica 1994. `masses` are scaled to sum to 1, `positions` taken as they are; 0 is consensus.
    Comparable only at equal `alpha` (1 to 1.6) and scale.
    """
    shares, y = check_counts(masses, 1), values(positions, 1, "positions")
    if len(shares) != len(y):
        raise Undefined(f"{len(shares)} masses for {len(y)} positions")
    shares = shares / shares.sum()
    pairs = shares[:, None] ** (1 + alpha) * shares * np.abs(y[:, None] - y)
    return float(pairs.sum())


@Statistic
def bimodality(x: ArrayLike) -> float:
    """Compute the bimodality coefficient from skewness g and kurtosis k, both corrected for n.

    (g^2 + 1) / (k + 3 (n - 1)^2 / ((n - 2)(n - 3))).
    An even spread gives 5/9 = 0.555, a normal one 1/3, two poles 1; above 0.555 hints at two camps, but a
    skewed single camp exceeds it as well (Pfister et al., Front. Psychol. 2013).
    """
    array = values(x, 4)
    n, d = len(array), array - array.mean()
    m2 = (d**2).mean()
    if m2 <= 1e-24 * max(1.0, float((array**2).max())):
        raise Undefined("all values are equal")
    skew = (d**3).mean() / m2**1.5 * np.sqrt(n * (n - 1)) / (n - 2)
    kurtosis = (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * ((d**4).mean() / m2**2 - 3) + 6)
    return float((skew**2 + 1) / (kurtosis + 3 * (n - 1) ** 2 / ((n - 2) * (n - 3))))


@Statistic
def polarisation(z: ArrayLike) -> float:
    """Compute the polarisation sum of (z_i - mean z)^2 of Musco, Musco & Tsourakakis (WWW 2018)."""
    array = values(z, 1)
    return float(((array - array.mean()) ** 2).sum())


@Statistic
def disagreement(z: ArrayLike, weights: ArrayLike) -> float:
    """Compute the disagreement over edges: sum of w_ij (z_i - z_j)^2.

    `weights` is a symmetric n x n matrix.
    At the resting opinions z = (I + L)^-1 s of a graph with Laplacian L, polarisation plus disagreement is
    s' (I + L)^-1 s with s centred (Musco, Musco & Tsourakakis, WWW 2018).
    """
    array, w = values(z, 1), np.asarray(weights, dtype=np.float64)
    if w.shape != (len(array), len(array)):
        raise Undefined(f"weights of shape {w.shape} for {len(array)} opinions")
    if not np.array_equal(w, w.T):
        raise Undefined("the weights are not symmetric")
    return float((w * (array[:, None] - array) ** 2).sum() / 2)
