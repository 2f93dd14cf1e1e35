"""What a run knows: chunks that can be looked up, cited, and shown in their place."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from openiir.core.errors import UnknownName, UnusableAnswer
from openiir.core.records import Chunk, Citation
from openiir.core.retrieval.hybrid import WEIGHT, HybridIndex
from openiir.core.retrieval.vectors import LSA, Embedder
from openiir.core.world.declaration import WorldSpec

Policy = Literal["hybrid", "keyword", "vector", "none"]
"""A persona's way of looking things up; `none` finds nothing."""

INSUFFICIENT = 0.3
"""Local evidence is insufficient where no chunk's lexical score reaches this share of what the query could."""


@dataclass(frozen=True)
class Hit:
    """A chunk found by a lookup."""

    chunk: Chunk
    score: float
    """What it was ranked by; see `retrieval.hybrid`."""
    lexical: float
    """Its BM25 as a share of what the query could reach, 0..1; compare with `INSUFFICIENT`."""


@dataclass(frozen=True)
class InPlace:
    """A citation among its surroundings.

    `before + cited + after` reads as the source does; `[...]` stands for a passage that was dropped because an
    equal one stood before.
    """

    source: str
    start: int
    """Offset of the cited text in the source's text."""
    end: int
    before: str
    cited: str
    after: str


class World:
    """One named world of one run. Nothing is shared between worlds, even where their chunks are equal."""

    def __init__(
        self, name: str, chunks: Sequence[Chunk], index: HybridIndex, weight: float = WEIGHT
    ) -> None:
        self.name = name
        self.chunks = tuple(chunks)
        self.weight = weight
        self._index = index
        self._place = {chunk.id: at for at, chunk in enumerate(self.chunks)}

    @classmethod
    async def build(
        cls,
        name: str,
        chunks: Sequence[Chunk],
        spec: WorldSpec | None = None,
        embedder: Embedder | None = None,
        fitted: bytes | None = None,
    ) -> "World":
        """Index the chunks with an embedder, with LSA parts fitted before, or with LSA fitted on them now."""
        spec = spec or WorldSpec()
        texts = [chunk.text for chunk in chunks]
        if embedder is None:
            embedder = LSA.from_bytes(fitted) if fitted is not None else LSA.fit(texts, spec.dimensions)
        index = await HybridIndex.build([chunk.id for chunk in chunks], texts, embedder)
        return cls(name, chunks, index, spec.weight)

    def fitted(self) -> bytes | None:
        """The LSA parts to keep for a replay; None where an endpoint embeds."""
        return self._index.embedder.to_bytes() if isinstance(self._index.embedder, LSA) else None

    @property
    def embedder(self) -> str:
        """The name of what makes the vectors."""
        return self._index.embedder.name

    async def lookup(self, query: str, k: int = 5, mode: Policy = "hybrid") -> list[Hit]:
        """The k best chunks, best first, ties by id; empty where nothing matches."""
        if mode == "none":
            return []
        found = await self._index.search(query, k, mode, self.weight)
        return [Hit(self.chunk(hit.id), hit.score, hit.lexical) for hit in found]

    def evidence(self, query: str) -> float:
        """The best lexical score any chunk has for the query, 0..1; below `INSUFFICIENT` a search is due."""
        return float(self._index.bm25.normalised(query).max(initial=0.0))

    def salient(self, text: str, n: int = 5) -> tuple[str, ...]:
        """The n words of a text that tell this world's chunks apart best, heaviest first, to look up."""
        return self._index.bm25.salient(text, n)

    def chunk(self, id: str) -> Chunk:
        """Raises UnknownName."""
        if id not in self._place:
            raise UnknownName(f"chunk of world {self.name!r}", id, self._place)
        return self.chunks[self._place[id]]

    def cited_text(self, citation: Citation) -> str:
        """The words a citation points at. Raises UnusableAnswer, with the remedy, where it points at none."""
        if citation.chunk not in self._place:
            raise UnusableAnswer(f"there is no chunk {citation.chunk!r}; cite one of those shown")
        text = self.chunk(citation.chunk).text
        if not citation.start < citation.end <= len(text):
            raise UnusableAnswer(
                f"{citation.start} to {citation.end} is no stretch of chunk {citation.chunk}, "
                f"whose text goes from 0 to {len(text)}"
            )
        return text[citation.start : citation.end]

    def text_around(self, citation: Citation, characters: int = 300) -> InPlace:
        """A citation with up to so many characters of its source on either side, cut at blanks.

        Neighbouring chunks of the same source give what the cited one lacks. Raises UnusableAnswer.
        """
        cited = self.cited_text(citation)
        at = self._place[citation.chunk]
        chunk = self.chunks[at]
        before = (self._beside(at, -1) + chunk.text[: citation.start])[-characters:] if characters else ""
        after = (chunk.text[citation.end :] + self._beside(at, 1))[:characters]
        if len(before) == characters:
            before = before.partition(" ")[2]
        if len(after) == characters:
            after = after.rpartition(" ")[0]
        start = chunk.start + citation.start
        return InPlace(chunk.source, start, start + len(cited), before, cited, after)

    def _beside(self, at: int, step: Literal[-1, 1]) -> str:
        """The neighbouring chunk's text of the same source, with the border between them."""
        if not 0 <= at + step < len(self.chunks):
            return ""
        here, there = self.chunks[at], self.chunks[at + step]
        if here.source != there.source:
            return ""
        gap = here.start - there.end if step < 0 else there.start - here.end
        # Only white space stands between neighbours, unless a repeated chunk was left out there.
        border = {0: "", 1: " "}.get(gap, "\n\n" if gap < 4 else "\n\n[...]\n\n")
        return there.text + border if step < 0 else border + there.text
