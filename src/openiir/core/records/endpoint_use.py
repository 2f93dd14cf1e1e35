"""Limits that all runs on a machine keep together for one endpoint, and what was granted under them."""

from typing import Literal, NamedTuple

from pydantic import Field

from openiir.core.records.record import Record


class RateLimits(NamedTuple):
    """Most requests and tokens within any stretch of time; None for no limit."""

    requests: int | None = None
    tokens: int | None = None
    window: float = 60.0
    """Seconds of the stretch."""


class RateGrant(NamedTuple):
    """How many of the requests that wait may be sent now, and when to ask for the others."""

    granted: int
    slot: int
    """Slot of time to which they are counted."""
    wait: float = 0.0
    """Seconds after which to ask again, if requests are left."""
    reason: str = ""
    """What they wait for: `requests`, `tokens`, the end of a `pause` that the endpoint asked for; empty for
    runs that came before."""


class SpendingLimit(Record):
    """Most money that all runs on a machine together spend at one endpoint."""

    money: float = Field(ge=0.0)
    """In the currency of the endpoint's prices."""
    per: Literal["day", "month", "ever"] = "month"
    """Days and months of the calendar in UTC."""

    @property
    def when(self) -> str:
        """The present stretch of time in words, after a space; empty for one without end."""
        return "" if self.per == "ever" else f" this {self.per} (UTC)"
