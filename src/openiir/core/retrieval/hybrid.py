"""Keyword, vector and hybrid search over a set of texts.

Hybrid is a convex combination of both scores, each divided by the query's best (Bruch, Gai & Ingber, "An
Analysis of Fusion Functions for Hybrid Retrieval", TOIS 42(1), 2023): weight * BM25 / max BM25 +
(1 - weight) * max(0, cosine) / max cosine. Zero is the least both can be, so it stays zero.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from openiir.core.errors import EndpointError, UnknownName
from openiir.core.retrieval.bm25 import BM25
from openiir.core.retrieval.vectors import LSA, Embedder, Matrix, cosine
from openiir.core.seeds import quantise

Mode = Literal["hybrid", "keyword", "vector"]
MODES: tuple[Mode, ...] = ("hybrid", "keyword", "vector")

WEIGHT = 0.6
"""Share of BM25 in a hybrid score, tuned by `benchmarks/retrieval.py` on Cranfield's odd-numbered queries."""


@dataclass(frozen=True)
class ScoredText:
    """A search result with its scores."""

    id: str
    score: float
    """Ranking score: BM25, cosine, or in hybrid mode their mixture from 0 to 1."""
    lexical: float
    """BM25 as a share of the query's upper bound, from 0 to 1, comparable between queries."""
    bm25: float
    cosine: float | None
    """Cosine of the texts' vectors; None if the mode did not ask the embedder."""


class HybridIndex:
    """Index of texts by id, searchable in three modes; create it with `HybridIndex.build`."""

    def __init__(self, ids: Sequence[str], texts: Sequence[str], vectors: Matrix, embedder: Embedder) -> None:
        if len(set(ids)) != len(ids) or not len(ids) == len(texts) == len(vectors):
            raise ValueError("an index needs one text and one vector an id, and each id once")
        self.ids = tuple(ids)
        self._texts = tuple(texts)
        self.bm25 = BM25(texts)
        self.embedder = embedder
        self.vectors = vectors
        self._by_id = np.argsort(np.argsort(np.array(self.ids, dtype=np.str_), kind="stable"), kind="stable")

    @classmethod
    async def build(
        cls, ids: Sequence[str], texts: Sequence[str], embedder: Embedder | None = None
    ) -> "HybridIndex":
        """Index texts; without an embedder, LSA is fitted to them."""
        chosen = embedder if embedder is not None else LSA.fit(texts)
        return cls(ids, texts, await _embed(chosen, texts), chosen)

    async def extend(self, ids: Sequence[str], texts: Sequence[str]) -> "HybridIndex":
        """Return a new index with additional texts, embedding only these."""
        vectors = await _embed(self.embedder, texts)
        both = np.concatenate([self.vectors, vectors]) if self.ids else vectors
        return HybridIndex([*self.ids, *ids], [*self._texts, *texts], both, self.embedder)

    async def search(
        self, query: str, k: int = 10, mode: Mode = "hybrid", weight: float = WEIGHT
    ) -> list[ScoredText]:
        """Find the k best texts with scores above 0, best first, ties by id.

        `weight` is the share of BM25 in hybrid mode, 0..1. Keyword mode never asks the embedder.
        """
        scores, bm25, similarity = await self._score_parts(query, mode, weight)
        lexical = self.bm25.relative_scores(query)
        best = [i for i in self.order(scores)[: max(0, k)] if scores[i] > 0]
        return [
            ScoredText(
                id=self.ids[i],
                score=float(scores[i]),
                lexical=float(lexical[i]),
                bm25=quantise(float(bm25[i])),
                cosine=None if similarity is None else quantise(float(similarity[i])),
            )
            for i in best
        ]

    async def scores(self, query: str, mode: Mode = "hybrid", weight: float = WEIGHT) -> NDArray[np.float64]:
        """Compute the score of every text, in the order of the ids, on the grid of 2^-20."""
        return (await self._score_parts(query, mode, weight))[0]

    async def _score_parts(
        self, query: str, mode: Mode, weight: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64] | None]:
        """Return the ranking scores, the BM25 scores, and the cosines if the mode needs them."""
        if mode not in MODES:
            raise UnknownName("retrieval mode", mode, MODES)
        bm25 = self.bm25.scores(query)
        if mode == "keyword" or not self.ids or not query.strip():
            return bm25, bm25, None
        similarity = cosine(self.vectors, (await _embed(self.embedder, [query]))[0])
        return (similarity if mode == "vector" else mix(bm25, similarity, weight)), bm25, similarity

    def order(self, scores: NDArray[np.float64]) -> list[int]:
        """Sort positions by falling score, ties by id."""
        return [int(at) for at in np.lexsort((self._by_id, -scores))]


def mix(lexical: NDArray[np.float64], similarity: NDArray[np.float64], weight: float) -> NDArray[np.float64]:
    """Compute hybrid scores from 0 to 1 out of BM25 and cosine scores; `weight` is the share of BM25."""
    if not 0 <= weight <= 1:
        raise ValueError(f"the weight of BM25 is a share between 0 and 1, got {weight}")
    return quantise(weight * _scale_to_best(lexical) + (1 - weight) * _scale_to_best(similarity))


async def _embed(embedder: Embedder, texts: Sequence[str]) -> Matrix:
    """Embed texts and check the vectors' shape and values; raises EndpointError."""
    if not texts:
        return np.zeros((0, 0))
    vectors = await embedder.embed(texts)
    if vectors.ndim != 2 or len(vectors) != len(texts) or not np.isfinite(vectors).all():
        raise EndpointError(
            f"{embedder.name} gave no usable vectors: {len(texts)} finite rows were asked for, "
            f"and an array of shape {vectors.shape} came; check that the model makes embeddings"
        )
    return vectors


def _scale_to_best(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    best = scores.max(initial=0.0)
    return np.maximum(scores, 0.0) / best if best > 0 else np.zeros_like(scores)
