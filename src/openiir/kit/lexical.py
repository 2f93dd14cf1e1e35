"""Lexical search: BM25 and the best-scoring texts for a query."""

import numpy as np

from openiir.core.retrieval import BM25
from openiir.kit.arrays import Ints

__all__ = ["BM25", "nearest"]


def nearest(index: BM25, query: str, n: int) -> Ints:
    """Find the n texts with the highest positive scores for a query, best first, ties by index."""
    scores = index.scores(query)
    found = np.flatnonzero(scores > 0)
    if len(found) > n:
        least = np.partition(scores[found], len(found) - n)[len(found) - n]
        found = found[scores[found] >= least]
    return found[np.argsort(-scores[found], kind="stable")[:n]]
