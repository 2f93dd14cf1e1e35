"""A circuit breaker: once a call was given up, its endpoint counts as dead and waiting calls fail at once."""

from dataclasses import dataclass

from openiir.core.errors import EndpointError


@dataclass
class CircuitBreaker:
    """Closed until a call was given up; the refusal of one request does not open it."""

    reason: str = ""
    """Why it was opened; empty while it is closed."""

    def check(self) -> None:
        """Raise EndpointError once it is open."""
        if self.reason:
            raise EndpointError(f"not asked any more, since an earlier call was given up: {self.reason}")
