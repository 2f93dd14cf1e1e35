"""The `[config]` of a curated feed beyond the rules common to all feeds: users, topics, catalogue, time."""

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from openiir.plugin import ConfigTable
from openiir.scenarios.curated_feed.model.feeds.rules import FeedRules
from openiir.scenarios.curated_feed.model.items.taxonomy import Topic, taxonomy

Collection = Annotated[str, Field(max_length=200)]
Query = Annotated[str, Field(min_length=1, max_length=4_000)]


class Items(ConfigTable):
    """The catalogue of items."""

    source: Literal["synthetic", "world"] = "synthetic"
    """Where items come from: drawn at random (synthetic), or the documents of `[world]`."""
    unit: Literal["source", "chunk"] = "source"
    """Whether an item is a whole document of the world (source) or a chunk of one."""
    per_week: int = Field(200, ge=0, le=10_000_000)
    """Number of items that arrive each week; 0 makes all documents of a world available from the first week."""
    concentration: float = Field(0.2, gt=0, le=100)
    """Concentration of the Dirichlet distribution of topic mixes: small values make items of one topic (synthetic)."""
    quality: float = Field(0.5, ge=0, le=10)
    """Standard deviation of an item's quality, in log-odds of a click."""
    proposition: str = Field("", max_length=400)
    """The proposition that items of a world speak for or against; without one, the proposition of an item's main topic,
    and where that has none, the item's sentiment is taken.
    """

    @model_validator(mode="after")
    def _arrive(self) -> "Items":
        if self.source == "synthetic" and not self.per_week:
            raise ValueError("per_week = 0: so no items would be drawn; let at least 1 arrive each week")
        return self


class CuratedFeedConfig(FeedRules):
    """The `[config]` table of a curated feed."""

    users: int = Field(200, ge=1, le=100_000_000)
    """Number of users, of whom those beyond the personas and queries are a crowd."""
    topics: int | tuple[Topic, ...] = Field(8, validate_default=True)
    """Number of topics (typically 8 to 16), or the study's own topics.

    A number takes the first of the built-in topics for synthetic items, and fits so many topics on the documents of a
    world.
    """
    queries: Collection | dict[str, Query] = Field("", examples=[{"q1": "trams"}])
    """Further users, after the study's personas: the first queries of a collection (`ir_datasets:ID`), or a table of
    queries by id."""
    spread: float = Field(0.35, ge=0, le=2)
    """Standard deviation of first beliefs, each clipped to -1 to 1."""
    weeks: int = Field(12, ge=1, le=520)
    """Number of weeks."""
    sessions: int = Field(3, ge=1, le=100)
    """Number of sessions in a week."""
    items: Items = Items()
    promoted: int = Field(0, ge=0, le=1_000)
    """Number of users whose clicks are asked for, so that a model can answer; the study's personas are the first."""

    @model_validator(mode="before")
    @classmethod
    def _refuse_injections(cls, values: Any) -> Any:
        """Refuse items in the key of earlier releases; runs of theirs that injected nothing can still be read."""
        if not isinstance(values, dict) or "inject" not in values:
            return values
        if values["inject"]:
            raise ValueError(
                'inject is no key of [config] any more; write an [[event]] with kind = "inject" for each week'
            )
        return {name: value for name, value in values.items() if name != "inject"}

    @model_validator(mode="after")
    def _is_whole(self) -> "CuratedFeedConfig":
        k = self.k
        if not 1 <= k <= 256:
            raise ValueError(f"topics = {k}: a taxonomy has 1 to 256 topics")
        if isinstance(self.queries, str) and self.queries and not self.queries.startswith("ir_datasets:"):
            raise ValueError(
                f'queries = {self.queries!r}: name a collection as "ir_datasets:ID", or give a table of queries by id'
            )
        return self

    @property
    def k(self) -> int:
        """Number of topics."""
        return self.topics if isinstance(self.topics, int) else len(self.topics)

    @property
    def declared_topics(self) -> tuple[Topic, ...] | None:
        """The declared topics, None where they are fitted on a world; raises InputError for more than are built in."""
        if not isinstance(self.topics, int):
            return taxonomy(len(self.topics), self.topics)
        return None if self.items.source == "world" else taxonomy(self.topics)
