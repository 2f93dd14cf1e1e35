"""A world: chunks that agents can search, cite, and see in context."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from openiir.core.errors import UnknownName, UnusableAnswer
from openiir.core.hashing import sha256
from openiir.core.records import Chunk, Citation, RetrievalMode, SearchHit
from openiir.core.retrieval.hybrid import WEIGHT, HybridIndex
from openiir.core.retrieval.tokens import words
from openiir.core.retrieval.vectors import Embedder
from openiir.core.world.chunking import comparison_form

INSUFFICIENT = 0.3
"""Threshold for a query's best lexical score (see `evidence`) below which local evidence is insufficient."""


@dataclass(frozen=True)
class Hit:
    """A chunk found by a lookup, with its scores."""

    chunk: Chunk
    score: float
    """Ranking score; see `retrieval.hybrid`."""
    lexical: float
    """BM25 as a share of the query's upper bound, from 0 to 1; compare with `INSUFFICIENT`."""
    bm25: float | None = None
    """None for the result of a web search, which was ranked elsewhere."""
    cosine: float | None = None
    """Cosine of query and passage; None if the mode did not ask for vectors."""


@dataclass(frozen=True)
class CitationContext:
    """A citation with the text around it.

    `before + cited + after` reads as the source does; `[...]` stands for a passage that was dropped because
    an equal one stood before.
    """

    source: str
    start: int
    """Offset of the cited text in the source's text."""
    end: int
    before: str
    cited: str
    after: str


