"""Keyword, vector and hybrid search over a set of texts, and hybrid search with a second stage.

Hybrid is a convex combination of both scores, each divided by the query's best (Bruch, Gai & Ingber, "An
Analysis of Fusion Functions for Hybrid Retrieval", TOIS 42(1), 2023): weight * BM25 / max BM25 +
(1 - weight) * max(0, cosine) / max cosine. Zero is the least both can be, so it stays zero.

The second stage mixes each of the best texts' scores with those of the texts most like it: one step of the
regularisation of Diaz, "Regularizing Ad Hoc Retrieval Scores", CIKM 2005.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from openiir.core.errors import EndpointError, InputError, UnknownName
from openiir.core.grid import order_by, quantise
from openiir.core.retrieval.bm25 import BM25
from openiir.core.retrieval.vectors import LSA, Embedder, Matrix, unit_rows

Id = TypeVar("Id", str, int)
Mode = Literal["hybrid", "rerank", "keyword", "match", "vector"]
MODES: tuple[Mode, ...] = ("hybrid", "rerank", "keyword", "match", "vector")
"""How texts are found: BM25 with vectors, the same with a second stage, BM25 alone, the query's words that
they hold, vectors alone."""

WEIGHT = 0.6
"""Share of BM25 in a hybrid score, tuned by `benchmarks/retrieval.py` on Cranfield's odd-numbered queries."""
RERANKED = 50
"""Number of best texts that the second stage orders anew."""
NEIGHBOURS = 5
"""Number of nearest texts among these whose scores count for a text."""
SMOOTHING = 0.4
"""Weight of the neighbours' scores, tuned as `WEIGHT` is."""


@dataclass(frozen=True)
class ScoredText(Generic[Id]):
    """A search result with its scores."""

    id: Id
    score: float
    """Ranking score: BM25, cosine, a share of words, or a mixture from 0 to 1 (hybrid, rerank)."""
    lexical: float
    """BM25 as a share of the query's upper bound, from 0 to 1, comparable between queries."""
    bm25: float
    cosine: float | None
    """Cosine of the texts' vectors; None if the mode did not ask the embedder."""


