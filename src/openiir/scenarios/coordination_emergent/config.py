"""The `[config]` of a study of co-access: goals and sources, who sees what, and how agents choose offline."""

from typing import Annotated, Literal

from pydantic import Field

from openiir.kit.items.retrieval import DATASET
from openiir.plugin import ConfigTable
from openiir.scenarios.coordination_emergent.model.access import AccessChoice
from openiir.scenarios.coordination_emergent.model.sources import MOST_SOURCES

Goals = Annotated[dict[str, Annotated[str, Field(min_length=1, max_length=1_000)]], Field(min_length=1)]
Trace = Literal["counts", "names"]


class CoordinationEmergentConfig(ConfigTable):
    """The `[config]` table of a study."""

    goals: Annotated[str, Field(max_length=200, pattern=f"^{DATASET}")] | Goals
    """What agents need to know, each one of these at random: a table of goals by id, or the queries of a
    collection (`ir_datasets:ID`)."""
    sources: int = Field(30, ge=2, le=MOST_SOURCES)
    """Number of sources."""
    documents: Literal["none", "document", "folder"] = "none"
    """What a source is: synthetic, a document of `[world]`, or a folder of them."""
    qrels: str = Field("", max_length=400, examples=["qrels.txt"])
    """Relevance judgements of the documents of `[world]`: a TREC qrels file, or `ir_datasets:ID`; empty for
    none."""
    members: int = Field(240, ge=10, le=2_000)
    """Number of agents, personas included."""
    rounds: int = Field(40, ge=1, le=10_000)
    capacity: float = Field(1.2, gt=0, le=100)
    """Places of all sources together, for each request of a round; all have as many."""
    traces: tuple[Trace, ...] = Field(("counts", "names"), min_length=1)
    """Arms beside the one in which nobody sees what others ask: in them all see how many each source served
    lately, or whom they know of those."""
    half_life: float = Field(5.0, ge=0.5, le=1_000)
    """Rounds after which an access, or a meeting, counts half."""
    watched: int = Field(3, ge=1, le=20)
    """Number of people that an agent knows: those whom it met most at sources that served both."""
    planted: int = Field(0, ge=0, le=100)
    """Number of agents, the last ones, who act in concert: they ask the same sources, those that turn most
    away. The positive control."""
    choice: AccessChoice = AccessChoice()
