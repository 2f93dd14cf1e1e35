"""What governs a feed of any type: how it ranks and serves, how users click and believe, and what is kept of it."""

import re

from pydantic import Field, model_validator

from openiir.kit.beliefs import BeliefRule
from openiir.kit.clicks import ClickModel
from openiir.kit.rankers import RankerName
from openiir.plugin import Record

MAIN = "main"
"""The feed under study, in the log; those beside it are called by their rankers."""
NO_FEED = "none"


def column_of(ranker: str) -> str:
    """A ranker's name as part of a column's: `package.module:function` becomes `package_module_function`."""
    return re.sub(r"[^A-Za-z0-9_]", "_", ranker)


class Injection(Record):
    """Items that someone puts into the feed on top of those that arrive."""

    items: int = Field(ge=1, le=1_000_000)
    topic: int = Field(ge=1, le=256)
    """Its number in the taxonomy, from 1."""
    valence: float = Field(ge=-1, le=1)
    quality: float = Field(0.0, ge=-10, le=10)


class FeedRules(Record):
    """The keys of a feed's configuration; a type adds its own."""

    slots: int = Field(10, ge=1, le=100)
    """Positions of a slate, one slate a session."""
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
    kept: float = Field(1.0, ge=0, le=1)
    """Share of users whose impressions are kept; measures of the whole come from exact aggregates."""
    evaluate: tuple[RankerName, ...] = ()
    """Rankers whose slates over the same candidates are logged beside, for off-policy estimates."""
    audit_items: int = Field(60, ge=2, le=1_000)
    """Items of the fixed set on which the ranker's order is compared with the oracle's."""
    audit_users: int = Field(50, ge=1, le=1_000_000)
    """Users whose orders are compared."""

    @model_validator(mode="after")
    def _fits(self) -> "FeedRules":
        if self.candidates < self.slots:
            raise ValueError(
                f"candidates = {self.candidates} for slots = {self.slots}: a slate is filled from the candidates, "
                "so let there be at least as many"
            )
        if 0 < self.pool < self.candidates:
            raise ValueError(
                f"pool = {self.pool} for candidates = {self.candidates}: candidates are the best of the pool, "
                "so let it be at least as large (or 0, for all items)"
            )
        if len(set(self.beside)) < len(self.beside):
            raise ValueError(f"beside names {', '.join(self.beside)}: each feed once")
        if len({column_of(name) for name in self.evaluate}) < len(self.evaluate):
            raise ValueError(
                f"evaluate names {', '.join(self.evaluate)}: each once, and no two alike but for . and :"
            )
        return self

    @property
    def rankers(self) -> tuple[str, ...]:
        """Every ranker that is asked: of the feed under study, of those beside it, and for off-policy estimates."""
        return (self.ranker, *(name for name in self.beside if name != NO_FEED), *self.evaluate)
