"""Circuit breaker of an endpoint: once a call has failed for good, further calls fail at once."""

from dataclasses import dataclass

from openiir.core.errors import EndpointError


@dataclass
class CircuitBreaker:
    """A circuit breaker; the first call given up after retries opens it, a refused request does not."""

    reason: str = ""
    """Why the circuit breaker opened; empty while it is closed."""

    def check(self) -> None:
        """Raise EndpointError if the circuit breaker is open."""
        if self.reason:
            raise EndpointError(f"not asked any more, since an earlier call was given up: {self.reason}")
