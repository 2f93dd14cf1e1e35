"""Events: the entries of a run's log."""

from typing import Any

from openiir.core.records.record import Record


class Event(Record):
    """One entry of the log: a kind and a payload of any JSON form."""

    seq: int
    """Position in the log, from 1."""
    step: int
    lane: str
    """The lane it happened in; `main` outside any."""
    kind: str
    actor: str | None
    """An agent's id; None for the platform itself."""
    payload: dict[str, Any]
