"""Declaration of a world: a study's `[world]` or `[world.NAME]` table."""

from typing import Annotated, Any

from pydantic import Field

from openiir.core.records import Record
from openiir.core.retrieval.hybrid import WEIGHT
from openiir.core.retrieval.vectors import DIMENSIONS
from openiir.core.systems import RetrieverSpec
from openiir.core.world.chunking import WORDS

Path = Annotated[str, Field(min_length=1, max_length=1_000)]


class WorldSpec(Record):
    """Declaration of a world (text collection); all its keys are part of the study's hash."""

    sources: tuple[Path, ...] = ()
    """Files, folders and patterns, relative to the study; `$OPENIIR_DATA/...` is shared, `ir_datasets:ID`
    for a test collection."""
    urls: tuple[Path, ...] = ()
    """URLs of web pages, fetched only if the user also allows it (--fetch)."""
    encoding: str | None = None
    """Encoding of texts that are not UTF-8."""
    chunk_words: int = Field(default=WORDS, ge=10, le=2_000)
    """Most words per chunk."""
    weight: float = Field(default=WEIGHT, ge=0, le=1)
    """Share of BM25 in hybrid search; the rest is vector similarity."""
    embeddings: str | None = None
    """Embeddings model to request vectors from; None fits LSA to the world's own chunks."""
    dimensions: int = Field(default=DIMENSIONS, ge=1, le=1_000)
    """Number of LSA dimensions."""
    retriever: RetrieverSpec | None = None
    """The search engine or TREC run by which the mode `own` finds passages."""


def name_worlds(value: Any) -> Any:
    """Return a study's `world` table as worlds by name; `[world]` alone is the one called main.

    Raises ValueError where it names a world beside keys of its own.
    """
    if not isinstance(value, dict):
        return value
    tables = [name for name, inner in value.items() if isinstance(inner, dict)]
    if len(tables) == len(value) and "retriever" not in tables:
        return value
    if others := [name for name in tables if name != "retriever"]:
        raise ValueError(
            f"beside [world.{others[0]}] every world needs its name: write [world.main] for [world]"
        )
    return {"main": value}
