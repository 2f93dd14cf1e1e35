"""How searchers read a result page and choose, offline."""

import numpy as np
from pydantic import Field

from openiir.kit.arrays import Floats, Ints
from openiir.kit.clicks import ClickModel, SlateReading
from openiir.plugin import ConfigTable, Draw


class SearchReading(ConfigTable):
    """How searchers choose offline: they read from the top until they use a result or leave."""

    leave: float = Field(0.1, ge=0, le=1)
    """Chance of leaving after each result that is not used."""
    intercept: float = Field(-3.0, ge=-20, le=20)
    """Log-odds of using a result that looks useless."""
    slope: float = Field(5.0, ge=-20, le=20)
    """Increase of the log-odds for a result that looks as useful as the best."""
    blur: float = Field(0.3, ge=0, le=10)
    """Standard deviation of how useful a work looks to a searcher, around what it claims to be."""

    def choose(self, looks: Floats, draw: Draw) -> Ints:
        """Draw the place that each searcher uses, 0 for none, from how results look, (searchers, places).

        The cascade model of Craswell, Zoeter, Taylor & Ramsey (WSDM 2008); the part `agent` of the draw holds
        the searchers.
        """
        model = ClickModel(model="cascade", leave=self.leave, intercept=self.intercept, alignment=self.slope)
        reading = SlateReading(model, draw, np.asarray(draw.agent), looks.shape[1])
        used = reading.read(model.attraction(looks, np.zeros(1)))
        return np.asarray(used @ np.arange(1, looks.shape[1] + 1))
