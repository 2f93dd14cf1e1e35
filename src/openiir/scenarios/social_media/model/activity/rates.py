"""Rates that differ between members and hours, and Poisson counts of what each does in a step.

A member with the mean rate r per hour acts N ~ Poisson(r a f t) times in a step of t hours, with a its hourly profile
averaged over the step (mean 1 over a day) and f a factor of the moment, such as a milestone.
"""

import numpy as np
from numpy.typing import ArrayLike

from openiir.kit.arrays import Floats, Ints
from openiir.plugin import Draw, InputError

SIGMA = 2.12
"""Standard deviation of log rates at which the top tenth acts 80 % of all times, as on Twitter (Pew Research, 2019):
the share is the normal distribution function at sigma - 1.2816. The Gini coefficient is .866."""
_DAY = 24 * 60


def draw_rates(draw: Draw, members: Ints, mean: float, sigma: float = SIGMA) -> Floats:
    """Draw each member's rate from a log-normal distribution with the mean `mean`; every rate is above 0.

    The draws are named by the members' rows. Raises InputError for a mean or a sigma below 0.
    """
    if not (0 <= mean < np.inf and 0 <= sigma < np.inf):
        raise InputError(f"rates with mean {mean} and sigma {sigma} were asked for; give numbers from 0")
    return np.asarray(mean * np.exp(draw.normal(sd=sigma, agent=members) - sigma * sigma / 2))


def scale_profile(weights: ArrayLike) -> Floats:
    """Scale weights of the 24 hours of a day, (24,) or one row for each group (G, 24), to a mean of 1.

    Hours may be 0 (asleep): the other hours make up for them, so that a profile moves activity and removes none.
    Raises InputError for weights that are no numbers from 0, and for a row without any hour above 0.
    """
    profile = np.asarray(weights, dtype=np.float64)
    if profile.ndim not in (1, 2) or profile.shape[-1] != 24:
        raise InputError(f"hourly weights have the shape {profile.shape}; give 24 weights, or rows of 24")
    if not (np.isfinite(profile).all() and (profile >= 0).all() and (profile.sum(axis=-1) > 0).all()):
        raise InputError("hourly weights are numbers from 0, at least one of them above 0; mend the profile")
    return np.asarray(profile / profile.mean(axis=-1, keepdims=True))


def average_profile(profile: Floats, start: float, minutes: float) -> Floats:
    """Average hourly profiles, (24,) or (G, 24), over `minutes` minutes from the minute `start`; () or (G,).

    Steps may begin at any minute, be shorter than an hour and longer than a day.
    """
    if not minutes > 0:
        raise InputError(f"a step of {minutes} minutes was asked for; give a number above 0")
    hours = np.concatenate((np.zeros((*profile.shape[:-1], 1)), np.cumsum(profile, axis=-1)), axis=-1)

    def total(minute: float) -> Floats:
        day, within = divmod(minute, _DAY)
        hour, part = divmod(within, 60)
        return np.asarray(
            60 * (day * hours[..., 24] + hours[..., int(hour)]) + part * profile[..., int(hour)]
        )

    return np.asarray((total(start + minutes) - total(start)) / minutes)
