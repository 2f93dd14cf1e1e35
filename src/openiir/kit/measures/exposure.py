"""Measures of users' exposure to topics, compared with the catalogue."""

import numpy as np
from numpy.typing import ArrayLike

from openiir.kit.arrays import Floats
from openiir.kit.measures.spread import check_counts
from openiir.kit.statistics.statistic import Statistic, Undefined


def row_shares(x: ArrayLike) -> Floats:
    """Scale counts to shares along the last axis; NaN where a row has no counts."""
    rows = np.asarray(x, dtype=np.float64)
    whole = rows.sum(axis=-1, keepdims=True)
    return np.divide(rows, whole, out=np.full(rows.shape, np.nan), where=whole > 0)


def user_entropies(x: ArrayLike) -> Floats:
    """Compute the normalised entropy of each user's counts over k topics, (users, k) to (users,).

    It is -sum p ln p / ln k. NaN where a user was shown nothing, and everywhere where k is 1. Pooled counts
    (`entropy`) hide bubbles: each user may see one topic while all together see all.
    """
    p = row_shares(x)
    k = p.shape[-1]
    if k < 2:
        return np.full(p.shape[:-1], np.nan)
    logs = np.log(p, out=np.zeros_like(p), where=p > 0)
    return np.asarray(-(p * logs).sum(axis=-1) / np.log(k) + 0.0)


@Statistic
def kl(exposure: ArrayLike, catalogue: ArrayLike) -> float:
    """Compute the Kullback-Leibler divergence of exposure from the catalogue, in nats.

    Both are counts by topic.
    """
    p, q = _pair(exposure, catalogue)
    if (q[p > 0] == 0).any():
        raise Undefined("there was exposure to topics that the catalogue does not hold")
    return _relative(p, q)


@Statistic
def jensen_shannon(exposure: ArrayLike, catalogue: ArrayLike) -> float:
    """Compute the Jensen-Shannon divergence of two counts by topic, in nats: 0 alike, ln 2 disjoint.

    Lin, IEEE TIT 1991.
    """
    p, q = _pair(exposure, catalogue)
    middle = (p + q) / 2
    return (_relative(p, middle) + _relative(q, middle)) / 2


def _pair(x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
    p, q = check_counts(x, 1), check_counts(y, 1)
    if len(p) != len(q):
        raise Undefined(f"{len(p)} topics against {len(q)}")
    return p / p.sum(), q / q.sum()


def _relative(p: Floats, q: Floats) -> float:
    there = p > 0
    return float((p[there] * np.log(p[there] / q[there])).sum()) + 0.0
