"""Agents' platform actions (speak, post, rate and the like), stored as events in the run's log."""

from collections.abc import Iterator
from typing import ClassVar, Self

from openiir.core.records import Event, Record
from openiir.core.storage import Log


class Action(Record):
    """Base class of platform actions; a subclass's fields are the payload of its event."""

    kind: ClassVar[str]
    """Event kind in the form `type.action`, such as `panel.speak`."""

    @classmethod
    def read(cls, log: Log, **narrowed: object) -> Iterator[tuple[Event, Self]]:
        """Iterate over the log's actions of this kind, each with its event; filter by `since`, `until`, `actor`."""
        for event in log.events(cls.kind, **narrowed):  # type: ignore[arg-type]
            yield event, cls.model_validate(event.payload)
