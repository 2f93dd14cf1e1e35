"""Passages (chunks) of a world, and the web searches that add more."""

from pydantic import Field

from openiir.core.records.record import Record


class Chunk(Record):
    """A passage of a source text, with its offsets."""

    id: str
    """Id `c0001`, ... in order of source name and offset."""
    world: str
    source: str
    """Source name as a reader would cite it: a path relative to the study, or a URL."""
    start: int = Field(ge=0)
    """Offset of the first character in the source's text."""
    end: int
    """Offset after the last character: `source_text[start:end] == text`."""
    text: str
    sha256: str


class SearchHit(Record):
    """One result of a web search."""

    title: str
    url: str
    text: str


class Search(Record):
    """A web search with its justification; a refused one has a reason and no hits."""

    lane: str
    asker: str
    step: int
    ordinal: int
    query: str
    justification: str
    refused: str | None = None
    hits: tuple[SearchHit, ...] = ()
