"""The `[config]` of a curated feed: users, topics, catalogue, time, ranking, serving, clicks and logging."""

import re
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from openiir.kit.beliefs import BeliefRule
from openiir.kit.clicks import ClickModel
from openiir.kit.items.retrieval import DATASET
from openiir.kit.rankers import RankerName
from openiir.kit.reranking import PolicyChoice, Share
from openiir.plugin import ConfigTable
from openiir.scenarios.curated_feed.model.items.taxonomy import Topic, taxonomy

Collection = Annotated[str, Field(max_length=200)]
Query = Annotated[str, Field(min_length=1, max_length=4_000)]
MAIN = "main"
"""Name of the feed under study in the log. Control feeds are named after their rankers."""
NO_FEED = "none"


def ranker_column(ranker: str) -> str:
    """Convert a ranker's name to the part of a column name.

    `package.module:function` becomes `package_module_function`.
    """
    return re.sub(r"[^A-Za-z0-9_]", "_", ranker)


class Injection(ConfigTable):
    """Items added to the feed on top of the scheduled ones, such as by a campaign."""

    items: int = Field(ge=1, le=1_000_000)
    """Number of items that are injected."""
    topic: int = Field(ge=1, le=256)
    """Number of the items' topic in the taxonomy, from 1."""
    valence: float = Field(ge=-1, le=1)
    """Side that the items take on their topic, -1 (against) to 1 (for)."""
    quality: float = Field(0.0, ge=-10, le=10)
    """The items' quality, in log-odds of a click."""


class Items(ConfigTable):
    """The catalogue of items."""

    source: Literal["synthetic", "world"] = "synthetic"
    """Where items come from: drawn at random (synthetic), or the documents of `[world]`."""
    unit: Literal["source", "chunk"] = "source"
    """Whether an item is a whole document of the world (source) or a chunk of one."""
    per_week: int = Field(200, ge=0, le=10_000_000)
    """Number of items that arrive each week; 0 makes all documents of a world available at first."""
    concentration: float = Field(0.2, gt=0, le=100)
    """Concentration of the Dirichlet distribution of topic mixes: small ones make items of one topic."""
    quality: float = Field(0.5, ge=0, le=10)
    """Standard deviation of an item's quality, in log-odds of a click."""
    proposition: str = Field("", max_length=400)
    """The proposition that items of a world speak for or against; without one, the proposition of an item's
    main topic, and where that has none, the item's sentiment is taken.
    """

    @model_validator(mode="after")
    def _arrive(self) -> "Items":
        if self.source == "synthetic" and not self.per_week:
            raise ValueError("per_week = 0: so no items would be drawn; let at least 1 arrive each week")
        return self


class FeedPolicy(PolicyChoice):
    """The policy that re-ranks the candidates of the feed under study; each has keys of its own.

    Groups are the items' main topics, and injected items are harmful.
    """

    by: Literal["none", "mmr", "quota", "cap", "down_rank"] = "none"
    """Name of the policy."""
    factor: Share = 0.3
    """Factor on the relevance of injected items; 0 shows them last (down_rank)."""
    group: int = Field(1, ge=1, le=256)
    """Number of the topic that has a share, from 1 (quota)."""


