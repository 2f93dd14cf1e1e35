"""A world as a study declares it, in its `[world]` or `[world.NAME]` table."""

from typing import Annotated

from pydantic import Field

from openiir.core.records import Record
from openiir.core.retrieval.hybrid import WEIGHT
from openiir.core.retrieval.vectors import DIMENSIONS
from openiir.core.world.chunking import WORDS

Path = Annotated[str, Field(min_length=1, max_length=1_000)]


class WorldSpec(Record):
    """Declaration of a world; every key may change a result, so all are hashed."""

    sources: tuple[Path, ...] = ()
    """Files, folders and patterns, relative to the study; `$OPENIIR_DATA/...` for shared data, `ir_datasets:ID`
    for a test collection."""
    urls: tuple[Path, ...] = ()
    """Pages, fetched only when the user asks for it besides."""
    encoding: str | None = None
    """How to read text that is not UTF-8."""
    chunk_words: int = Field(default=WORDS, ge=10, le=2_000)
    """The most words in a chunk."""
    weight: float = Field(default=WEIGHT, ge=0, le=1)
    """The share of BM25 in hybrid search; the rest is vectors."""
    embeddings: str | None = None
    """The model asked for vectors; None fits LSA on the world's own chunks."""
    dimensions: int = Field(default=DIMENSIONS, ge=1, le=1_000)
    """LSA's dimensions."""
