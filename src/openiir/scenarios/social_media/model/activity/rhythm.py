"""When the members of a population are active: most by the hours of all, some by waking hours of their own."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from openiir.kit.arrays import Bools, Floats, Ints
from openiir.scenarios.social_media.model.activity.rates import average_profile, scale_profile


class DailyRhythm:
    """The waking hours of those members who have their own."""

    def __init__(self, members: int, awake: Mapping[int, Bools]) -> None:
        """`awake` has by member which of the 24 hours it is awake in; one with none is never active."""
        self._awake = awake
        self._sleeper = np.zeros(members, dtype=np.int64)
        self._sleeper[list(awake)] = np.arange(1, len(awake) + 1)
        self._until_awake = np.array([np.zeros(24), *map(_count_hours_until_awake, awake.values())])

    def share(self, hours: ArrayLike, start: float, minutes: float) -> Floats:
        """Compute how active each member is, in relation to its mean, in `minutes` minutes from the minute `start`; (N,).

        `hours` are the weights of the 24 hours for all who have no waking hours of their own.
        """
        share = np.full(len(self._sleeper), float(average_profile(scale_profile(hours), start, minutes)))
        for row, awake in self._awake.items():
            share[row] = average_profile(scale_profile(awake), start, minutes) if awake.any() else 0.0
        return share

    def wake(self, members: Ints, minutes: Floats) -> Floats:
        """Move minutes in which a member is asleep to the same minute of its next waking hour."""
        hour = (minutes // 60).astype(np.int64) % 24
        return minutes + 60.0 * self._until_awake[self._sleeper[members], hour]


def _count_hours_until_awake(awake: Bools) -> Floats:
    """Count for each hour of the day the hours until the next waking one: 0 in those and where there is none."""
    ahead = [next((n for n in range(24) if awake[(hour + n) % 24]), 0) for hour in range(24)]
    return np.array(ahead, dtype=np.float64)
