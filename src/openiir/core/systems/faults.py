"""Faults of systems under test: which system, what was seen, what to do."""

from openiir.core.errors import EndpointError

LARGEST = 16 * 2**20
"""Bytes or characters of one answer at most."""
_SHOWN = 200


class SystemFault(EndpointError):
    """A system under test did not give a usable answer; `saw` and `remedy` are the message's two halves."""

    def __init__(self, label: str, saw: str, remedy: str) -> None:
        self.saw = saw
        self.remedy = remedy
        super().__init__(f"{label}: {saw}; {remedy}")


class ConnectionFailed(SystemFault):
    """No connection was made, so nothing was sent and a retry is safe."""


class ConnectionDropped(SystemFault):
    """The connection broke or the server failed (status 5xx) after the request may have been received."""


def too_long(label: str, what: str, most: int) -> SystemFault:
    """Make the fault of an answer of more than `most` bytes; `what` begins the sentence, such as "a line is"."""
    return SystemFault(label, f"{what} longer than {most // 2**20} MiB", "have the system answer with less")


def excerpt(text: str) -> str:
    """Quote the first 200 characters of a text, with control characters escaped."""
    shown = text[:_SHOWN]
    return repr(shown) + (f" ... ({len(text)} characters in all)" if len(text) > _SHOWN else "")
