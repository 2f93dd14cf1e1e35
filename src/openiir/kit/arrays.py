"""Names of the types of arrays, and the numbering of rows within groups."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Int32s = NDArray[np.int32]
"""Columns of which there may be many millions of rows."""


def number_within(groups: Ints) -> Ints:
    """Number the rows of each group from 0; rows of one group, equal in `groups`, are adjacent."""
    first = np.flatnonzero(np.append(True, np.diff(groups) != 0)[: len(groups)])
    sizes = np.diff(np.append(first, len(groups)))
    return np.arange(len(groups)) - np.repeat(first, sizes)
