"""The `[config]` of open-web studies: visits by people and agents, spaces, publishers, trust and retreat."""

from typing import Annotated, Literal

from pydantic import Field

from openiir.plugin import ConfigTable
from openiir.scenarios.open_web.model.publishers import PublisherRule, VisitRule, name_arms
from openiir.scenarios.open_web.model.retreat import RetreatRule
from openiir.scenarios.open_web.model.spaces import SpaceRule, TrustRule

HUMAN, AS_PEOPLE = "human", "as people"
"""Name of the arm without agents, and price of agents who open pages as often as people do."""
Share = Annotated[float, Field(gt=0, le=1)]
Price = Annotated[float, Field(ge=0, le=1)] | Literal["as people"]


class OpenWebConfig(ConfigTable):
    """The `[config]` table of a study."""

    rounds: int = Field(30, ge=1, le=10_000)
    people: int = Field(600, ge=1, le=1_000_000)
    """Number of people, personas included; each belongs to one space."""
    shares: tuple[Share, ...] = Field((0.2, 0.4, 0.6, 0.8, 1.0), min_length=1, max_length=20)
    """Agents' shares of all visits, an arm each and for each price, beside one without agents."""
    prices: tuple[Price, ...] = Field((0.01, 0.08), min_length=1, max_length=10)
    """Paid views that an agent's visit brings, such as 0.01, or "as people": as many as a person's.

    Pew (2025): people follow a link in a summary in 1 % of visits, a link beside one in 8 %."""
    visits: VisitRule = VisitRule()
    spaces: SpaceRule = SpaceRule()
    economy: PublisherRule = PublisherRule()
    trust: TrustRule = TrustRule()
    retreat: RetreatRule = RetreatRule()

    def list_arms(self) -> dict[str, tuple[float, float | str]]:
        """List the arms by name: share of agents, and price of their visits."""
        return {HUMAN: (0.0, self.prices[0]), **name_arms(self.shares, self.prices)}
