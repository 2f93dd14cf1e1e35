"""Faults of systems under test: which system, what was observed, what to do."""

from openiir.core.errors import EndpointError

LARGEST = 16 * 2**20
"""Most bytes or characters of one answer."""
_SHOWN = 200


class SystemFault(EndpointError):
    """Raised if a system under test gave no usable answer; `saw` and `remedy` are the two parts of the message."""

    def __init__(self, label: str, saw: str, remedy: str) -> None:
        self.saw = saw
        self.remedy = remedy
        super().__init__(f"{label}: {saw}; {remedy}")


class ConnectionFailed(SystemFault):
    """Raised if no connection was made, so nothing was sent and a retry is safe."""


class ConnectionDropped(SystemFault):
    """Raised if the connection broke or the server failed (status 5xx) after it may have received the request."""


def too_long(label: str, what: str, most: int) -> SystemFault:
    """Create the fault for an answer of more than `most` bytes; `what` starts the message, such as "a line is"."""
    return SystemFault(label, f"{what} longer than {most // 2**20} MiB", "have the system answer with less")


def excerpt(text: str) -> str:
    """Quote the first 200 characters of a text, with control characters escaped."""
    shown = text[:_SHOWN]
    return repr(shown) + (f" ... ({len(text)} characters in all)" if len(text) > _SHOWN else "")
