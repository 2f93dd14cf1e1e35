"""The `[config]` of a search platform whose members stop clicking."""

from typing import Annotated

from pydantic import Field

from openiir.kit.items.retrieval import DATASET
from openiir.plugin import ConfigTable

SEARCHER = "searcher"
Number = Annotated[int, Field(ge=10, le=500)]
Collection = Annotated[str, Field(max_length=200, pattern=f"^{DATASET}")]
Asked = Annotated[dict[str, Annotated[str, Field(min_length=1, max_length=1_000)]], Field(min_length=10)]


class FeedbackOutageConfig(ConfigTable):
    """The `[config]` table of a study."""

    rounds: int = Field(100, ge=1, le=2_000)
    """Number of rounds, in each of which every searcher asks one query."""
    searchers: int = Field(1_500, ge=1, le=1_000_000)
    """Number of searchers, personas included."""
    queries: Number | Collection | Asked = Field(300, examples=[40])
    """Queries, asked the less the later they come (Zipf): a number of synthetic ones, those of a collection
    (`ir_datasets:ID`), or a table of queries, in the order of their ids. The last two search `[world]`."""
    qrels: str = Field("", max_length=400)
    """Relevance judgements of the documents of `[world]`: a TREC qrels file, or `ir_datasets:ID`."""
    documents: int = Field(20, ge=2, le=40)
    """Number of candidate documents of each query."""
    content: float = Field(0.5, ge=0, le=1)
    """Correlation of the content score with relevance, or with the retrieval score of a world's documents."""
    drift: float = Field(0.03, ge=0, le=1)
    """Share of its relevance that a document loses, and gains anew, in a round."""
    half_life: float = Field(10.0, ge=0.5, le=1_000)
    """Rounds after which a signal counts half."""
    trust: float = Field(0.9, ge=0, le=1)
    """Chance that a searcher takes an answer of middling worth off the page and opens nothing."""
    judging: float = Field(2.0, ge=0, le=20)
    """How much more readily a full answer is taken than a worthless one, in log-odds."""
