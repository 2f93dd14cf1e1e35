"""How unevenly something is shared out: turns, exposure, topics."""

import numpy as np
from numpy.typing import ArrayLike

from openiir.kit.measures.spread import counts
from openiir.kit.measures.statistic import Statistic


@Statistic
def gini(x: ArrayLike) -> float:
    """Gini coefficient of amounts of at least 0: 0 equal shares, (n - 1) / n all to one.

    Undefined where there is nothing to share (all amounts 0).
    """
    amounts = np.sort(counts(x, 1))
    n = len(amounts)
    return float(2 * (np.arange(1, n + 1) * amounts).sum() / (n * amounts.sum()) - (n + 1) / n)


@Statistic
def entropy(x: ArrayLike, normalised: bool = False) -> float:
    """Shannon entropy in nats of counts over categories, 0 ln 0 = 0; `normalised` by ln k, k categories given.

    Normalised, one category alone has no value.
    """
    shares = counts(x, 2 if normalised else 1)
    k, shares = len(shares), shares[shares > 0] / shares.sum()
    nats = float(-(shares * np.log(shares)).sum()) + 0.0
    return nats / float(np.log(k)) if normalised else nats
