"""How often the members of a population act, as a table of a study's configuration."""

from typing import Annotated

from pydantic import Field

from openiir.plugin import ConfigTable
from openiir.scenarios.social_media.model.activity.rates import SIGMA

HourWeight = Annotated[float, Field(ge=0, le=1_000)]
_DAY = (0.4, 0.3, 0.2, 0.2, 0.2, 0.3, 0.5, 0.8, *[1.1] * 10, *[1.6] * 4, 1.2, 0.8)


class ActivityRule(ConfigTable):
    """How often members of the crowd post, and when; a persona's own activity profile takes its place."""

    posts: float = Field(0.02, ge=0, le=20)
    """Mean number of posts an hour of a member of the crowd."""
    sigma: float = Field(SIGMA, ge=0, le=5)
    """Standard deviation of the logarithm of these rates; at 2.12 a tenth of the members writes 80 % of the posts."""
    hours: tuple[HourWeight, ...] = Field(_DAY, min_length=24, max_length=24)
    """Activity in each hour of the day, in relation to the others."""
    comments: float = Field(0.2, gt=0, le=20)
    """Comments an hour of a persona who comments as readily as the crowd; twice as many double the odds of a comment."""
