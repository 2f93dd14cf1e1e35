"""Measures of a population's opinions on k topics, computed from sums over users.

The sums are sum b, sum b^2 and sum b b'.
Sums of blocks add up, so a million users never need to be held at the same time.
"""

import numpy as np
from numpy.typing import ArrayLike

from openiir.kit.arrays import Floats
from openiir.kit.statistics.estimate import values
from openiir.kit.statistics.statistic import Statistic, Undefined


@Statistic
def opinion_variance(sums: ArrayLike, squares: ArrayLike, users: int) -> float:
    """Compute the variance of opinions across users (by n), mean over topics, from sums and squares.

    V = (1/k) sum_t (sum b_t^2 / n - (sum b_t / n)^2).
    """
    first, second = values(sums, 1, "sums"), values(squares, 1, "sums of squares")
    if len(first) != len(second):
        raise Undefined(f"{len(first)} sums for {len(second)} sums of squares")
    _check_users(users)
    return float(np.maximum(second / users - (first / users) ** 2, 0).mean())


def opinion_covariance(sums: ArrayLike, products: ArrayLike, users: int) -> Floats:
    """Compute the covariance matrix (k, k) of opinions across users, by n.

    From the sums (k,) and the cross-product matrix B'B (k, k).
    Raises Undefined where there are no users or the shapes do not fit.
    """
    first, cross = values(sums, 1, "sums"), np.asarray(products, dtype=np.float64)
    if cross.shape != (len(first), len(first)):
        raise Undefined(f"cross-products of shape {cross.shape} for {len(first)} topics")
    _check_users(users)
    mean = first / users
    return np.asarray(cross / users - np.outer(mean, mean))


@Statistic
def total_variance(sums: ArrayLike, products: ArrayLike, users: int) -> float:
    """Compute the total variance of opinions: the trace of their covariance, k times `opinion_variance`."""
    return float(np.maximum(np.trace(opinion_covariance(sums, products, users)), 0))


@Statistic
def issue_alignment(sums: ArrayLike, products: ArrayLike, users: int) -> float:
    """Compute the largest eigenvalue's share of the total variance of opinions.

    1/k where topics vary equally and independently, 1 where all opinions lie on a line.
    """
    covariance = opinion_covariance(sums, products, users)
    trace, scale = float(np.trace(covariance)), float(np.trace(np.asarray(products)) / users)
    if trace <= 1e-12 * max(scale, 1e-12):
        raise Undefined("all users hold the same opinions")
    return float(np.linalg.eigvalsh(covariance)[-1] / trace)


@Statistic
def drift(now: ArrayLike, start: ArrayLike) -> float:
    """Compute the mean Euclidean distance of users' opinions, (users, k), from their start."""
    b, b0 = np.asarray(now, dtype=np.float64), np.asarray(start, dtype=np.float64)
    if b.ndim != 2 or b.shape != b0.shape:
        raise Undefined(
            f"opinions of shape {b.shape} now, {b0.shape} at the start; (users, topics) are needed"
        )
    _check_users(len(b))
    return float(np.sqrt(((b - b0) ** 2).sum(axis=1)).mean())


def _check_users(users: int) -> None:
    if users < 1:
        raise Undefined("there are no users")
