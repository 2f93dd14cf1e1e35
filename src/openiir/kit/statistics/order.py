"""Agreement of two measures on the order of systems."""

import math

import numpy as np
from numpy.typing import ArrayLike

from openiir.core.seeds import Draw
from openiir.kit.statistics.estimate import Estimate, percentile_interval, sample
from openiir.kit.statistics.resampling import resamples
from openiir.kit.statistics.statistic import Undefined


def order_agreement(
    a: ArrayLike, b: ArrayLike, draw: Draw | None = None, draws: int = 2_000, level: float = 0.95
) -> Estimate:
    """Compute Kendall's tau-b between two scores of the same systems, with an interval.

    The interval is by percentiles over resampled systems. 1 the same order, -1 the reverse (Kendall,
    Biometrika 1938). Undefined where one of the two ties all systems.
    """
    try:
        first, second = _pair(a, b)
    except Undefined as why:
        return Estimate(math.nan, reason=str(why))
    n = len(first)
    agree = np.sign(first[:, None] - first) * np.sign(second[:, None] - second)
    apart = [np.abs(np.sign(x[:, None] - x)) for x in (first, second)]
    value = float(agree.sum() / math.sqrt(apart[0].sum() * apart[1].sum()))
    found = []
    for _, block in resamples(n, draw or Draw(0, "statistics.order"), draws):
        for picked in block:
            here = np.ix_(picked, picked)
            pairs = float(apart[0][here].sum() * apart[1][here].sum())
            found.append(float(agree[here].sum()) / math.sqrt(pairs) if pairs else math.nan)
    return percentile_interval(value, np.array(found), level, "percentile bootstrap")


def _pair(a: ArrayLike, b: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    first, second = sample(a), sample(b)
    if len(first) != len(second):
        raise ValueError(f"scores of {len(first)} and of {len(second)} systems")
    if len(first) < 2:
        raise Undefined("an order needs at least 2 systems")
    for scores in (first, second):
        if scores.min() == scores.max():
            raise Undefined("one of the two ties all systems")
    return first, second
