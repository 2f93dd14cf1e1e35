"""Lexical, vector and hybrid retrieval, as pure functions over arrays."""

from openiir.core.retrieval.bm25 import BM25
from openiir.core.retrieval.hybrid import WEIGHT, HybridIndex, Mode, ScoredText, best_positions, mix
from openiir.core.retrieval.sentences import paragraphs, sentences
from openiir.core.retrieval.tokens import content_words, tokens, words
from openiir.core.retrieval.vectors import LSA, Embedder, row_cosines

__all__ = [
    "BM25",
    "Embedder",
    "HybridIndex",
    "LSA",
    "Mode",
    "ScoredText",
    "WEIGHT",
    "best_positions",
    "content_words",
    "row_cosines",
    "mix",
    "paragraphs",
    "sentences",
    "tokens",
    "words",
]
