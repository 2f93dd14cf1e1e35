"""A measured number, or the reason why there is none."""

import math
from typing import NamedTuple


class Measure(NamedTuple):
    """A value; where it is undefined the value is NaN and the reason says why."""

    value: float
    reason: str | None = None

    @property
    def defined(self) -> bool:
        return not math.isnan(self.value)

    def as_json(self) -> dict[str, float | str | None]:
        """`{"value": number or null, "reason": text or null}`: JSON has no NaN."""
        return {"value": self.value if self.defined else None, "reason": self.reason}


def undefined(reason: str) -> Measure:
    """A measure that has no value, and why."""
    return Measure(math.nan, reason)


def ratio(part: float, whole: float, reason: str) -> Measure:
    """part / whole, undefined for the reason given where whole is 0."""
    return Measure(part / whole) if whole else undefined(reason)
