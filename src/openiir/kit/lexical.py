"""Lexical search."""

import numpy as np

from openiir.core.retrieval import BM25
from openiir.kit.arrays import Ints

__all__ = ["BM25", "nearest"]


def nearest(index: BM25, query: str, n: int) -> Ints:
    """The n texts with the highest score of those above 0, best first, ties to the first in the index."""
    scores = index.scores(query)
    found = np.flatnonzero(scores > 0)
    if len(found) > n:
        least = np.partition(scores[found], len(found) - n)[len(found) - n]
        found = found[scores[found] >= least]
    return found[np.argsort(-scores[found], kind="stable")[:n]]
