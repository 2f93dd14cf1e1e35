"""Click models that simulate which positions of a ranking users examine and click.

Three models of how a ranking is read: position-based (a position is looked at with a probability of its own;
Craswell et al., WSDM 2008), cascade (from the top, until the first click; the same paper) and the dynamic
Bayesian network (from the top, a click may satisfy; Chapelle & Zhang, WWW 2009). Whether what is looked at is
clicked is a logit of how well it agrees with the user and how good it is.
"""

from typing import Literal

import numpy as np
from pydantic import Field

from openiir.kit.arrays import Bools, Floats, Ints
from openiir.plugin import ConfigTable, Draw, happens, quantise


class ClickModel(ConfigTable):
    """Parameters of a click model: position-based, cascade, or dynamic Bayesian network (`dbn`)."""

    model: Literal["position", "cascade", "dbn"] = "position"
    """Model of what is examined and clicked: by position, cascade, or dynamic Bayesian network (`dbn`)."""
    gamma: float = Field(1.0, ge=0, le=10)
    """Position bias: position r is examined with probability r^-gamma (model `position`)."""
    satisfaction: float = Field(0.5, ge=0, le=1)
    """Probability that a clicked item satisfies the user, who then stops reading (model `dbn`)."""
    continuation: float = Field(0.9, ge=0, le=1)
    """Probability that a user who is not satisfied reads on to the next position (model `dbn`)."""
    intercept: float = Field(-1.0, ge=-20, le=20)
    """Log-odds of a click on an examined item of ordinary quality that neither agrees nor disagrees with the
    user."""
    alignment: float = Field(2.0, ge=-20, le=20)
    """Increase of the log-odds of a click for an item that fully agrees with the user (cosine 1)."""
    leave: float = Field(0.0, ge=0, le=1)
    """Probability that the user leaves the session after a position. Later positions are not examined."""

    def attraction(self, agreement: Floats, quality: Floats) -> Floats:
        """Compute the probability of a click on each item once it is examined, in the shape of both.

        It is the logistic of intercept + alignment * agreement + quality, rounded to the grid: agreement is a
        cosine, -1 to 1, and quality an addition to the log-odds, 0 for an ordinary item.
        """
        utility = self.intercept + self.alignment * agreement + quality
        return quantise(1.0 / (1.0 + np.exp(-np.atleast_1d(utility))))

    def click_chances(self, attraction: Floats) -> Floats:
        """Compute the probability of a click at each position (n, K) from the items' attraction (n, K)."""
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

    def log_likelihood(self, attraction: Floats, clicks: Bools) -> Floats:
        """Compute the log-probability (n,) of the clicks on whole slates (n, K), given the items' attraction.

        Position by position, with the probability that the user is still reading, given the clicks so far.
        """
        click_ends = {"position": 0.0, "cascade": 1.0, "dbn": self.satisfaction}[self.model]
        staying = (1.0 - self.leave) * (self.continuation if self.model == "dbn" else 1.0)
        total, reading = np.zeros(len(clicks)), np.ones(len(clicks))
        for n, clicked in enumerate(clicks.T):
            look = (n + 1.0) ** -self.gamma if self.model == "position" else 1.0
            chance = reading * look * attraction[:, n]
            with np.errstate(divide="ignore", invalid="ignore"):
                total += np.log(np.where(clicked, chance, 1.0 - chance))
                unseen = np.where(chance < 1, (reading - chance) / (1.0 - chance), 0.0)
            reading = staying * np.where(clicked, 1.0 - click_ends, unseen)
        return total


def _shifted_product(factors: Floats) -> Floats:
    """Multiply the factors before each position; the first product is 1."""
    products = np.cumprod(factors, axis=-1)
    return np.concatenate([np.ones((*factors.shape[:-1], 1)), products[..., :-1]], axis=-1)


class SlateReading:
    """Simulation of users reading slates top-down; at each position call `look`, `click`, then `go_on`.

    `users` (n,) are the rows that name their draws, `slots` is the number of positions; all arrays that go in
    or come out have a value for each user, (n,). Every draw is named by the user and the position, under the
    purpose and the step of `draw`: give each of several slates of a step another step, such as the number of
    its session.
    """

    def __init__(self, model: ClickModel, draw: Draw, users: Ints, slots: int) -> None:
        self.model = model
        self._there = np.ones(len(users), dtype=np.bool_)
        self._on = self._there.copy()
        self._noise: dict[str, Floats] = {}
        self._draw = lambda what: draw.at(what).uniform(
            agent=users[None, :], item=np.arange(1, slots + 1)[:, None]
        )

    def _happens(self, what: str, position: int, chance: float | Floats) -> Bools:
        if what not in self._noise:
            self._noise[what] = self._draw(what)
        return np.asarray(happens(self._noise[what][position - 1], chance))

    def look(self, position: int) -> tuple[Bools, Floats]:
        """Draw which users examine a position (from 1), with the weight of that exposure for their beliefs.

        The weight is the probability of looking where that is the position's own (`position`), for then it
        depends on nothing that happened before; else it is 0 or 1.
        """
        if self.model.model != "position":
            looks = self._on & self._there
            return looks, looks.astype(np.float64)
        chance = float(position) ** -self.model.gamma
        looks = self._there & self._happens("look", position, chance)
        return looks, np.where(self._there, chance, 0.0)

    def click(self, position: int, looks: Bools, attraction: Floats) -> Bools:
        """Draw which users click at a position, from who examines it and their item's attraction, 0 to 1."""
        return looks & self._happens("click", position, attraction)

    def read(self, attraction: Floats) -> Bools:
        """Read slates from the first position to the last; returns which are clicked, (users, positions).

        `attraction` is the chance of a click on each position once it is looked at.
        """
        clicks = np.zeros(attraction.shape, dtype=np.bool_)
        for n in range(attraction.shape[1]):
            looks, _ = self.look(n + 1)
            clicks[:, n] = self.click(n + 1, looks, attraction[:, n])
            self.go_on(n + 1, looks, clicks[:, n])
        return clicks

    def go_on(self, position: int, looks: Bools, clicks: Bools) -> None:
        """Move to the next position, dropping users who are satisfied, stop reading or leave."""
        if self.model.model == "cascade":
            self._on &= ~clicks
        elif self.model.model == "dbn":
            done = clicks & self._happens("satisfied", position, self.model.satisfaction)
            self._on &= ~done & self._happens("continue", position, self.model.continuation)
        if self.model.leave > 0:
            self._there &= ~self._happens("leave", position, self.model.leave)
