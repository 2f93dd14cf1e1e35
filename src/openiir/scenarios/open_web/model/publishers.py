"""Publishers who live on paid views: what they earn, when they close, and how many last as funds fall."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import product

import numpy as np
from pydantic import Field

from openiir.kit.arrays import Bools, Floats, Ints
from openiir.kit.measures import gini, hill_number
from openiir.plugin import Arm, ConfigTable, Draw, Own, quantise, round_floats


class VisitRule(ConfigTable):
    """How often people open pages, which is what pays publishers. A visit is a look for one need."""

    plain: float = Field(0.15, ge=0, le=1)
    """Chance that a person opens a page on a visit without summaries (Pew 2025: 15 %)."""
    summarised: float = Field(0.08, ge=0, le=1)
    """Chance that a person opens a page where summaries are shown (Pew 2025: 8 %)."""
    summaries: float = Field(0.18, ge=0, le=1)
    """Share of people's visits where summaries are shown (Pew 2025: 12,593 of 68,879 searches)."""
    away: float = Field(1.0, ge=0, le=1)
    """Share of their visits that those who left their space go on making, elsewhere and unasked."""

    def count_views(self, opened: int, asked: int, people: int) -> tuple[float, float]:
        """Compute the share of people's visits that are still made, and the pages opened on each of these.

        Those who were asked opened so many; the others have left their space.
        """
        usual, gone = self.plain + self.summaries * (self.summarised - self.plain), people - asked
        made = asked + self.away * gone
        return made / people, (opened + self.away * gone * usual) / made if made else usual


class PublisherRule(ConfigTable):
    """Publishers, what they earn, and when they give up."""

    publishers: int = Field(400, ge=0, le=100_000)
    """Number of publishers; 0 leaves the economy out."""
    niches: int = Field(100, ge=1, le=100_000)
    """Number of subjects; each publisher serves one of them."""
    tail: float = Field(1.2, ge=0.5, le=10)
    """Exponent of the Pareto distribution of quality, which draws visits."""
    costs: float = Field(1.0, ge=0, le=5)
    """Standard deviation of the logarithm of what a round costs a publisher; the median costs 1."""
    rate: float = Field(50.0, gt=0, le=1e6)
    """What the visits of a round would earn an average publisher if each were paid, in median costs."""
    feedback: float = Field(0.5, ge=0, le=1)
    """Share of all visits that are lost if no niche is served any more."""
    losses: int = Field(3, ge=1, le=1_000)
    """Rounds in a row with a loss after which a publisher closes."""
    entry: float = Field(0.0, ge=0, le=1)
    """Chance per round that a publisher drawn anew takes the place of one that closed."""

    def draw_publishers(self, places: Ints, draw: Draw) -> tuple[Floats, Floats]:
        """Draw the quality and the cost of a publisher for each of some places."""
        quality = draw.at("quality").uniform(item=places) ** (-1.0 / self.tail)
        cost = np.exp(self.costs * draw.at("cost").normal(item=places))
        return round_floats(quantise(quality)), round_floats(quantise(cost))

    def earn(self, quality: Floats, open_: Bools, coverage: float, paid: float) -> Floats:
        """Compute what each publisher earns in a round; visits are shared in proportion to quality.

        `paid` is the mean number of paid views that a visit brings, `coverage` the share of niches that are
        served: without them people look for less.
        """
        offered = np.where(open_, quality, 0.0)
        visits = len(quality) * (1.0 - self.feedback * (1.0 - coverage)) * offered / max(offered.sum(), 1.0)
        return np.asarray(quantise(self.rate * paid * visits))


@dataclass(eq=False)
class Publishers(Arm):
    """The publishers of one arm, by place."""

    niche: Ints
    first: Floats
    """Quality of the publishers with whom the run begins."""
    quality: Own[Floats]
    cost: Own[Floats]
    open: Own[Bools] = field(init=False)
    losses: Own[Ints] = field(init=False)
    """Rounds in a row in which a publisher has lost money."""

    @classmethod
    def draw_first(cls, rule: PublisherRule, draw: Draw) -> "Publishers":
        """Draw the publishers with whom a run begins."""
        places = np.arange(rule.publishers)
        first, cost = rule.draw_publishers(places, draw)
        return cls(draw.at("niche").below(rule.niches, item=places), first, first.copy(), cost)

    def copy(self) -> "Publishers":
        """Return the same publishers at the start of another arm."""
        return replace(self, quality=self.first.copy(), cost=self.cost.copy())

    def __post_init__(self) -> None:
        self.open, self.losses = np.ones(len(self.cost), np.bool_), np.zeros(len(self.cost), np.int64)

    def trade(self, rule: PublisherRule, paid: float, draw: Draw) -> dict[str, float]:
        """Let a round of visits pass; returns what became of publishers, in shares of those at the start."""
        earned = rule.earn(self.quality, self.open, find_coverage(self.open, self.niche), paid)
        of_open = earned[self.open]
        self.losses = np.where(self.open & (earned < self.cost), self.losses + 1, 0)
        entrants = np.flatnonzero(~self.open & draw.chance(rule.entry, item=np.arange(len(self.cost))))
        self.open &= self.losses < rule.losses
        self.open[entrants] = True
        self.quality[entrants], self.cost[entrants] = rule.draw_publishers(entrants, draw)
        return {
            "survivors": float(self.open.mean()),
            "tail": float(self.open[self.first <= np.median(self.first)].mean()),
            "mass": float(self.quality[self.open].sum() / self.first.sum()),
            "coverage": find_coverage(self.open, self.niche),
            "gini": gini(of_open),
            "hhi": 1.0 / hill_number(of_open, 2.0),
        }


def name_arms(shares: Iterable[float], prices: Iterable[float | str]) -> dict[str, tuple[float, float | str]]:
    """Name each share of agents at each price of their visits, `40% at 1%`; a price in words stays."""
    words = {price: price if isinstance(price, str) else f"at {100 * price:g}%" for price in prices}
    pairs = product(words, sorted(shares))
    return {f"{100 * share:g}% {words[price]}": (share, price) for price, share in pairs}


def mix_funds(share: float, people: float, agents: float) -> float:
    """Compute the paid views a visit brings where agents make a share of the visits.

    Written so that no share makes a difference where both are paid alike.
    """
    return float(quantise(people + share * (agents - people)))


def find_coverage(open_: Bools, niche: Ints) -> float:
    """Compute the share of niches that an open publisher serves, of those that one ever served."""
    return len(np.unique(niche[open_])) / len(np.unique(niche))
