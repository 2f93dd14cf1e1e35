"""Random arrangements that keep what is held equal, to compare an observed arrangement with."""

import numpy as np
from numpy.typing import ArrayLike

from openiir.core.grid import order_by
from openiir.core.seeds import Draw
from openiir.kit.arrays import Bools, Ints, number_within

TRADES = 10
"""Trades of each agent in `curveball`, after which its matrices are well mixed (Strona et al. 2014)."""


def permute_within(strata: ArrayLike, draw: Draw, samples: int | None = None) -> Ints:
    """Permute positions at random among those of the same stratum.

    `strata` holds the label of each position. Apply the returned indices, (positions,) or (samples,
    positions), to what is permuted.
    """
    labels = np.unique(np.asarray(strata), return_inverse=True)[1].ravel()
    places = np.arange(len(labels))
    unit = draw.uniform(item=places)
    if samples is not None:
        unit = draw.uniform(agent=np.arange(samples)[:, None], item=places)
    found = np.empty(unit.shape, dtype=np.int64)
    found[..., order_by(labels)] = order_by(np.broadcast_to(labels, unit.shape), unit)
    return found


def curveball(
    uses: ArrayLike,
    draw: Draw,
    samples: int | None = None,
    strata: ArrayLike | None = None,
    trades: int = TRADES,
) -> Bools:
    """Draw a random matrix of who uses what, (agents, sources), or several, with the same sums.

    Row and column sums are those given. Two agents at a time pool what one of them alone uses and deal it out
    anew, each getting as much as it gave (Strona et al., Nat. Commun. 2014). All agents trade at once, in
    pairs (global trades: Carstens et al., ESA 2018), and only with agents of the same label in `strata`, so
    that column sums are kept in each.
    """
    several = 1 if samples is None else samples
    matrix = np.repeat(np.asarray(uses, dtype=np.bool_)[None], several, axis=0)
    agents, sources = matrix.shape[1:]
    labels = np.unique(np.zeros(agents) if strata is None else np.asarray(strata), return_inverse=True)[1]
    ordered = np.sort(labels.ravel())
    place, alike = number_within(ordered), np.append(ordered[1:] == ordered[:-1], False)[:agents]
    first = np.flatnonzero((place % 2 == 0) & alike)
    sample, row, item = np.arange(several)[:, None], np.arange(agents), np.arange(sources)
    for trade in range(trades if len(first) else 0):
        shuffled = labels.ravel() + draw.at("partners").uniform(agent=row, item=sample, step=trade)
        partners = np.argsort(shuffled, axis=1, kind="stable")
        one, two = partners[:, first], partners[:, first + 1]
        a, b = matrix[sample, one], matrix[sample, two]
        pool = a ^ b
        deal = draw.at(f"deal {trade}")
        lot = np.where(pool, deal.uniform(agent=one[..., None], item=item, step=sample[..., None]), 1.0)
        last = np.take_along_axis(np.sort(lot, axis=2), (a & pool).sum(axis=2, keepdims=True) - 1, axis=2)
        got = pool & (lot <= last) & (a & pool).any(axis=2, keepdims=True)
        matrix[sample, one], matrix[sample, two] = (a & b) | got, (a & b) | (pool & ~got)
    return matrix[0] if samples is None else matrix
