"""Means over users of one number each, so that active users do not weigh more."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from openiir.core.records.measure import UNBOUNDED, Bounds
from openiir.kit.statistics.estimate import t_interval
from openiir.kit.statistics.statistic import Undefined
from openiir.plugin import InputError, Measure


class UserMean(NamedTuple):
    """Mean over users who have a value, with an interval."""

    value: float = math.nan
    low: float = math.nan
    high: float = math.nan
    standard_error: float = math.nan
    """Standard error: standard deviation over users (n - 1) by the root of their number; NaN for one user."""
    users: int = 0
    """Number of users with a value."""
    without: int = 0
    """Number of users without a value, who are left out and not counted as 0."""
    reason: str | None = None
    """Why there is no value, or no interval."""

    @property
    def measure(self) -> Measure:
        """The mean as a `Measure`."""
        return Measure(self.value, self.reason if math.isnan(self.value) else None)


def over_users(values: ArrayLike, why: str, level: float = 0.95, bounds: Bounds = UNBOUNDED) -> UserMean:
    """Average one number for each user, leaving out NaN.

    `why` says what a user without a number lacks. The interval is Student's t, within the bounds of the
    values (`t_interval`): with users by the hundred the mean is as good as normal, and a bootstrap gives the
    same at a thousand times the cost.
    """
    column = np.asarray(values, dtype=np.float64)
    if column.ndim != 1:
        raise InputError(f"one number a user is needed, got shape {column.shape}")
    if np.isinf(column).any():
        raise InputError(f"user {int(np.isinf(column).argmax())} has an infinite value; NaN stands for none")
    there = column[~np.isnan(column)]
    n, without = len(there), int(np.isnan(column).sum())
    if not n:
        reason = f"none of {without} users has a value: {why}" if without else "there are no users"
        return UserMean(without=without, reason=reason)
    mean = float(there.mean())
    if n == 1:
        return UserMean(mean, users=1, without=without, reason="1 user; an interval needs at least 2")
    if there.min() == there.max():
        reason = f"all {n} users have {there[0]:g}, so there is no spread to judge by"
        return UserMean(mean, standard_error=0.0, users=n, without=without, reason=reason)
    error = float(there.std(ddof=1)) / math.sqrt(n)
    try:
        found = t_interval(there, level, bounds)
    except Undefined as beyond:
        return UserMean(mean, standard_error=error, users=n, without=without, reason=str(beyond))
    return UserMean(mean, found.low, found.high, error, n, without)
