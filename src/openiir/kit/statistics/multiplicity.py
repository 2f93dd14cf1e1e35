"""Many tests at once: what remains of each p."""

import numpy as np
from numpy.typing import ArrayLike

from openiir.kit.statistics.estimate import Array


def holm(p: ArrayLike) -> Array:
    """Adjusted p that hold the family-wise error (Holm, Scand. J. Statist. 1979); NaN are no part of the family."""
    given = np.asarray(p, dtype=np.float64)
    adjusted, kept = np.full(given.shape, np.nan), np.flatnonzero(np.isfinite(given))
    order = kept[np.argsort(given[kept], kind="stable")]
    steps = given[order] * np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


def benjamini_hochberg(p: ArrayLike) -> Array:
    """Adjusted p that hold the false discovery rate (Benjamini & Hochberg, J. R. Stat. Soc. B 1995).

    Valid for independent and for positively dependent tests; NaN are no part of the family.
    """
    given = np.asarray(p, dtype=np.float64)
    adjusted, kept = np.full(given.shape, np.nan), np.flatnonzero(np.isfinite(given))
    order = kept[np.argsort(given[kept], kind="stable")]
    steps = given[order] * len(order) / np.arange(1, len(order) + 1)
    adjusted[order] = np.minimum(np.minimum.accumulate(steps[::-1])[::-1], 1.0)
    return adjusted
