"""Scores in whole steps of 2^-20, and the best of them, ties to the smaller index."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

STEP = 2.0**-20
"""The grid that scores are rounded to, so that they rank alike everywhere."""
BLOCKED = -(2**29)
"""Steps of what may not be retrieved. Real scores stay far above, also where one is added to it or it to itself."""


def best(items: NDArray[Any], steps: NDArray[Any], k: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(rows, k): in each row the items of the highest scores and these scores, best first.

    Where a row has no k items left that are not blocked, the rest are BLOCKED.
    """
    # One whole number an item orders by score, then by index, and gives both back.
    keys = (steps.astype(np.int64) << 32) - items
    if k < keys.shape[1]:
        keys = np.partition(keys, keys.shape[1] - k, axis=1)[:, -k:]
    keys = np.sort(keys, axis=1)[:, ::-1]
    found = -keys & 0xFFFFFFFF
    scores = (keys + found) >> 32
    return found, np.where(scores > BLOCKED // 2, scores, BLOCKED)