class HybridIndex(Generic[Id]):
    """Growing search index of texts by id with five modes; adding texts indexes only the new ones."""

    def __init__(self, embedder: Embedder | None = None) -> None:
        """Begin without texts; an index without an embedder can be searched by keyword alone."""
        self.ids: list[Id] = []
        self.bm25 = BM25()
        self.embedder = embedder
        self._known: set[Id] = set()
        self._units = np.zeros((0, 0))
        """Vectors of unit length in the first rows, and room for as many again."""

    @classmethod
    async def build(
        cls, ids: Sequence[Id], texts: Sequence[str], embedder: Embedder | None = None
    ) -> "HybridIndex[Id]":
        """Index texts; without an embedder, LSA is fitted to them."""
        index = cls(embedder if embedder is not None else LSA.fit(texts))
        await index.add(ids, texts)
        return index

    def vector(self, at: int) -> NDArray[np.float64]:
        """Return the vector of unit length of the text at a position."""
        return self._units[at]

    @property
    def embedder_name(self) -> str:
        """Name of the embedder; `none` without one."""
        return self.embedder.name if self.embedder is not None else "none"

    async def add(self, ids: Sequence[Id], texts: Sequence[str]) -> None:
        """Add texts, embedding only these; scores are then those of an index over all texts."""
        if not ids and not texts:
            return
        vectors = await _embed(self.embedder, texts)
        if len(ids) != len(texts) or len({*ids}) != len(ids) or not self._known.isdisjoint(ids):
            raise ValueError("an index needs one text an id, and each id once")
        first, end = len(self.ids), len(self.ids) + len(ids)
        width = self._units.shape[1] if first else vectors.shape[1]
        if vectors.shape[1] != width:
            raise EndpointError(
                f"vectors of {vectors.shape[1]} numbers came for an index of {width}; use one embedder"
            )
        if end > len(self._units):
            grown = np.zeros((max(end, 2 * len(self._units)), width))
            if first:
                grown[:first] = self._units[:first]
            self._units = grown
        self._units[first:end] = unit_rows(vectors)
        self.bm25.add(texts)
        self.ids.extend(ids)
        self._known.update(ids)

    async def search(
        self, query: str, k: int = 10, mode: Mode = "hybrid", weight: float = WEIGHT
    ) -> list[ScoredText[Id]]:
        """Find the k best texts with scores above 0, best first, ties by id.

        `weight` is the share of BM25 in a hybrid score, 0..1. The modes `keyword` and `match` never ask the
        embedder.
        """
        scores, bm25, similarity = await self._score_parts(query, mode, weight)
        ceiling = self.bm25.ceiling(query)
        return [
            ScoredText(
                id=self.ids[i],
                score=float(scores[i]),
                lexical=quantise(float(bm25[i]) / ceiling) if ceiling > 0 else 0.0,
                bm25=float(bm25[i]),
                cosine=None if similarity is None else float(similarity[i]),
            )
            for i in best_positions(scores, k, self.ids, above=0.0)
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
        if mode == "match":
            return self.bm25.matches(query), bm25, None
        if mode == "keyword" or not self.ids or not query.strip():
            return bm25, bm25, None
        if self.embedder is None:
            raise InputError(
                f"this index has no embedder for the mode {mode!r}; give it one, or use 'keyword'"
            )
        vector = await _embed(self.embedder, [query])
        # Summed in a fixed order (no BLAS), so that results do not depend on the number of threads.
        similarity = quantise(np.einsum("ij,j->i", self._units[: len(bm25)], unit_rows(vector)[0]))
        if mode == "vector":
            return similarity, bm25, similarity
        mixed = mix(bm25, similarity, weight)
        return (self._rerank(mixed) if mode == "rerank" else mixed), bm25, similarity

    def _rerank(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Smooth the scores of the best texts; none falls below the score of a text that is not reranked."""
        best = np.array(best_positions(scores, RERANKED, self.ids, above=0.0), dtype=np.int64)
        smoothed = scores.copy()
        smoothed[best] = smooth(scores[best], self._units[best])
        return smoothed


def best_positions(
    scores: NDArray[np.float64], k: int, ids: Sequence[Any] | None = None, above: float = -np.inf
) -> list[int]:
    """Find positions of the k highest scores above `above`, best first, ties by id or position."""
    found = np.flatnonzero(scores > above)
    if k < 1:
        return []
    if k < len(found):
        found = found[scores[found] >= np.partition(scores[found], len(found) - k)[len(found) - k]]
    rows = zip((-scores[found]).tolist(), found.tolist(), strict=True)
    ranked = sorted((score, at if ids is None else ids[at], at) for score, at in rows)
    return [at for _, _, at in ranked[:k]]


def mix(lexical: NDArray[np.float64], similarity: NDArray[np.float64], weight: float) -> NDArray[np.float64]:
    """Compute hybrid scores from 0 to 1 out of BM25 and cosine scores; `weight` is the share of BM25."""
    if not 0 <= weight <= 1:
        raise ValueError(f"the weight of BM25 is a share between 0 and 1, got {weight}")
    mixed = weight * scale_to_best(lexical)
    mixed += (1 - weight) * scale_to_best(similarity)
    return quantise(mixed)


def smooth(
    scores: NDArray[np.float64], units: Matrix, weight: float = SMOOTHING, neighbours: int = NEIGHBOURS
) -> NDArray[np.float64]:
    """Mix each text's score with the mean of those of its nearest texts, weighted by cosine.

    `units` are vectors of unit length, a row for each text. A text without another of positive cosine keeps
    its score.
    """
    # Cosines are rounded, so that no last bit decides who is a neighbour.
    likeness = np.maximum(quantise(np.einsum("ik,jk->ij", units, units)), 0.0)
    np.fill_diagonal(likeness, 0.0)
    nearest = order_by(-likeness, axis=1)[:, :neighbours]
    weights = np.take_along_axis(likeness, nearest, axis=1)
    total = weights.sum(axis=1)
    theirs = np.einsum("ij,ij->i", weights, scores[nearest]) / np.where(total > 0, total, 1.0)
    return np.asarray(quantise(np.where(total > 0, (1 - weight) * scores + weight * theirs, scores)))


async def _embed(embedder: Embedder | None, texts: Sequence[str]) -> Matrix:
    """Embed texts and check the vectors; raises EndpointError. No embedder gives empty vectors."""
    if not texts or embedder is None:
        return np.zeros((len(texts), 0))
    vectors = await embedder.embed(texts)
    if vectors.ndim != 2 or len(vectors) != len(texts) or not np.isfinite(vectors).all():
        raise EndpointError(
            f"{embedder.name} gave no usable vectors: {len(texts)} finite rows were asked for, "
            f"and an array of shape {vectors.shape} came; check that the model makes embeddings"
        )
    return vectors


def scale_to_best(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide scores (..., texts) by the largest in their row; negative ones become 0."""
    best = scores.max(axis=-1, initial=0.0, keepdims=True)
    scaled = np.maximum(scores, 0.0)
    scaled /= np.where(best > 0, best, 1.0)
    return scaled
