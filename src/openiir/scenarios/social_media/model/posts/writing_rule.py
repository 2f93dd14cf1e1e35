"""What posts without words are like, in numbers."""

import numpy as np
from pydantic import Field

from openiir.kit.arrays import Floats
from openiir.plugin import ConfigTable, Draw


class WritingRule(ConfigTable):
    """What posts of the crowd are like, in numbers."""

    stance: float = Field(0.8, ge=0, le=1)
    """Weight of the author's stance in the valence of a post."""
    noise: float = Field(0.2, ge=0, le=2)
    """Standard deviation of what else goes into the valence."""
    worded: float = Field(0.0, ge=0, le=1)
    """Share of the crowd's posts that are logged with a text, made from their numbers, and whose claims are extracted."""

    def draw(self, stance: Floats, bias: Floats, draw: Draw) -> dict[str, Floats]:
        """Draw valence, novelty and arousal of posts from their authors' stance and sentiment bias; our design.

        Valence is the weighted stance plus bias and noise; arousal grows with its size.
        """
        valence = np.clip(self.stance * stance + bias + draw.at("valence").normal(sd=self.noise), -1, 1)
        arousal = (np.abs(valence) + draw.at("arousal").uniform()) / 3
        return {"valence": valence, "novelty": 0.6 * draw.at("novelty").uniform(), "arousal": arousal}
