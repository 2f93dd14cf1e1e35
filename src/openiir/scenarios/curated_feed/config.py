"""What a curated feed's `[config]` holds beside the rules of any feed: its users, their topics, the catalogue, time."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from openiir.kit.feeds.rules import FeedRules
from openiir.kit.items import Topic, taxonomy
from openiir.plugin import Record

Collection = Annotated[str, Field(max_length=200)]
Query = Annotated[str, Field(min_length=1, max_length=4_000)]


class Items(Record):
    """The catalogue."""

    source: Literal["synthetic", "world"] = "synthetic"
    """Drawn, or the documents of `[world]`."""
    unit: Literal["source", "chunk"] = "source"
    """What of a world is an item: a whole document or a chunk of one."""
    per_week: int = Field(200, ge=0, le=10_000_000)
    """How many arrive each week; 0 lets all documents of a world be there from the first week."""
    concentration: float = Field(0.2, gt=0, le=100)
    """Of the Dirichlet distribution of topic mixes: small makes items of one topic (synthetic)."""
    quality: float = Field(0.5, ge=0, le=10)
    """Standard deviation of an item's quality, in log-odds of a click."""
    proposition: str = Field("", max_length=400)
    """What the items of a world speak for or against; without one, what their main topic names as its proposition,
    and where that names none, their sentiment is taken."""

    @model_validator(mode="after")
    def _arrive(self) -> "Items":
        if self.source == "synthetic" and not self.per_week:
            raise ValueError("per_week = 0: so no items would be drawn; let at least 1 arrive each week")
        return self


class CuratedFeedConfig(FeedRules):
    """The `[config]` table."""

    users: int = Field(200, ge=1, le=100_000_000)
    topics: int | tuple[Topic, ...] = Field(8, validate_default=True)
    """How many (typically 8 to 16), or the study's own. So many are the first of those built in for synthetic items,
    and are fitted on the documents of a world."""
    queries: Collection | dict[str, Query] = Field("", examples=[{"q1": "trams"}])
    """Further users, after the study's personas: the first queries of a collection (`ir_datasets:ID`), or a table of
    queries by id."""
    spread: float = Field(0.35, ge=0, le=2)
    """Standard deviation of first beliefs, each cut off at -1 and 1."""
    weeks: int = Field(12, ge=1, le=520)
    sessions: int = Field(3, ge=1, le=100)
    """A week."""
    items: Items = Items()
    promoted: int = Field(0, ge=0, le=1_000)
    """Users who are asked what they click, and can be answered for by a model; personas of the study come first."""

    @model_validator(mode="after")
    def _is_whole(self) -> "CuratedFeedConfig":
        k = self.k
        if not 1 <= k <= 256:
            raise ValueError(f"topics = {k}: a taxonomy has 1 to 256 topics")
        if isinstance(self.queries, str) and self.queries and not self.queries.startswith("ir_datasets:"):
            raise ValueError(
                f'queries = {self.queries!r}: name a collection as "ir_datasets:ID", or give a table of queries by id'
            )
        for injection in self.inject:
            if injection.topic > k:
                raise ValueError(f"inject: topic = {injection.topic} of {k} topics; they are numbered from 1")
        return self

    @property
    def k(self) -> int:
        """The number of topics."""
        return self.topics if isinstance(self.topics, int) else len(self.topics)

    @property
    def declared_topics(self) -> tuple[Topic, ...] | None:
        """The taxonomy, None where it is fitted on a world; raises InputError for more topics than are built in."""
        if not isinstance(self.topics, int):
            return taxonomy(len(self.topics), self.topics)
        return None if self.items.source == "world" else taxonomy(self.topics)
