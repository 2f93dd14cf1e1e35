"""Lexical, vector and hybrid retrieval, as pure functions over arrays."""

from openiir.core.retrieval.bm25 import BM25
from openiir.core.retrieval.hybrid import WEIGHT, HybridIndex, best_positions, mix
from openiir.core.retrieval.sentences import sentences
from openiir.core.retrieval.tokens import content_words, tokens
from openiir.core.retrieval.vectors import LSA, Embedder