class CuratedFeedConfig(ConfigTable):
    """The `[config]` table of a curated feed."""

    slots: int = Field(10, ge=1, le=100)
    """Number of positions of a slate. Each session shows one slate."""
    repeats: bool = False
    """Whether a user can be shown the same item again."""
    ranker: RankerName = Field("similarity", examples=["random"])
    """Ranker of the feed under study: a built-in one or `package.module:function`."""
    beside: tuple[RankerName, ...] = ("random", NO_FEED)
    """Rankers of the control feeds, which serve copies of the same users under the same noise. `none` adds no
    feed."""
    policy: FeedPolicy = FeedPolicy()
    candidates: int = Field(50, ge=1, le=100_000)
    """Number of best-ranked items that exploration shuffles."""
    pool: int = Field(0, ge=0, le=100_000)
    """Number of items handed to the ranker, one drawn from each of as many equal stretches of the catalogue.
    0 hands over all items."""
    epsilon: float = Field(0.1, ge=0, le=1)
    """Probability that a slate is shuffled (exploration)."""
    clicks: ClickModel = ClickModel()
    beliefs: BeliefRule = BeliefRule()
    kept: float = Field(1.0, ge=0, le=1)
    """Share of users whose impressions are logged. Measures of all users come from exact sums."""
    evaluate: tuple[RankerName, ...] = ()
    """Rankers whose slates over the same candidates are logged as well, for off-policy estimates."""
    audit_items: int = Field(60, ge=2, le=1_000)
    """Number of items in the fixed set on which the ranker's order is compared with the oracle's."""
    audit_users: int = Field(50, ge=1, le=1_000_000)
    """Number of users whose orders are compared."""
    users: int = Field(200, ge=1, le=100_000_000)
    """Number of users, of whom those beyond the personas and queries are a crowd."""
    topics: int | tuple[Topic, ...] = Field(8, validate_default=True)
    """Number of topics (typically 8 to 16), or the study's own topics.

    A number takes the first of the built-in topics for synthetic items, and fits so many topics on the
    documents of a world.
    """
    queries: Collection | dict[str, Query] = Field("", examples=[{"q1": "trams"}])
    """Further users, after the study's personas: the first queries of a collection (`ir_datasets:ID`), or a
    table of queries by id."""
    spread: float = Field(0.35, ge=0, le=2)
    """Standard deviation of first beliefs, each clipped to -1 to 1."""
    weeks: int = Field(12, ge=1, le=520)
    """Number of weeks."""
    sessions: int = Field(3, ge=1, le=100)
    """Number of sessions in a week."""
    items: Items = Items()
    promoted: int = Field(0, ge=0, le=1_000)
    """Number of users whose clicks are asked for, so that a model can answer; personas come first."""

    @model_validator(mode="before")
    @classmethod
    def _refuse_injections(cls, values: Any) -> Any:
        """Refuse items in the key of earlier releases; runs that injected nothing can still be read."""
        if not isinstance(values, dict) or "inject" not in values:
            return values
        if values["inject"]:
            raise ValueError(
                'inject is no key of [config] any more; write an [[event]] with kind = "inject" for each week'
            )
        return {name: value for name, value in values.items() if name != "inject"}

    @model_validator(mode="after")
    def _is_whole(self) -> "CuratedFeedConfig":
        if self.candidates < self.slots:
            raise ValueError(
                f"candidates = {self.candidates} for slots = {self.slots}: a slate is filled from the "
                "candidates, so let there be at least as many"
            )
        if 0 < self.pool < self.candidates:
            raise ValueError(
                f"pool = {self.pool} for candidates = {self.candidates}: candidates are the best of the "
                "pool, so let it be at least as large (or 0, for all items)"
            )
        if len(set(self.beside)) < len(self.beside):
            raise ValueError(f"beside names {', '.join(self.beside)}: each feed once")
        if len({ranker_column(name) for name in self.evaluate}) < len(self.evaluate):
            raise ValueError(
                f"evaluate names {', '.join(self.evaluate)}: each once, and no two alike but for . and :"
            )
        k = self.k
        if not 1 <= k <= 256:
            raise ValueError(f"topics = {k}: a taxonomy has 1 to 256 topics")
        if isinstance(self.queries, str) and self.queries and not self.queries.startswith(DATASET):
            raise ValueError(
                f'queries = {self.queries!r}: name a collection as "ir_datasets:ID", or give a table of '
                "queries by id"
            )
        return self

    @property
    def k(self) -> int:
        """Number of topics."""
        return self.topics if isinstance(self.topics, int) else len(self.topics)

    @property
    def declared_topics(self) -> tuple[Topic, ...] | None:
        """The declared topics, None if fitted on a world; raises InputError for more than are built in."""
        if not isinstance(self.topics, int):
            return taxonomy(len(self.topics), self.topics)
        return None if self.items.source == "world" else taxonomy(self.topics)

    @property
    def rankers(self) -> tuple[str, ...]:
        """Names of all rankers in use: of the feed under study, the control feeds, and `evaluate`."""
        return (self.ranker, *(name for name in self.beside if name != NO_FEED), *self.evaluate)
