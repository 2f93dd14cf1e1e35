"""Agreement of two raters on an ordinal scale."""

import numpy as np
from numpy.typing import ArrayLike

from openiir.kit.arrays import Floats
from openiir.kit.statistics.estimate import Estimate
from openiir.kit.statistics.resampling import cluster_bootstrap, ratio
from openiir.plugin import Draw

_UNITS = Draw(0, "statistics.kappa")


def quadratic_kappa(a: ArrayLike, b: ArrayLike, unit: ArrayLike, draws: int = 2_000) -> Estimate:
    """Compute Cohen's kappa with quadratic weights (Psychol. Bull. 1968), with an interval over units.

    Ratings `a` and `b` are numbers of the same texts; `unit` says which texts are resampled together.
    Undefined where both raters give all texts one rating. Raises ValueError for columns of unequal length.
    """
    one, other = (np.asarray(ratings, dtype=np.float64) for ratings in (a, b))
    _, row = np.unique(np.asarray(unit), return_inverse=True)
    if not len(one) == len(other) == len(row):
        raise ValueError(f"ratings of {len(one)} and of {len(other)} texts, with units of {len(row)}")
    parts = (np.ones(len(one)), one, other, one**2 + other**2, (one - other) ** 2)
    return cluster_bootstrap(
        *(np.bincount(row, weights=part) for part in parts), statistic=_kappa, draw=_UNITS, draws=draws
    )


def _kappa(n: Floats, a: Floats, b: Floats, squares: Floats, differences: Floats) -> Floats:
    """Compute kappa from sums: observed over expected squared difference, both times n squared."""
    return 1 - ratio(n * differences, n * squares - 2 * a * b)
