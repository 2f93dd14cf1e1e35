"""Simulated time, counted in whole minutes since the start of a run, which begins on day 1 at 00:00."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Minutes = TypeVar("Minutes", int, NDArray[np.int64])
"""A number of minutes, or an array of them."""

CLOCK = "clock"
"""Kind of the event that states the simulated time at the end of a step."""


def hour_of_day(minute: Minutes) -> Minutes:
    """Return the hour of the day, 0 to 23, of a minute since the start; arrays give arrays."""
    return minute // 60 % 24


def time_text(minute: int) -> str:
    """Write a minute since the start as day and time of day, such as `day 2, 14:00`."""
    return f"day {minute // 1_440 + 1}, {hour_of_day(minute):02}:{minute % 60:02}"


def timed_label(label: str, minute: int | None) -> str:
    """Add the simulated time, if there is one, to a step's label."""
    return label if minute is None else f"{label} ({time_text(minute)})"
