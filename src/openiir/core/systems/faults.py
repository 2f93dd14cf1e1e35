"""Faults of systems under test: which system, what was observed, what to do; and retries as declared."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from openiir.core.errors import EndpointError
from openiir.core.systems.declaration import SystemSpec
from openiir.core.transport import GivenUp, Patience, TryFailed, call_with_retries

T = TypeVar("T")
LARGEST = 16 * 2**20
"""Most bytes or characters of one answer."""
_SHOWN = 200
_LONGEST_WAIT = 30.0


class SystemFault(EndpointError):
    """Raised if a system under test gave no usable answer: what was seen (`saw`), and `remedy`."""

    def __init__(self, label: str, saw: str, remedy: str) -> None:
        self.saw = self.what = saw
        self.remedy = remedy
        super().__init__(f"{label}: {saw}; {remedy}")


class ConnectionFailed(SystemFault, TryFailed):
    """Raised if no connection was made, so nothing was sent and a retry is safe."""


class ConnectionDropped(SystemFault, TryFailed):
    """Raised if the connection broke or the server failed (status 5xx), perhaps after the request arrived."""


async def call_with_tries(spec: SystemSpec, once: Callable[[], Awaitable[T]]) -> T:
    """Call `once` until it succeeds or the declared number of tries is reached; raises the last SystemFault.

    Every failed try is reported, also one that is not to be repeated.
    """
    try:
        return await call_with_retries(once, Patience(spec.tries, spec.backoff, _LONGEST_WAIT))
    except GivenUp as last:
        raise last.failure from None


def too_long(label: str, what: str, most: int) -> SystemFault:
    """Create the fault for an answer of more than `most` bytes; `what` is such as "a line is"."""
    return SystemFault(label, f"{what} longer than {most // 2**20} MiB", "have the system answer with less")


def bad_certificate(label: str, why: str) -> SystemFault:
    """Create the fault for a TLS certificate that is not accepted."""
    remedy = "correct the host in url, or have the system's certificate trusted (SSL_CERT_FILE)"
    return SystemFault(label, f"its certificate is not accepted ({why})", remedy)


def quote_start(text: str) -> str:
    """Quote the first 200 characters of a text, with control characters escaped."""
    shown = text[:_SHOWN]
    return repr(shown) + (f" ... ({len(text)} characters in all)" if len(text) > _SHOWN else "")
