"""Means over rows with missing values, which are left out and counted."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from openiir.core.records import Measure


class Average(NamedTuple):
    """Sum of values, with the numbers of rows with and without a value."""

    total: float
    counted: int
    dropped: int

    @classmethod
    def of(cls, values: ArrayLike) -> "Average":
        """Sum an array in which NaN stands for a missing value."""
        array = np.asarray(values, dtype=np.float64)
        there = ~np.isnan(array)
        return cls(float(array[there].sum()), int(there.sum()), int((~there).sum()))

    def measure(self, reason: str) -> Measure:
        """Compute the mean; NaN with the given reason where no row has a value."""
        return Measure(self.total / self.counted) if self.counted else Measure(math.nan, reason)
