"""Click models, simulated for a block of users: who examines a position, and who clicks.

Three models of how a ranking is read: position-based (a position is looked at with a probability of its own;
Craswell et al., WSDM 2008), cascade (from the top, until the first click; the same paper) and the dynamic Bayesian
network (from the top, a click may satisfy; Chapelle & Zhang, WWW 2009). Whether what is looked at is clicked is a
logit of how well it agrees with the user and how good it is.
"""

from typing import Literal

import numpy as np
from pydantic import Field

from openiir.kit.arrays import Bools, Floats, Ints
from openiir.plugin import Draw, Record, quantise


class ClickModel(Record):
    """How users read a slate and what they click."""

    model: Literal["position", "cascade", "dbn"] = "position"
    gamma: float = Field(1.0, ge=0, le=10)
    """Position r is looked at with probability r^-gamma (`position`)."""
    satisfaction: float = Field(0.5, ge=0, le=1)
    """A click satisfies, and ends the reading, with this probability (`dbn`)."""
    continuation: float = Field(0.9, ge=0, le=1)
    """Who is not satisfied reads on with this probability (`dbn`)."""
    intercept: float = Field(-1.0, ge=-20, le=20)
    """Log-odds of clicking an ordinary item that neither agrees nor disagrees, once looked at."""
    alignment: float = Field(2.0, ge=-20, le=20)
    """What full agreement with an item, a cosine of 1, adds to the log-odds."""
    leave: float = Field(0.0, ge=0, le=1)
    """Probability of leaving the session after each position; what comes later is not looked at."""

    def attraction(self, agreement: Floats, quality: Floats) -> Floats:
        """P(click | looked at) of each item, on the grid: the logistic of intercept + alignment cos + quality."""
        utility = self.intercept + self.alignment * agreement + quality
        return quantise(1.0 / (1.0 + np.exp(-np.atleast_1d(utility))))

    def click_chances(self, attraction: Floats) -> Floats:
        """P(click) at each position of slates (n, K) whose items have these attractions."""
        k = attraction.shape[-1]
        staying = (1.0 - self.leave) ** np.arange(k)
        if self.model == "position":
            return attraction * np.arange(1, k + 1) ** -self.gamma * staying
        if self.model == "cascade":
            after = 1.0 - attraction
        else:
            after = self.continuation * (1.0 - self.satisfaction * attraction)
        reading = np.cumprod(after, axis=-1) / after if (after > 0).all() else _shifted_product(after)
        return attraction * reading * staying


def _shifted_product(factors: Floats) -> Floats:
    """The product of the factors before each position; the first is 1."""
    products = np.cumprod(factors, axis=-1)
    return np.concatenate([np.ones((*factors.shape[:-1], 1)), products[..., :-1]], axis=-1)


class SlateReading:
    """Users reading a slate from the top, position by position: `look`, then `click`, then `go_on`.

    Every draw is named by the user, the position and the session, under the purpose of `draw`.
    """

    def __init__(self, model: ClickModel, draw: Draw, users: Ints, session: int, slots: int) -> None:
        self.model = model
        self._there = np.ones(len(users), dtype=np.bool_)
        self._on = self._there.copy()
        self._noise: dict[str, Floats] = {}
        self._draw = lambda what: draw.at(what).uniform(
            agent=users[None, :], item=np.arange(1, slots + 1)[:, None], step=session
        )

    def _uniform(self, what: str, position: int) -> Floats:
        if what not in self._noise:
            self._noise[what] = self._draw(what)
        return self._noise[what][position - 1]

    def look(self, position: int) -> tuple[Bools, Floats]:
        """Who examines a position (from 1), and the weight of that exposure for beliefs.

        The weight is the probability of looking where that is the position's own (`position`), for then it depends
        on nothing that happened before; else it is 0 or 1.
        """
        if self.model.model != "position":
            looks = self._on & self._there
            return looks, looks.astype(np.float64)
        chance = float(position) ** -self.model.gamma
        looks = self._there & (self._uniform("look", position) < chance)
        return looks, np.where(self._there, chance, 0.0)

    def click(self, position: int, looks: Bools, attraction: Floats) -> Bools:
        """Which users click at a position."""
        return looks & (self._uniform("click", position) < attraction)

    def go_on(self, position: int, looks: Bools, clicks: Bools) -> None:
        """Move to the next position: some are satisfied, some tire, some leave."""
        if self.model.model == "cascade":
            self._on &= ~clicks
        elif self.model.model == "dbn":
            done = clicks & (self._uniform("satisfied", position) < self.model.satisfaction)
            self._on &= ~done & (self._uniform("continue", position) < self.model.continuation)
        if self.model.leave > 0:
            self._there &= self._uniform("leave", position) >= self.model.leave
