"""What a curated feed's `[config]` holds: users, items, the ranker and how it serves, clicks, beliefs, what is kept."""

import re
from typing import Annotated, Literal

from pydantic import Field, model_validator

from openiir.kit.beliefs import BeliefRule
from openiir.kit.clicks import ClickModel
from openiir.kit.items import Topic, taxonomy
from openiir.plugin import Record

RankerName = Annotated[str, Field(min_length=1, max_length=200)]
Collection = Annotated[str, Field(max_length=200)]
Query = Annotated[str, Field(min_length=1, max_length=4_000)]
MAIN = "main"
"""The feed under study, in the log; those beside it are called by their rankers."""
NO_FEED = "none"


def column_of(ranker: str) -> str:
    """A ranker's name as part of a column's: `package.module:function` becomes `package_module_function`."""
    return re.sub(r"[^A-Za-z0-9_]", "_", ranker)


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


class Injection(Record):
    """Items that someone puts into the feed on top of those that arrive."""

    items: int = Field(ge=1, le=1_000_000)
    topic: int = Field(ge=1, le=256)
    """Its number in the taxonomy, from 1."""
    valence: float = Field(ge=-1, le=1)
    quality: float = Field(0.0, ge=-10, le=10)


class CuratedFeedConfig(Record):
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
    slots: int = Field(10, ge=1, le=100)
    """Positions of a slate, one slate a session."""
    items: Items = Items()
    inject: tuple[Injection, ...] = ()
    """Injected in every week in which it is set."""
    repeats: bool = False
    """Whether a user can be shown an item again."""
    ranker: RankerName = Field("similarity", examples=["random"])
    """The feed under study: a built-in ranker or `package.module:function`."""
    beside: tuple[RankerName, ...] = ("random", NO_FEED)
    """Further feeds on copies of the same users, under the same noise: the controls. `none` is no feed at all."""
    candidates: int = Field(50, ge=1, le=100_000)
    """The best so many are what exploration shuffles."""
    pool: int = Field(0, ge=0, le=100_000)
    """Items handed to the ranker, one from each of so many equal stretches of the catalogue; 0 hands it all."""
    epsilon: float = Field(0.1, ge=0, le=1)
    """Share of slates that are shuffled."""
    clicks: ClickModel = ClickModel()
    beliefs: BeliefRule = BeliefRule()
    promoted: int = Field(0, ge=0, le=1_000)
    """Users who are asked what they click, and can be answered for by a model; personas of the study come first."""
    kept: float = Field(1.0, ge=0, le=1)
    """Share of users whose impressions are kept; measures of the whole come from exact aggregates."""
    evaluate: tuple[RankerName, ...] = ()
    """Rankers whose slates over the same candidates are logged beside, for off-policy estimates."""
    audit_items: int = Field(60, ge=2, le=1_000)
    """Items of the fixed set on which the ranker's order is compared with the oracle's."""
    audit_users: int = Field(50, ge=1, le=1_000_000)
    """Users whose orders are compared."""

    @model_validator(mode="after")
    def _fits(self) -> "CuratedFeedConfig":
        k = self.topics if isinstance(self.topics, int) else len(self.topics)
        if not 1 <= k <= 256:
            raise ValueError(f"topics = {k}: a taxonomy has 1 to 256 topics")
        if self.candidates < self.slots:
            raise ValueError(
                f"candidates = {self.candidates} for slots = {self.slots}: a slate is filled from the candidates, "
                "so let there be at least as many"
            )
        if isinstance(self.queries, str) and self.queries and not self.queries.startswith("ir_datasets:"):
            raise ValueError(
                f'queries = {self.queries!r}: name a collection as "ir_datasets:ID", or give a table of queries by id'
            )
        if 0 < self.pool < self.candidates:
            raise ValueError(
                f"pool = {self.pool} for candidates = {self.candidates}: candidates are the best of the pool, "
                "so let it be at least as large (or 0, for all items)"
            )
        for injection in self.inject:
            if injection.topic > k:
                raise ValueError(f"inject: topic = {injection.topic} of {k} topics; they are numbered from 1")
        if len(set(self.beside)) < len(self.beside):
            raise ValueError(f"beside names {', '.join(self.beside)}: each feed once")
        if len({column_of(name) for name in self.evaluate}) < len(self.evaluate):
            raise ValueError(f"evaluate names {', '.join(self.evaluate)}: each once, and no two alike but for . and :")
        return self

    @property
    def k(self) -> int:
        """The number of topics."""
        return self.topics if isinstance(self.topics, int) else len(self.topics)

    @property
    def rankers(self) -> tuple[str, ...]:
        """Every ranker that is asked: of the feed under study, of those beside it, and for off-policy estimates."""
        return (self.ranker, *(name for name in self.beside if name != NO_FEED), *self.evaluate)

    @property
    def declared_topics(self) -> tuple[Topic, ...] | None:
        """The taxonomy, None where it is fitted on a world; raises InputError for more topics than are built in."""
        if not isinstance(self.topics, int):
            return taxonomy(len(self.topics), self.topics)
        return None if self.items.source == "world" else taxonomy(self.topics)
