"""Search texts without a world: BM25, LSA, both together, and the best-scoring texts for a query."""

import numpy as np

from openiir.core.retrieval import BM25, LSA, HybridIndex, best_positions
from openiir.core.retrieval.bm25 import saturate
from openiir.core.retrieval.hybrid import scale_to_best
from openiir.core.retrieval.vectors import unit_rows
from openiir.kit.arrays import Ints

__all__ = ["BM25", "LSA", "HybridIndex", "nearest_texts", "saturate", "scale_to_best", "unit_rows"]


def nearest_texts(index: BM25, query: str, n: int) -> Ints:
    """Find the indices of the n texts with the highest positive BM25 scores for a query, best first."""
    return np.array(best_positions(index.scores(query), n, above=0.0), dtype=np.int64)
