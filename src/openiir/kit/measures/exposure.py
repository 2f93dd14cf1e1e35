"""What users were shown, against the catalogue and against what they would have liked best."""

import numpy as np
from numpy.typing import ArrayLike

from openiir.kit.measures.spread import Array, counts
from openiir.kit.measures.statistic import Statistic, Undefined


def shares(x: ArrayLike) -> Array:
    """Each category's share of all counts along the last axis; NaN where a row counts nothing."""
    rows = np.asarray(x, dtype=np.float64)
    whole = rows.sum(axis=-1, keepdims=True)
    return np.divide(rows, whole, out=np.full(rows.shape, np.nan), where=whole > 0)


def user_entropies(x: ArrayLike) -> Array:
    """Normalised entropy, -sum p ln p / ln k, of each user's counts over k topics, (users, k) to (users,).

    NaN where a user was shown nothing, and everywhere where k is 1. Pooled counts (`entropy`) hide bubbles: each
    user may see one topic while all together see all.
    """
    p = shares(x)
    k = p.shape[-1]
    if k < 2:
        return np.full(p.shape[:-1], np.nan)
    logs = np.log(p, out=np.zeros_like(p), where=p > 0)
    return np.asarray(-(p * logs).sum(axis=-1) / np.log(k) + 0.0)


@Statistic
def kl(exposure: ArrayLike, catalogue: ArrayLike) -> float:
    """Kullback-Leibler divergence of exposure from the catalogue, both counts by topic, in nats."""
    p, q = _pair(exposure, catalogue)
    if (q[p > 0] == 0).any():
        raise Undefined("there was exposure to topics that the catalogue does not hold")
    return _relative(p, q)


@Statistic
def jensen_shannon(exposure: ArrayLike, catalogue: ArrayLike) -> float:
    """Jensen-Shannon divergence of two counts by topic (Lin, IEEE TIT 1991), in nats: 0 alike, ln 2 disjoint."""
    p, q = _pair(exposure, catalogue)
    middle = (p + q) / 2
    return (_relative(p, middle) + _relative(q, middle)) / 2


@Statistic
def slate_regret(served: ArrayLike, candidates: ArrayLike, examination: ArrayLike) -> float:
    """Clicks a slate lost to the oracle where clicks are position-based: mean over slates of the difference.

    `served` (n, K) and `candidates` (n, M), M at least K and the served among them, hold the users' true
    probabilities of clicking what they examine; `examination` (K,) does not grow with the position, so the best
    order is the one by probability.
    """
    shown, offered = np.asarray(served, dtype=np.float64), np.asarray(candidates, dtype=np.float64)
    exam = np.asarray(examination, dtype=np.float64)
    if shown.ndim != 2 or 0 in shown.shape:
        raise Undefined(f"slates of shape {shown.shape}; (slates, positions) are needed")
    k = shown.shape[1]
    if exam.shape != (k,) or offered.ndim != 2 or len(offered) != len(shown) or offered.shape[1] < k:
        raise Undefined(
            f"{shown.shape} served, {offered.shape} candidates, {exam.shape} examination do not fit"
        )
    if (np.diff(exam) > 0).any():
        raise Undefined("examination grows with the position")
    best = -np.sort(np.partition(-offered, k - 1, axis=1)[:, :k], axis=1)
    return float(((best - shown) * exam).sum(axis=1).mean())


def _pair(x: ArrayLike, y: ArrayLike) -> tuple[Array, Array]:
    p, q = counts(x, 1), counts(y, 1)
    if len(p) != len(q):
        raise Undefined(f"{len(p)} topics against {len(q)}")
    return p / p.sum(), q / q.sum()


def _relative(p: Array, q: Array) -> float:
    there = p > 0
    return float((p[there] * np.log(p[there] / q[there])).sum()) + 0.0
