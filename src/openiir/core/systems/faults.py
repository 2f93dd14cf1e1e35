"""What can go wrong with a system under test, told in three parts: which system, what is so, what to do."""

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


class Unreached(SystemFault):
    """No connection came about, so nothing was sent and another try cannot be heard twice."""


class Dropped(SystemFault):
    """No answer came where something may have been heard: the connection broke, or the server failed (status 5xx)."""


def excerpt(text: str) -> str:
    """The first 200 characters, control characters shown as escapes, for quoting in a message."""
    shown = text[:_SHOWN]
    return repr(shown) + (f" ... ({len(text)} characters in all)" if len(text) > _SHOWN else "")
