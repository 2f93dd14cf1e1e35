"""How often members act and at which hours, how long after a post they react, and what they write in numbers.

Reaction times are those of SEISMIC (Zhao, Erdogdu, He, Rajaraman & Leskovec, KDD 2015), measured on retweets:
a constant density c up to s0 = 5 minutes, then c (t / s0)^-(1 + theta). c is the number at which the density
integrates to 1, 6.265725e-4 per second.
"""

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike
from pydantic import Field

from openiir.kit.arrays import Bools, Floats, Ints
from openiir.plugin import ConfigTable, Draw, order_by, quantise

SIGMA = 2.12
"""Standard deviation of log rates at which the top tenth acts 80 % of all times (Pew Research, 2019).

The share is the normal distribution function at sigma - 1.2816. The Gini coefficient is .866."""
_DAY = 24 * 60


def draw_rates(draw: Draw, members: Ints, mean: float, sigma: float = SIGMA) -> Floats:
    """Draw each member's posting rate from a log-normal distribution with this mean."""
    return np.asarray(mean * np.exp(draw.normal(sd=sigma, agent=members) - sigma * sigma / 2))


def scale_profile(weights: ArrayLike) -> Floats:
    """Scale weights of the 24 hours of a day to a mean of 1.

    Hours may be 0 (asleep): the others make up for them, so that a profile moves activity and removes none.
    """
    profile = np.asarray(weights, dtype=np.float64)
    return np.asarray(profile / profile.mean())


def average_profile(profile: Floats, start: float, minutes: float) -> float:
    """Average an hourly activity profile over `minutes` minutes from the minute `start` on."""
    hours = np.append(0.0, np.cumsum(profile))

    def total(minute: float) -> float:
        day, within = divmod(minute, _DAY)
        hour, part = divmod(within, 60)
        return float(60 * (day * hours[24] + hours[int(hour)]) + part * profile[int(hour)])

    return (total(start + minutes) - total(start)) / minutes


class DailyRhythm:
    """The waking hours of those members who have their own."""

    def __init__(self, members: int, awake: Mapping[int, Bools]) -> None:
        """`awake` has by member which of the 24 hours it is awake in; one with none is never active."""
        self._awake = awake
        self._sleeper = np.zeros(members, dtype=np.int64)
        self._sleeper[list(awake)] = np.arange(1, len(awake) + 1)
        until = [
            [next((n for n in range(24) if own[(hour + n) % 24]), 0) for hour in range(24)]
            for own in awake.values()
        ]
        self._until_awake: Floats = np.array([[0] * 24, *until], dtype=np.float64)
        """Hours until the next waking one, by sleeper and hour; 0 in those and where there is none."""

    def relative_activity(self, hours: ArrayLike, start: float, minutes: float) -> Floats:
        """Compute each member's activity in the minutes from `start` on, relative to its daily mean; (N,).

        `hours` are the weights of the 24 hours for all who have no waking hours of their own.
        """
        share = np.full(len(self._sleeper), average_profile(scale_profile(hours), start, minutes))
        for row, awake in self._awake.items():
            share[row] = average_profile(scale_profile(awake), start, minutes) if awake.any() else 0.0
        return share

    def postpone_to_waking(self, members: Ints, minutes: Floats) -> Floats:
        """Postpone minutes in which a member sleeps to the same minute of its next waking hour."""
        hour = (minutes // 60).astype(np.int64) % 24
        return minutes + 60.0 * self._until_awake[self._sleeper[members], hour]


HourWeight = Annotated[float, Field(ge=0, le=1_000)]
_HOURS = (0.4, 0.3, 0.2, 0.2, 0.2, 0.3, 0.5, 0.8, *[1.1] * 10, *[1.6] * 4, 1.2, 0.8)


class ActivityRule(ConfigTable):
    """How often members of the crowd post, and when; a persona's own activity profile takes its place."""

    posts: float = Field(0.02, ge=0, le=20)
    """Mean number of posts an hour of a member of the crowd."""
    sigma: float = Field(SIGMA, ge=0, le=5)
    """Standard deviation of log rates; at 2.12 a tenth of the members writes 80 % of the posts."""
    hours: tuple[HourWeight, ...] = Field(_HOURS, min_length=24, max_length=24)
    """Activity in each hour of the day, in relation to the others."""
    comments: float = Field(0.2, gt=0, le=20)
    """Comments an hour of a persona as ready to comment as the crowd; twice as many double the odds."""


class WritingRule(ConfigTable):
    """What posts of the crowd are like, in numbers."""

    stance: float = Field(0.8, ge=0, le=1)
    """Weight of the author's stance in the valence of a post."""
    noise: float = Field(0.2, ge=0, le=2)
    """Standard deviation of what else goes into the valence."""
    worded: float = Field(0.0, ge=0, le=1)
    """Share of the crowd's posts that get a text, made from their numbers, whose claims are extracted."""

    def draw(self, stance: Floats, bias: Floats, draw: Draw) -> dict[str, Floats]:
        """Draw valence, novelty and arousal of posts from their authors' stance and bias; our design.

        Valence is the weighted stance plus bias and noise; arousal grows with its size.
        """
        valence = np.clip(self.stance * stance + bias + draw.at("valence").normal(sd=self.noise), -1, 1)
        arousal = (np.abs(valence) + draw.at("arousal").uniform()) / 3
        return {"valence": valence, "novelty": 0.6 * draw.at("novelty").uniform(), "arousal": arousal}


THETA = 0.2314843
EARLY = 5.0
"""s0, minutes of constant density."""
DENSITY = THETA / (EARLY * (1 + THETA))
"""c, per minute."""


def reaction_share(minutes: ArrayLike) -> Floats:
    """Compute the share of all reactions that come within these minutes after the post; 0 before it."""
    age = np.maximum(np.asarray(minutes, dtype=np.float64), 0.0)
    late = 1 - DENSITY * EARLY / THETA * (EARLY / np.maximum(age, EARLY)) ** THETA
    return np.asarray(np.where(age <= EARLY, DENSITY * age, late))


def reaction_quantile(share: ArrayLike) -> Floats:
    """Compute the minutes within which a share of all reactions comes: the inverse of `reaction_share`."""
    part = np.asarray(share, dtype=np.float64)
    late = EARLY * ((1 - np.maximum(part, DENSITY * EARLY)) * THETA / (DENSITY * EARLY)) ** (-1 / THETA)
    return np.asarray(np.where(part <= DENSITY * EARLY, part / DENSITY, late))


def round_minutes(minutes: Any) -> Any:
    """Round times of the simulated clock to the grid of 2^-10 minutes, 60 ms."""
    return quantise(minutes, 2.0**10)


def draw_delays(draw: Draw, members: Ints, posts: Ints) -> Floats:
    """Draw the delay in minutes until each member would react to a post; draws are keyed by member and post.

    The median is 40.6 minutes, and a fifth of all delays is longer than a day.
    """
    return reaction_quantile(draw.uniform(agent=members, item=posts))


def select_due_rows(minutes: Floats, start: float, end: float) -> Ints:
    """Find the rows whose minute is from `start` to before `end`, earliest first, ties by row."""
    rows = np.flatnonzero((minutes >= start) & (minutes < end))
    return rows[order_by(minutes[rows])]
