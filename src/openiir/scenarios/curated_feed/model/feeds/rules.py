"""Configuration shared by feeds of any type: ranking, serving, clicks, beliefs and logging."""

import re

from pydantic import Field, model_validator

from openiir.kit.beliefs import BeliefRule
from openiir.kit.clicks import ClickModel
from openiir.kit.rankers import RankerName
from openiir.plugin import ConfigTable

MAIN = "main"
"""Name of the feed under study in the log. Control feeds are named after their rankers."""
NO_FEED = "none"


def column_of(ranker: str) -> str:
    """Convert a ranker's name to a part of a column name.

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


class FeedRules(ConfigTable):
    """Configuration keys common to all feeds; a study type adds its own."""

    slots: int = Field(10, ge=1, le=100)
    """Number of positions of a slate. Each session shows one slate."""
    repeats: bool = False
    """Whether a user can be shown the same item again."""
    ranker: RankerName = Field("similarity", examples=["random"])
    """Ranker of the feed under study: a built-in one or `package.module:function`."""
    beside: tuple[RankerName, ...] = ("random", NO_FEED)
    """Rankers of the control feeds, which serve copies of the same users under the same noise. `none` adds no
    feed."""
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
        """Names of all rankers in use: of the feed under study, the control feeds, and `evaluate`."""
        return (self.ranker, *(name for name in self.beside if name != NO_FEED), *self.evaluate)
