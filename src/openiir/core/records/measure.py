"""Measures: a number, or a reason why it is undefined."""

import math
from typing import NamedTuple

Bounds = tuple[float, float]
"""Lowest and highest value that a measure can have."""
UNBOUNDED: Bounds = (-math.inf, math.inf)


class Measure(NamedTuple):
    """A measured value, or NaN with a reason if undefined."""

    value: float
    reason: str | None = None

    @property
    def defined(self) -> bool:
        return not math.isnan(self.value)

    def as_json(self) -> dict[str, float | str | None]:
        """Convert to `{"value": number or null, "reason": text or null}`, since JSON has no NaN."""
        return {"value": self.value if self.defined else None, "reason": self.reason}


def undefined_measure(reason: str) -> Measure:
    """Create an undefined measure with its reason."""
    return Measure(math.nan, reason)


def ratio(part: float, whole: float, reason: str) -> Measure:
    """Compute part / whole; undefined, with this reason, if whole is 0."""
    return Measure(part / whole) if whole else undefined_measure(reason)
