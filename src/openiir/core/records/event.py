"""The open envelope of everything that happens in a run."""

from typing import Any

from openiir.core.records.record import Record


class Event(Record):
    """One entry of the log."""

    seq: int
    """Position in the log, from 1."""
    step: int
    lane: str
    """The lane it happened in; `main` outside any."""
    kind: str
    actor: str | None
    """An agent's id; None for the platform itself."""
    payload: dict[str, Any]
