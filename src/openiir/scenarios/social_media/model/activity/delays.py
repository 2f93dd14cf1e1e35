"""How long after a post members react to it: the kernel of human reaction times of SEISMIC.

Zhao, Erdogdu, He, Rajaraman & Leskovec (KDD 2015), measured on retweets: a constant density c up to s0 = 5 minutes, then
c (t / s0)^-(1 + theta). c is the number at which the density integrates to 1, 6.265725e-4 per second.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from openiir.kit.arrays import Floats, Ints
from openiir.plugin import Draw, InputError, order_by, quantise

THETA = 0.2314843
EARLY = 5.0
"""s0, minutes of constant density."""
DENSITY = THETA / (EARLY * (1 + THETA))
"""c, per minute."""


def reaction_share(minutes: ArrayLike) -> Floats:
    """Compute the share of all reactions that come within so many minutes of the post; 0 before it."""
    age = np.maximum(np.asarray(minutes, dtype=np.float64), 0.0)
    late = 1 - DENSITY * EARLY / THETA * (EARLY / np.maximum(age, EARLY)) ** THETA
    return np.asarray(np.where(age <= EARLY, DENSITY * age, late))


def reaction_quantile(share: ArrayLike) -> Floats:
    """Compute the minutes within which a share, from 0 to below 1, of all reactions comes: the inverse of the above."""
    part = np.asarray(share, dtype=np.float64)
    if not ((part >= 0) & (part < 1)).all():
        raise InputError("a share of all reactions is at least 0 and below 1; give such numbers")
    late = EARLY * ((1 - np.maximum(part, DENSITY * EARLY)) * THETA / (DENSITY * EARLY)) ** (-1 / THETA)
    return np.asarray(np.where(part <= DENSITY * EARLY, part / DENSITY, late))


def round_minutes(minutes: Any) -> Any:
    """Round moments of the simulated clock to the grid of 2^-10 minutes, 60 ms."""
    return quantise(minutes, 2.0**10)


def draw_delays(draw: Draw, members: Ints, posts: Ints) -> Floats:
    """Draw the minutes after which each member reacts to a post, if it does; named by member and post.

    The median is 40.6 minutes, and a fifth of all delays is longer than a day.
    """
    return reaction_quantile(draw.uniform(agent=members, item=posts))


def round_weights(rounds: int, minutes: float = 60.0, spread_births: bool = False) -> Floats:
    """Compute the shares of a post's reactions in each of the first `rounds` rounds of so many minutes.

    Rounds are counted by the post's age, or with `spread_births` by the clock, for posts that are born uniformly within
    their round: the average of the former over the moment of birth.
    """
    if rounds < 0 or not minutes > 0:
        raise InputError(
            f"{rounds} rounds of {minutes} minutes were asked for; give 0 or more, of some length"
        )
    ends: Floats = minutes * np.arange(rounds + 1.0)
    if not spread_births:
        return np.diff(reaction_share(ends))
    area = _area_under_share(ends) / minutes
    return np.diff(area, n=2, prepend=area[:1])


def _area_under_share(minutes: Floats) -> Floats:
    """Integrate `reaction_share` from 0."""
    early = np.minimum(minutes, EARLY)
    late = np.maximum(minutes, EARLY)
    tail = DENSITY * EARLY**2 / (THETA * (1 - THETA)) * ((late / EARLY) ** (1 - THETA) - 1)
    return np.asarray(DENSITY * early**2 / 2 + (late - EARLY) - tail)


def due_rows(minutes: Floats, start: float, end: float) -> Ints:
    """Find the rows that fall due from `start` to before `end`, earliest first, ties by row.

    Half of all reactions fall into the round of their post, so the order within a round matters: process rows in this
    one, and a reaction can itself be reacted to.
    """
    rows = np.flatnonzero((minutes >= start) & (minutes < end))
    return rows[order_by(minutes[rows])]
