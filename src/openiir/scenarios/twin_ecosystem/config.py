"""The `[config]` of twin-ecosystem studies: documents and needs, searchers, providers, ranker and policy."""

from typing import Annotated

from pydantic import Field

from openiir.kit.reranking import PolicyChoice
from openiir.plugin import ConfigTable
from openiir.scenarios.twin_ecosystem.model.outcomes import Outcome
from openiir.scenarios.twin_ecosystem.model.reading import SearchReading
from openiir.scenarios.twin_ecosystem.model.worlds import RetrievalName

Text = Annotated[str, Field(min_length=1, max_length=1_000)]


class SearchPolicy(PolicyChoice):
    """The policy that re-ranks pages in the regulated world; groups are providers."""

    provider: str = Field("", max_length=200, examples=["county-clinic"])
    """Provider that has a share (quota), or is down-ranked in place of harmful documents (down_rank)."""


class TwinEcosystemConfig(ConfigTable):
    """The `[config]` table of a study."""

    queries: Text | dict[str, Text]
    """What people look for: a table of queries by id, or those of a collection (`ir_datasets:ID`)."""
    qrels: Text = Field(examples=["audit/qrels.txt"])
    """Judgements: a TREC file, or a collection's (`ir_datasets:ID`). A grade below 0 means harm."""
    providers: dict[str, tuple[Text, ...]] = Field({}, examples=[{"one": ["*"]}])
    """Patterns of the names of each provider's documents, `health/*`; without any, folders are providers."""
    trusted: tuple[Text, ...] = ()
    """Providers who are known and checked; result pages say so."""
    searchers: int = Field(400, ge=1, le=1_000_000)
    """Number of searchers, personas included; each looks for something once a round."""
    rounds: int = Field(20, ge=1, le=10_000)
    slots: int = Field(5, ge=1, le=50)
    """Number of results on a page."""
    retrieval: RetrievalName = "own"
    """How documents are found: by a world's own retriever (hybrid where it has none), or by this mode."""
    learning: float = Field(1.0, ge=0, le=10)
    """Weight of a document's rate of use in its score, beside its content, which is 1 for the best."""
    writing: float = Field(0.3, ge=0, le=1)
    """Chance that a provider of average exposure writes another document in a round."""
    reading: SearchReading = SearchReading()
    policy: SearchPolicy = SearchPolicy()
    margins: dict[Outcome, Annotated[float, Field(gt=0, le=1)]] = Field({}, examples=[{"utility": 0.1}])
    """Smallest difference between the worlds that matters, for outcomes in which it is not the usual one."""
