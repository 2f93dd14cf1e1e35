"""Integer sums that are equal on every Python: the built-in `sum` rounds floats differently since 3.12."""

from collections.abc import Iterable
from typing import Any


def int_sum(values: Iterable[Any]) -> int:
    """Sum integers or truth values.

    Raises TypeError for floats: they are added by `math.fsum`, `statistics.fmean` or in arrays.
    """
    total = sum(values)
    if isinstance(total, float):
        raise TypeError("int_sum adds whole numbers; add floats by math.fsum")
    return int(total)
