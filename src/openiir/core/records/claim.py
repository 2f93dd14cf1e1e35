"""Claims and the typed edges between them."""

from typing import Literal

from pydantic import Field

from openiir.core.records.record import Record

EdgeType = Literal["supports", "counters", "refines", "questions"]


class Citation(Record):
    """A citation in an utterance: a span of a chunk's text."""

    chunk: str
    start: int = Field(ge=0)
    end: int


class Claim(Record):
    """A proposition stated in a run, with its stance, speaker and citations."""

    id: str
    """Id `k001`, ... in order of appearance."""
    text: str
    """Claim as a self-contained sentence, or in the speaker's own words (`start` to `end`)."""
    topic: str
    stance: float = Field(ge=-1, le=1)
    """Stance on the topic: below -0.05 challenging, above +0.05 supporting, else neutral."""
    step: int
    speaker: str
    utterance: int
    """Number of the utterance or post that states the claim."""
    start: int = Field(ge=0)
    """Offset of the claim in the utterance's text."""
    end: int
    cites: tuple[Citation, ...] = ()
    confidence: float = Field(ge=0, le=1)
    extractor: str
    """Extractor that found the claim; compare graph measures only within one extractor."""

    @property
    def side(self) -> Literal["supporting", "challenging", "neutral"]:
        if abs(self.stance) <= 0.05:
            return "neutral"
        return "supporting" if self.stance > 0 else "challenging"


class Edge(Record):
    """A typed relation from a claim to an earlier claim, or to another one of the same utterance."""

    source: str
    target: str
    type: EdgeType
    confidence: float = Field(ge=0, le=1)
    extractor: str
    step: int