class World:
    """A text collection of one run, to look up and cite; worlds share nothing, even equal chunks."""

    def __init__(
        self, name: str, chunks: Sequence[Chunk], index: HybridIndex[str], weight: float = WEIGHT
    ) -> None:
        self.name = name
        self.chunks = tuple(chunks)
        self.weight = weight
        self._index = index
        self._place_chunks()

    def _place_chunks(self) -> None:
        self._place = {chunk.id: at for at, chunk in enumerate(self.chunks)}
        self._sources: dict[str, list[int]] = {}
        for at, chunk in enumerate(self.chunks):
            self._sources.setdefault(chunk.source, []).append(at)

    @classmethod
    async def build(
        cls, name: str, chunks: Sequence[Chunk], embedder: Embedder | None = None, weight: float = WEIGHT
    ) -> "World":
        """Index the chunks; without an embedder (an endpoint's, or a fitted LSA), LSA is fitted to them."""
        texts = [chunk.text for chunk in chunks]
        index = await HybridIndex.build([chunk.id for chunk in chunks], texts, embedder)
        return cls(name, chunks, index, weight)

    async def extend(self, found: Sequence[SearchHit], query: str = "") -> list[Hit]:
        """Add the results of a web search; returns the new passages, in the search engine's order."""
        new = self.new_hits(found)
        await self.add_chunks([hit.chunk for hit in new])
        lexical = self._index.bm25.relative_scores(query)
        return [replace(hit, lexical=float(lexical[self._place[hit.chunk.id]])) for hit in new]

    def new_hits(self, found: Sequence[SearchHit]) -> list[Hit]:
        """Convert web search results that are not yet in the world to hits, without adding them.

        Their ids are `w` and the first 12 digits of their hash, so they do not depend on which agent searched
        first. A hit's score is 1 / its rank.
        """
        known = {comparison_form(chunk.text) for chunk in self.chunks}
        new: list[Hit] = []
        for rank, one in enumerate(found, 1):
            text = one.text or one.title
            if words(text) and comparison_form(text) not in known:
                known.add(comparison_form(text))
                new.append(Hit(_web_chunk(self.name, one.url, text), 1 / rank, 0.0))
        return new

    async def add_chunks(self, chunks: Sequence[Chunk]) -> list[Chunk]:
        """Add chunks; returns those that were new. The LSA is not fitted again."""
        known = {comparison_form(chunk.text) for chunk in self.chunks}
        added = []
        for chunk in chunks:
            if comparison_form(chunk.text) not in known:
                known.add(comparison_form(chunk.text))
                added.append(chunk)
        if added:
            await self._index.add([c.id for c in added], [c.text for c in added])
            self.chunks += tuple(added)
            self._place_chunks()
        return added

    @property
    def embedder(self) -> str:
        """Name of the embedder."""
        return self._index.embedder_name

    async def lookup(self, query: str, k: int = 5, mode: RetrievalMode = "hybrid") -> list[Hit]:
        """Find the k best chunks by the world's index, best first, ties by id; empty if nothing matches.

        The index knows no mode `own`, and searches by `hybrid` instead.
        """
        if mode == "none":
            return []
        found = await self._index.search(query, k, "hybrid" if mode == "own" else mode, self.weight)
        return [Hit(self.chunk(hit.id), hit.score, hit.lexical, hit.bm25, hit.cosine) for hit in found]

    async def scores(self, query: str, mode: RetrievalMode = "hybrid") -> NDArray[np.float64]:
        """Compute the scores of all chunks, in the order of `chunks`; zeros for the mode `none`."""
        if mode == "none":
            return np.zeros(len(self.chunks))
        return await self._index.scores(query, "hybrid" if mode == "own" else mode, self.weight)

    def has(self, id: str, unit: Literal["chunk", "source"] = "chunk") -> bool:
        """Whether the world has a chunk, or a source, of this id."""
        return id in (self._place if unit == "chunk" else self._sources)

    def hits(
        self, query: str, ranking: Iterable[tuple[str, float]], unit: Literal["chunk", "source"]
    ) -> list[Hit]:
        """Convert a ranking of ids with scores to hits; of a source, the chunk with the best BM25 score."""
        bm25, lexical = self._index.bm25.scores(query), self._index.bm25.relative_scores(query)
        found = []
        for id, score in ranking:
            places = [self._place[id]] if unit == "chunk" else self._sources[id]
            at = max(places, key=lambda place: (bm25[place], -place))
            found.append(Hit(self.chunks[at], score, float(lexical[at]), float(bm25[at])))
        return found

    def place(self, chunk: str) -> int:
        """Return a chunk's position in `chunks`."""
        return self._place[chunk]

    def vector(self, chunk: str) -> NDArray[np.float64]:
        """Return the vector of unit length by which the index knows a chunk."""
        return self._index.vector(self._place[chunk])

    def evidence(self, query: str) -> float:
        """Compute the best BM25 score of any chunk, 0 to 1; below `INSUFFICIENT`, web search is allowed."""
        return float(self._index.bm25.relative_scores(query).max(initial=0.0))

    def salient(self, text: str, n: int = 5) -> tuple[str, ...]:
        """Select the n words of a text that best distinguish this world's chunks, highest weight first."""
        return self._index.bm25.salient(text, n)

    def chunk(self, id: str) -> Chunk:
        """Return a chunk by id; raises UnknownName."""
        if id not in self._place:
            raise UnknownName(f"chunk of world {self.name!r}", id, self._place)
        return self.chunks[self._place[id]]

    def cited_text(self, citation: Citation) -> str:
        """Return the cited text; raises UnusableAnswer, with the remedy, for an invalid citation."""
        if citation.chunk not in self._place:
            raise UnusableAnswer(f"there is no chunk {citation.chunk!r}; cite one of those shown")
        text = self.chunk(citation.chunk).text
        if not citation.start < citation.end <= len(text):
            raise UnusableAnswer(
                f"{citation.start} to {citation.end} is no stretch of chunk {citation.chunk}, "
                f"whose text goes from 0 to {len(text)}"
            )
        return text[citation.start : citation.end]

    def text_around(self, citation: Citation, characters: int = 300) -> CitationContext:
        """Return a citation with up to `characters` of its source on either side, cut at blanks.

        Neighbouring chunks of the same source give what the cited one lacks. Raises UnusableAnswer.
        """
        cited = self.cited_text(citation)
        at = self._place[citation.chunk]
        chunk = self.chunks[at]
        before = (
            (self._neighbour_text(at, -1) + chunk.text[: citation.start])[-characters:] if characters else ""
        )
        after = (chunk.text[citation.end :] + self._neighbour_text(at, 1))[:characters]
        if len(before) == characters:
            before = before.partition(" ")[2]
        if len(after) == characters:
            after = after.rpartition(" ")[0]
        start = chunk.start + citation.start
        return CitationContext(chunk.source, start, start + len(cited), before, cited, after)

    def _neighbour_text(self, at: int, step: Literal[-1, 1]) -> str:
        """Return the neighbouring chunk's text, if of the same source, with the separator between the two."""
        if not 0 <= at + step < len(self.chunks):
            return ""
        here, there = self.chunks[at], self.chunks[at + step]
        if here.source != there.source:
            return ""
        gap = here.start - there.end if step < 0 else there.start - here.end
        # Two texts that searches brought from one address have no place in common.
        if gap < 0:
            return ""
        # Only white space stands between neighbours, unless a repeated chunk was left out there.
        border = {0: "", 1: " "}.get(gap, "\n\n" if gap < 4 else "\n\n[...]\n\n")
        return there.text + border if step < 0 else border + there.text


def _web_chunk(world: str, url: str, text: str) -> Chunk:
    digest = sha256(text)
    return Chunk(
        id=f"w{digest[:12]}", world=world, source=url, start=0, end=len(text), text=text, sha256=digest
    )
