"""Events: the entries of a run's log."""

from typing import Any

from openiir.core.records.record import Record


class Event(Record):
    """One entry of the run's log: a kind and a JSON payload."""

    seq: int
    """Position in the log, from 1."""
    step: int
    lane: str
    """Lane of the event; `main` outside of concurrent lanes."""
    kind: str
    actor: str | None
    """Id of the acting agent; None for the platform itself."""
    payload: dict[str, Any]
