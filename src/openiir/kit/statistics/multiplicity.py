"""Corrections of p-values for multiple tests."""

import numpy as np
from numpy.typing import ArrayLike

from openiir.kit.arrays import Floats


def holm(p: ArrayLike) -> Floats:
    """Adjust p-values to control the family-wise error by Holm's method; NaN are left out.

    Holm, Scand. J. Statist. 1979.
    """
    given = np.asarray(p, dtype=np.float64)
    adjusted, kept = np.full(given.shape, np.nan), np.flatnonzero(np.isfinite(given))
    order = kept[np.argsort(given[kept], kind="stable")]
    steps = given[order] * np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


def benjamini_hochberg(p: ArrayLike) -> Floats:
    """Adjust p-values to control the false discovery rate by Benjamini & Hochberg's method.

    J. R. Stat. Soc. B 1995.
    Valid for independent and for positively dependent tests; NaN are no part of the family.
    """
    from scipy.stats import false_discovery_control

    given = np.asarray(p, dtype=np.float64)
    adjusted, there = np.full(given.shape, np.nan), np.isfinite(given)
    adjusted[there] = false_discovery_control(given[there]) if there.any() else []
    return adjusted
