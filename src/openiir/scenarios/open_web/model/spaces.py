"""Spaces where people and agents write: their layout, and how good writers are and become known."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from pydantic import Field

from openiir.kit.arrays import Floats, Ints
from openiir.plugin import ConfigTable, Draw, order_by, quantise
from openiir.scenarios.open_web.model.articles import Article
from openiir.scenarios.open_web.model.retreat import RetreatRule

_CONCENTRATION = 10.0
"""Concentration of the Beta distribution of writers' quality around its mean."""


class SpaceRule(ConfigTable):
    """Spaces, who writes there, and what their pages show."""

    number: int = Field(12, ge=1, le=1_000)
    writers: int = Field(20, ge=1, le=1_000)
    """Number of people who write in each space, and of agents beside them."""
    pieces: int = Field(6, ge=1, le=20)
    """Number of pieces on the page of a space."""
    writing: float = Field(1.0, ge=0, le=1)
    """Agents' share of what is written, for each share of visits; 0 leaves writing to people."""
    uneven: float = Field(0.3, ge=0, le=5)
    """Standard deviation of the log-odds of agents' share over spaces."""

    def spread_share(self, share: float, z: Floats) -> Floats:
        """Compute agents' share of what is written in spaces, from their share of visits and normal `z`."""
        share = share * self.writing
        return np.asarray(share / (share + (1.0 - share) * np.exp(-self.uneven * z)))


class TrustRule(ConfigTable):
    """How good writers are, and what readers make of it."""

    people: float = Field(0.7, ge=0.05, le=0.95)
    """Mean chance that a piece by a person is worth a reader's time."""
    agents: float = Field(0.6, ge=0.05, le=0.95)
    """Mean chance that a piece by an agent is worth a reader's time."""
    decay: float = Field(0.98, ge=0.01, le=1)
    """Weight that a judgement keeps from one round to the next."""
    follow: float = Field(0.1, ge=0, le=1)
    """Chance per round that a reader begins to follow a writer on the page."""
    popularity: float = Field(0.8, ge=0, le=5)
    """Exponent of followers + 1 in the choice of whom to follow."""
    influence: float = Field(0.5, ge=0, le=5)
    """Exponent of followers + 1 in what pages show: 0 shows writers by what they write alone."""

    @property
    def half_life(self) -> float:
        """Rounds after which a judgement weighs half."""
        return math.log(0.5) / math.log(self.decay) if self.decay < 1 else math.inf


@dataclass(frozen=True)
class SpaceMap:
    """Who belongs to which space, and who may write there: rows of people come first, then of agents."""

    space: Ints
    """(people,) space of each person."""
    accounts: Ints
    """(spaces, 2 writers) rows of those who may write: people, then agents."""
    handles: Ints
    """(spaces, 2 writers) numbers by which a space knows them, which do not tell people from agents."""
    worth: Floats
    """(spaces, 2 writers) chance that what each writes is worth a reader's time."""
    threshold: Floats
    """(people,) share of agents that each person bears."""
    uneven: Floats
    """(spaces,) standard normal numbers by which spaces attract more or fewer agents."""
    topics: Sequence[tuple[str, Sequence[Article]]]
    """What each space writes about, in turn, and the articles that its pages show."""

    @classmethod
    def lay_out(
        cls,
        people: int,
        rule: SpaceRule,
        trust: TrustRule,
        retreat: RetreatRule,
        topics: Sequence[tuple[str, Sequence[Article]]],
        draw: Draw,
    ) -> "SpaceMap":
        """Give each person a space in turn; the first of each space write, beside as many agents."""
        row = np.arange(rule.number)[:, None] + np.arange(rule.writers) * rule.number
        accounts, persons = np.hstack([row, people + row]), np.arange(people)
        order = order_by(draw.at("handle").uniform(agent=accounts), axis=1)
        means = np.repeat([trust.people, trust.agents], rule.writers)
        return cls(
            space=persons % rule.number,
            accounts=accounts,
            handles=order_by(order, axis=1) + 1,
            worth=draw_beta(means, _CONCENTRATION, draw.at("worth"), accounts),
            threshold=draw_beta(retreat.threshold, retreat.firmness, draw.at("threshold"), persons),
            uneven=draw.at("space").normal(agent=np.arange(rule.number)),
            topics=[topics[space % len(topics)] for space in range(rule.number)],
        )

    @property
    def size(self) -> int:
        """Number of accounts: people, and agents who may write."""
        return len(self.space) + self.accounts.size // 2


def draw_beta(mean: float | Floats, concentration: float, draw: Draw, rows: Ints) -> Floats:
    """Draw for each row from the Beta distribution with a mean and a concentration (sum of parameters)."""
    from scipy.special import betaincinv

    a, b = concentration * np.asarray(mean), concentration * (1.0 - np.asarray(mean))
    return np.asarray(quantise(betaincinv(a, b, draw.uniform(agent=rows))))


def find_reputation(praise: Floats, blame: Floats) -> Floats:
    """Compute Beta reputations of weighed judgements, 0.5 without any (Josang & Ismail, Bled 2002)."""
    return np.asarray((praise + 1.0) / (praise + blame + 2.0))
