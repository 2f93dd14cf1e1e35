"""Normalised discounted cumulative gain over arrays (nDCG; Jarvelin & Kekalainen, TOIS 2002).

Gains (Q, D) are those of each query's documents, such as grades or 2^grade - 1 (Burges et al., ICML 2005);
one below 0 counts as 0, as in trec_eval. A query none of whose documents has a gain has NaN.
"""

import numpy as np

from openiir.kit.arrays import Floats, Ints
from openiir.kit.statistics.resampling import divide_arrays


def discounts(places: int) -> Floats:
    """Compute the discount of each place from 1: 1 / log2(1 + place)."""
    return np.asarray(1 / np.log2(np.arange(2, places + 2)))


def ndcg(gains: Floats, order: Ints) -> Floats:
    """Compute nDCG of each query's ranking, (Q,).

    `order` (Q, places) are numbers of documents from the top, -1 after the last; a short ranking is measured
    at all places. Raises ValueError where a ranking holds a document twice.
    """
    ranked = np.sort(order, axis=1)
    if ((ranked[:, 1:] == ranked[:, :-1]) & (ranked[:, 1:] >= 0)).any():
        raise ValueError("a ranking holds a document twice")
    reached = np.where(order >= 0, np.take_along_axis(gains, np.maximum(order, 0), axis=1), 0.0)
    return _normalise(reached, gains)


def random_ndcg(gains: Floats, places: int) -> Floats:
    """Compute the nDCG of the first places that a random order of the documents is expected to have, (Q,)."""
    mean = np.maximum(gains, 0.0).mean(axis=1, keepdims=True)
    return _normalise(np.repeat(mean, min(places, gains.shape[1]), axis=1), gains)


def _normalise(reached: Floats, gains: Floats) -> Floats:
    """Divide the discounted gains at the places reached by those of the best order."""
    best = np.maximum(-np.sort(-gains, axis=1)[:, : reached.shape[1]], 0.0)
    found, ideal = (
        (each * discounts(each.shape[1])).sum(axis=1) for each in (np.maximum(reached, 0.0), best)
    )
    return divide_arrays(found, ideal)
