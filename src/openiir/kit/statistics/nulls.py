"""Random arrangements that keep what is held equal, to compare an observed arrangement with."""

import numpy as np
from numpy.typing import ArrayLike

from openiir.core.grid import order_by
from openiir.core.seeds import Draw
from openiir.kit.arrays import Bools, Ints

TRADES = 5
"""Trades of `curveball` for each row, after which its matrices are well mixed (Strona et al. 2014)."""


def permute_within(strata: ArrayLike, draw: Draw) -> Ints:
    """Permute positions at random among those of the same stratum.

    `strata` holds the label of each position. Apply the returned indices to what is permuted.
    """
    labels = np.unique(np.asarray(strata), return_inverse=True)[1].ravel()
    places = np.arange(len(labels))
    shuffled = order_by(labels, draw.uniform(item=places))
    found = np.empty(len(labels), dtype=np.int64)
    found[order_by(labels)] = shuffled
    return found


def curveball(uses: ArrayLike, draw: Draw, trades: int | None = None) -> Bools:
    """Draw a random matrix of who uses what, (agents, sources), with the same row and column sums.

    Strona et al., Nat. Commun. 2014: two agents at a time pool what one of them alone uses and deal it out
    anew, each getting as much as it gave. By default 5 trades for each agent.
    """
    matrix = np.array(uses, dtype=np.bool_)
    agents = len(matrix)
    if agents < 2:
        return matrix
    number = np.arange(TRADES * agents if trades is None else trades)
    one = draw.at("first").below(agents, item=number)
    two = draw.at("second").below(agents - 1, item=number)
    two = two + (two >= one)
    deal = draw.at("deal")
    for trade, (a, b) in enumerate(zip(one.tolist(), two.tolist(), strict=True)):
        pool = np.flatnonzero(matrix[a] != matrix[b])
        own = np.count_nonzero(matrix[a, pool])
        if 0 < own < len(pool):
            got = pool[order_by(deal.uniform(agent=trade, item=pool))]
            matrix[a, got[:own]] = matrix[b, got[own:]] = True
            matrix[a, got[own:]] = matrix[b, got[:own]] = False
    return matrix
