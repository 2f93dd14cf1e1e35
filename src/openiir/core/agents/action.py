"""Platform actions of agents, as entries of the log."""

from collections.abc import Iterator
from typing import ClassVar, Self

from openiir.core.records import Event, Record
from openiir.core.storage import Log


class Action(Record):
    """A platform action; its fields are the payload of its log entry."""

    kind: ClassVar[str]
    """`type.action`, such as `panel.speak`."""

    @classmethod
    def read(cls, log: Log, **narrowed: object) -> Iterator[tuple[Event, Self]]:
        """Iterate over the actions of this kind in a log, each with its event; filter by `since`, `until`, `actor`."""
        for event in log.events(cls.kind, **narrowed):  # type: ignore[arg-type]
            yield event, cls.model_validate(event.payload)
