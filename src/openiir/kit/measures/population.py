"""Measures of a population's opinions on k topics, computed from sums: sum b, sum b^2 and sum b b' over users.

Sums of blocks add up, so a million users never need to be held at the same time.
"""

import numpy as np
from numpy.typing import ArrayLike

from openiir.kit.arrays import Floats
from openiir.kit.statistics.estimate import values
from openiir.kit.statistics.statistic import Statistic, Undefined


@Statistic
def opinion_variance(sums: ArrayLike, squares: ArrayLike, users: int) -> float:
    """Mean over topics of the variance across users, by n: V = (1/k) sum_t (sum b_t^2 / n - (sum b_t / n)^2)."""
    first, second = values(sums, 1, "sums"), values(squares, 1, "sums of squares")
    if len(first) != len(second):
        raise Undefined(f"{len(first)} sums for {len(second)} sums of squares")
    _some(users)
    return float(np.maximum(second / users - (first / users) ** 2, 0).mean())


def opinion_covariance(sums: ArrayLike, products: ArrayLike, users: int) -> Floats:
    """Cov(B), k x k, by n, from the sums (k,) and the cross-product matrix B'B (k, k).

    Raises Undefined where there are no users or the shapes do not fit.
    """
    first, cross = values(sums, 1, "sums"), np.asarray(products, dtype=np.float64)
    if cross.shape != (len(first), len(first)):
        raise Undefined(f"cross-products of shape {cross.shape} for {len(first)} topics")
    _some(users)
    mean = first / users
    return np.asarray(cross / users - np.outer(mean, mean))


@Statistic
def total_variance(sums: ArrayLike, products: ArrayLike, users: int) -> float:
    """Trace of Cov(B): k times `opinion_variance`."""
    return float(np.maximum(np.trace(opinion_covariance(sums, products, users)), 0))


@Statistic
def issue_alignment(sums: ArrayLike, products: ArrayLike, users: int) -> float:
    """Largest eigenvalue's share of the trace of Cov(B): 1/k where topics vary alike and apart, 1 on one line."""
    covariance = opinion_covariance(sums, products, users)
    trace, scale = float(np.trace(covariance)), float(np.trace(np.asarray(products)) / users)
    if trace <= 1e-12 * max(scale, 1e-12):
        raise Undefined("all users hold the same opinions")
    return float(np.linalg.eigvalsh(covariance)[-1] / trace)


@Statistic
def drift(now: ArrayLike, start: ArrayLike) -> float:
    """Mean over users of the Euclidean distance of their opinions, (users, k), from where they began."""
    b, b0 = np.asarray(now, dtype=np.float64), np.asarray(start, dtype=np.float64)
    if b.ndim != 2 or b.shape != b0.shape:
        raise Undefined(
            f"opinions of shape {b.shape} now, {b0.shape} at the start; (users, topics) are needed"
        )
    _some(len(b))
    return float(np.sqrt(((b - b0) ** 2).sum(axis=1)).mean())


def _some(users: int) -> None:
    if users < 1:
        raise Undefined("there are no users")
