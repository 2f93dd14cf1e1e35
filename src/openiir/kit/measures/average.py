"""Means over rows with missing values, which are dropped and counted, never taken for 0."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from openiir.core.records import Measure


class Average(NamedTuple):
    """A sum of values, with the numbers of rows counted and of rows without a value; averages of blocks add up."""

    total: float
    counted: int
    dropped: int

    @classmethod
    def of(cls, values: ArrayLike) -> "Average":
        """Of an array in which NaN stands for no value."""
        array = np.asarray(values, dtype=np.float64)
        there = ~np.isnan(array)
        return cls(float(array[there].sum()), int(there.sum()), int((~there).sum()))

    def __add__(self, other: object) -> "Average":  # type: ignore[override]
        if not isinstance(other, Average):
            return NotImplemented
        return Average(self.total + other.total, self.counted + other.counted, self.dropped + other.dropped)

    def measure(self, reason: str) -> Measure:
        """The mean; NaN for the reason given where no row had a value."""
        return Measure(self.total / self.counted) if self.counted else Measure(math.nan, reason)
