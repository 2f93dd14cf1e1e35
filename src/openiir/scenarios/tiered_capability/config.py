"""The `[config]` of a tiered_capability study: needs and judgements, tiers, members, and how they read."""

from typing import Annotated

from pydantic import Field, field_validator

from openiir.kit.items.retrieval import DATASET
from openiir.plugin import ConfigTable
from openiir.scenarios.tiered_capability.model.divide import MIXED
from openiir.scenarios.tiered_capability.model.reading import ReadingRule
from openiir.scenarios.tiered_capability.model.search import Tier

Words = Annotated[str, Field(min_length=1, max_length=1_000)]
Collection = Annotated[str, Field(max_length=200, pattern=f"^{DATASET}")]
TierName = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9-]{0,30}$")]


class TieredCapabilityConfig(ConfigTable):
    """The `[config]` table of a study."""

    needs: Collection | dict[str, Words] | Annotated[int, Field(ge=1, le=10_000)]
    """What people look for: a table of queries by id, those of a collection (`ir_datasets:ID`), or a number
    of known items, documents of the worlds that are looked for by words of their own."""
    qrels: str = Field("", max_length=400, examples=["best.txt"])
    """Relevance judgements, unless items are known: a TREC file, or a collection's (`ir_datasets:ID`)."""
    tiers: dict[TierName, Tier] = Field(min_length=2, max_length=8, examples=[{"T0": {}, "T1": {"depth": 3}}])
    """Lines of the tiers. They are ordered by name, the least capable first: gaps are of the last less the
    first."""
    members: int = Field(400, ge=2, le=100_000)
    """Number of members, personas included; each has one need a round."""
    rounds: int = Field(20, ge=1, le=10_000)
    seats: int = Field(0, ge=0, le=1_000_000)
    """Members to whom a document opens in a round, drawn from those who want it; 0 is no limit."""
    reading: ReadingRule = ReadingRule()

    @field_validator("tiers")
    @classmethod
    def _order_tiers(cls, tiers: dict[str, Tier]) -> dict[str, Tier]:
        if MIXED in tiers:
            raise ValueError(f"{MIXED!r} is the arm in which all tiers are; give the tier another name")
        if not any(tier.share for tier in tiers.values()):
            raise ValueError("no tier has a share of the members; give one a share above 0")
        return dict(sorted(tiers.items()))
