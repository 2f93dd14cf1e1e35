"""Equivalence testing: two one-sided tests against a declared smallest effect."""

import math
from typing import Literal, NamedTuple

from numpy.typing import ArrayLike

from openiir.kit.statistics.estimate import spread_sample
from openiir.kit.statistics.statistic import Undefined

Verdict = Literal["equivalent", "larger", "undecided", "undefined"]


class Equivalence(NamedTuple):
    """Result of an equivalence test against a smallest effect of interest."""

    smallest: float
    p: float
    """Larger of the two one-sided p-values; below alpha the arms are equivalent."""
    low: float
    high: float
    """Upper end of the interval of level 1 - 2 alpha. The arms are equivalent if it lies inside (-smallest,
    smallest)."""
    verdict: Verdict
    """Outcome. `larger`: the interval lies wholly beyond the smallest effect; `undecided`: it straddles it.
    """
    reason: str | None = None


def tost(d: ArrayLike, smallest: float, alpha: float = 0.05) -> Equivalence:
    """Test two arms for equivalence by two one-sided paired t tests.

    Schuirmann, J. Pharmacokinet. Biopharm. 1987; Lakens, SPPS 2017. `smallest` is the smallest difference of
    interest, above 0, in the measure's unit and set beforehand. Raises ValueError for one that is not.
    """
    from scipy.special import stdtr, stdtrit

    if not (smallest > 0 and math.isfinite(smallest)):
        raise ValueError(f"the smallest effect of interest is a number above 0, got {smallest}")
    try:
        array = spread_sample(d)
    except Undefined as why:
        return Equivalence(smallest, math.nan, math.nan, math.nan, "undefined", str(why))
    mean, error = float(array.mean()), float(array.std(ddof=1)) / math.sqrt(len(array))
    p = float(stdtr(len(array) - 1, (abs(mean) - smallest) / error))
    half = float(stdtrit(len(array) - 1, 1 - alpha)) * error
    verdict: Verdict = "undecided"
    if p < alpha:
        verdict = "equivalent"
    elif abs(mean) - half > smallest:
        verdict = "larger"
    return Equivalence(smallest, p, mean - half, mean + half, verdict)
