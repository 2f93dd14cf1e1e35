"""How people read a page of results, and when they are content with what they found."""

from typing import NamedTuple

import numpy as np
from pydantic import Field

from openiir.kit.arrays import Bools, Floats, Ints
from openiir.kit.clicks import ClickModel, SlateReading
from openiir.plugin import ConfigTable, Draw, quantise
from openiir.scenarios.tiered_capability.model.search import NOTHING

EMPTY = -20.0
"""How an empty place of a page looks."""


class Reading(NamedTuple):
    """What readers of a page do."""

    open: Bools
    """(readers, places) results opened."""
    web: Bools
    """(readers,) whether the web is to be searched as well."""


class ReadingRule(ConfigTable):
    """How people read offline: from the top, opening what looks useful, until they are satisfied."""

    intercept: float = Field(-3.0, ge=-20, le=20)
    """Log-odds of opening a result that looks useless."""
    slope: float = Field(6.0, ge=0, le=20)
    """Increase of the log-odds for a result that looks as useful as the best."""
    satisfaction: float = Field(0.3, ge=0, le=1)
    """Chance of reading no further after a result that was opened."""
    continuation: float = Field(0.95, ge=0, le=1)
    """Chance of going on to the next result otherwise."""
    enough: float = Field(0.7, ge=0, le=2)
    """How useful the best of what was opened must look, so that no web search is spent."""
    blur: float = Field(0.4, ge=0, le=2)
    """Standard deviation of how useful a document looks to a person, around what it is."""
    learning: float = Field(0.1, ge=0, le=10)
    """Precision that a person's eye gains by each need that was met before, as a share of the first."""

    def see(self, gains: Floats, page: Ints, met: Ints, draw: Draw) -> Floats:
        """Draw how useful the documents of pages look, (readers, places), from what they gain for a need.

        `met` is the number of needs that each met before; the part `agent` of the draw holds the readers.
        """
        noise = draw.normal(agent=np.asarray(draw.agent)[:, None], item=np.maximum(page, 0))
        sd = self.blur / np.sqrt(1 + self.learning * met)
        return np.where(page == NOTHING, EMPTY, quantise(gains + sd[:, None] * noise))

    def read(self, looks: Floats, draw: Draw) -> Reading:
        """Read pages by a dynamic Bayesian network of clicks (Chapelle & Zhang, WWW 2009).

        Who opened nothing that looks good enough searches the web (satisficing: Simon, Psychol. Rev. 1956).
        """
        rule = {"satisfaction": self.satisfaction, "continuation": self.continuation}
        model = ClickModel(model="dbn", intercept=self.intercept, alignment=self.slope, **rule)
        attraction = model.attraction(looks, np.zeros(1)) * (looks > EMPTY)
        opened = SlateReading(model, draw, np.asarray(draw.agent), looks.shape[1]).read(attraction)
        best = np.where(opened, looks, EMPTY).max(axis=1)
        return Reading(opened, np.asarray(best < self.enough))
