"""How good judgements of truth are: probabilities that a text is false, against whether it is.

Probabilities `p` are from 0 to 1 and `false` is true where the text is false; both (n,).
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from openiir.kit.arrays import Bools, Floats
from openiir.kit.statistics import Estimate
from openiir.kit.statistics.proportion import wilson_interval
from openiir.kit.statistics.statistic import Statistic, Undefined
from openiir.plugin import Draw

BINS = 10
"""Number of bins of equal width in which probabilities are compared with shares."""


class BrierParts(NamedTuple):
    """Brier score (Murphy, J. Appl. Meteorol. 1973): reliability - resolution + uncertainty + within."""

    reliability: float
    """Mean squared distance of a bin's mean probability from its share of false texts; 0 is calibrated."""
    resolution: float
    """Mean squared distance of the bins' shares from the share of all; 0 tells nothing apart."""
    uncertainty: float
    within: float
    """What the bins hide: 0 where all probabilities of a bin are equal."""


class PairedDiscrimination(NamedTuple):
    """How often the false text of a (true, false) pair is given the higher probability of being false."""

    share: Estimate
    """Share of the pairs without ties, with Wilson's interval."""
    ties: int
    """Pairs whose texts got the same probability."""
    p: float
    """Exact two-sided p-value of McNemar's test (Psychometrika 1947) over the pairs without ties."""


def _check(p: ArrayLike, false: ArrayLike) -> tuple[Floats, Bools]:
    chances, labels = np.asarray(p, dtype=np.float64), np.asarray(false, dtype=np.bool_)
    if chances.shape != labels.shape or not len(chances):
        raise Undefined(f"there are {chances.size} probabilities for {labels.size} texts")
    if not ((chances >= 0) & (chances <= 1)).all():
        raise Undefined("a probability is not from 0 to 1")
    return chances, labels


@Statistic
def brier_score(p: ArrayLike, false: ArrayLike, balanced: bool = True) -> float:
    """Compute the Brier score (Mon. Weather Rev. 1950), 0 to 1, lower is better; .25 for always .5.

    Balanced, it is the mean of the scores of false and of true texts, so that a change of their shares is no
    skill.
    """
    chances, labels = _check(p, false)
    loss = (chances - labels) ** 2
    if not balanced:
        return float(loss.mean())
    if labels.all() or not labels.any():
        raise Undefined("there are only false texts, or only true ones")
    return float((loss[labels].mean() + loss[~labels].mean()) / 2)


def brier_parts(p: ArrayLike, false: ArrayLike) -> BrierParts:
    """Divide the unbalanced Brier score into its parts, over BINS equal bins; NaN where undefined."""
    try:
        chances, labels = _check(p, false)
    except Undefined:
        return BrierParts(*[math.nan] * 4)
    size, said, share = _bin(chances, labels)
    base = labels.mean()
    weight = size / len(chances)
    reliability, resolution = weight @ (said - share) ** 2, weight @ (share - base) ** 2
    uncertainty = base * (1 - base)
    whole = ((chances - labels) ** 2).mean()
    return BrierParts(
        *map(float, (reliability, resolution, uncertainty, whole - reliability + resolution - uncertainty))
    )


@Statistic
def calibration_error(p: ArrayLike, false: ArrayLike) -> float:
    """Compute the expected calibration error: mean |mean probability - share of false texts| over bins.

    It is above 0 by chance alone; compare it with `draw_calibration_null`.
    """
    chances, labels = _check(p, false)
    size, said, share = _bin(chances, labels)
    return float(size @ np.abs(said - share) / len(chances))


def draw_calibration_null(p: ArrayLike, draw: Draw, draws: int = 1_000) -> Estimate:
    """Estimate the calibration error expected of perfectly calibrated judgements, with 95 % range."""
    chances = np.asarray(p, dtype=np.float64)
    if not len(chances):
        return Estimate(math.nan, reason="there are no probabilities")
    unit = draw.uniform(step=np.arange(draws)[:, None], item=np.arange(len(chances)))
    errors = np.array([calibration_error(chances, row < chances) for row in unit])
    low, high = np.quantile(errors, (0.025, 0.975))
    return Estimate(float(errors.mean()), float(low), float(high), "labels drawn from the probabilities")


@Statistic
def roc_auc(p: ArrayLike, false: ArrayLike) -> float:
    """Compute ROC AUC: how often a false text gets a higher probability than a true one, ties half.

    Mann & Whitney (Ann. Math. Stat. 1947); .5 tells nothing apart.
    """
    hit, true = _split(p, false)
    below = np.searchsorted(true, hit, "left") + np.searchsorted(true, hit, "right")
    return float(below.sum() / (2 * len(hit) * len(true)))


@Statistic
def recall_at_false_positives(p: ArrayLike, false: ArrayLike, share: float = 0.05) -> float:
    """Compute the largest recall of false texts at a false-positive rate of at most `share`."""
    hit, true = _split(p, false)
    allowed = int(share * len(true) + 1e-9)
    least = true[len(true) - 1 - allowed] if allowed < len(true) else -np.inf
    return float(1 - np.searchsorted(hit, least, "right") / len(hit))


def discriminate_pairs(p_false: ArrayLike, p_true: ArrayLike) -> PairedDiscrimination:
    """Compare the probabilities given to the false and to the true text of each pair, (n,) each."""
    from scipy.stats import binomtest

    gap = np.asarray(p_false, dtype=np.float64) - np.asarray(p_true, dtype=np.float64)
    right, apart = int((gap > 0).sum()), int((gap != 0).sum())
    p = float(binomtest(right, apart).pvalue) if apart else 1.0
    return PairedDiscrimination(wilson_interval(right, apart), len(gap) - apart, p)


def _split(p: ArrayLike, false: ArrayLike) -> tuple[Floats, Floats]:
    """Return the probabilities of false and of true texts, each in ascending order."""
    chances, labels = _check(p, false)
    if labels.all() or not labels.any():
        raise Undefined("there are only false texts, or only true ones")
    return np.sort(chances[labels]), np.sort(chances[~labels])


def _bin(chances: Floats, labels: Bools) -> tuple[Floats, Floats, Floats]:
    """Sort judgements into bins; returns size, mean probability and share of false texts of each."""
    place = np.minimum((chances * BINS).astype(np.int64), BINS - 1)
    size, said, share = (
        np.bincount(place, weights=column, minlength=BINS).astype(np.float64)
        for column in (None, chances, labels)
    )
    there = size > 0
    return size[there], said[there] / size[there], share[there] / size[there]
