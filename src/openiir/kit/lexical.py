"""Lexical search: BM25 and the best-scoring texts for a query."""

import numpy as np

from openiir.core.retrieval import BM25, best_positions
from openiir.kit.arrays import Ints

__all__ = ["BM25", "nearest"]


def nearest(index: BM25, query: str, n: int) -> Ints:
    """Find the n texts with the highest positive scores for a query, best first, ties by index."""
    return np.array(best_positions(index.scores(query), n, above=0.0), dtype=np.int64)
