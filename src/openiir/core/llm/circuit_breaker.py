"""Circuit breaker of an endpoint: after one call was given up, further calls fail at once."""

from dataclasses import dataclass

from openiir.core.errors import EndpointError


@dataclass
class CircuitBreaker:
    """A circuit breaker, opened by the first call that was given up; a refused request does not open it."""

    reason: str = ""
    """Why it was opened; empty while it is closed."""

    def check(self) -> None:
        """Raise EndpointError once it is open."""
        if self.reason:
            raise EndpointError(f"not asked any more, since an earlier call was given up: {self.reason}")
