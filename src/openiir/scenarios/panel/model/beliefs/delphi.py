"""Delphi: revise estimates towards the group's median, and test whether answers are stable between rounds."""

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from openiir.kit.arrays import Floats


def revise(x: ArrayLike, median: ArrayLike, omega: ArrayLike) -> Floats:
    """Move estimates towards the median: x + omega (median - x), with `omega` from 0 to 1.

    Any scale; `median` may be an array where members see different feedback (a network). Linear advice
    taking, as reviewed by Bonaccio & Dalal (OBHDP 2006). An estimate carried to a next round belongs on the
    grid of its scale: `quantise(revise(...), span)`.
    """
    own = np.asarray(x, dtype=np.float64)
    return np.asarray(own + np.asarray(omega) * (np.asarray(median, dtype=np.float64) - own))


def revision_weights(accuracy: ArrayLike, omega0: float = 0.3) -> Floats:
    """Compute each member's revision weight, larger for less accurate members.

    The weight is clip(omega0 (1 - a) / mean(1 - a), 0, 1), so it is omega0 on average.
    `accuracy` is 0 to 1 a member. The link is the mechanism by which exchange improves a group's estimate
    (Becker, Brackbill & Centola, PNAS 2017). Where everybody is fully accurate, nobody revises.
    """
    doubt = 1.0 - np.asarray(accuracy, dtype=np.float64)
    mean = doubt.mean() if doubt.size else 0.0
    return np.clip(omega0 * doubt / mean, 0.0, 1.0) if mean > 0 else np.zeros_like(doubt)


@dataclass(frozen=True)
class Stability:
    """Result of a test whether estimates are stable between two Delphi rounds."""

    p: float
    """P-value of the two-sided Wilcoxon signed-rank test. With fewer than six changed answers it cannot be
    below 0.05."""
    shift: float
    """Change of the interquartile range between the rounds, in the units of the question."""
    stable: bool


def stability(before: ArrayLike, after: ArrayLike, level: float = 0.05, shift: float = 0.25) -> Stability:
    """Test whether a panel's estimates are stable between two Delphi rounds.

    They are if the Wilcoxon test finds no change (p > `level`) and the interquartile range changed by less
    than `shift`.
    The two arrays hold the same members in the same order; the IQR is by numpy's "linear" quantiles. A Delphi
    stops on stability, not on consensus (von der Gracht, TFSC 2012). Raises ValueError for fewer than one
    member or unequal lengths.
    """
    from scipy.stats import wilcoxon

    old, new = np.asarray(before, dtype=np.float64), np.asarray(after, dtype=np.float64)
    if old.shape != new.shape or not old.size:
        raise ValueError(f"the same members before and after, got {old.shape} and {new.shape}")
    moved = (new - old)[new != old]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scipy warns of ties and small samples; it then uses its own remedy
        p = float(wilcoxon(moved).pvalue) if moved.size else 1.0
    change = float(
        np.subtract(*np.quantile(new, [0.75, 0.25])) - np.subtract(*np.quantile(old, [0.75, 0.25]))
    )
    return Stability(p=p, shift=change, stable=p > level and abs(change) < shift)
