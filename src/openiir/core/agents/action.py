"""Agents' platform actions (speak, post, rate and the like), stored as events in the run's log."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from openiir.core.records import Event, Record
from openiir.core.storage import Log

_DTYPES: dict[Any, str] = {int: "int64", float: "float64", bool: "bool"}


class Action(Record):
    """Base class of platform actions; a subclass's fields are the payload of its event."""

    kind: ClassVar[str]
    """Event kind in the form `type.action`, such as `panel.speak`."""
    describes: ClassVar[tuple[str, ...]] = ()
    """Fields that describe a person; an export without personas leaves such events out."""

    @classmethod
    def read(cls, log: Log, **narrowed: object) -> Iterator[tuple[Event, Self]]:
        """Iterate over the log's actions of this kind with their events, `narrowed` as in `Log.events`."""
        for event in log.events(cls.kind, **narrowed):  # type: ignore[arg-type]
            yield event, cls.model_validate(event.payload)

    @classmethod
    def table(cls) -> str:
        """Return the name of the log's table for actions that many members took at once (`Lane.act_all`)."""
        return cls.kind.translate({ord(sign): "_" for sign in ".-"})

    @classmethod
    def columns(
        cls, log: Log, names: Sequence[str] | None = None, *, since: int = 0, member: int | None = None
    ) -> dict[str, NDArray[Any]]:
        """Read the actions of many members as columns: `step`, `member` (row number), fields (or `names`).

        `member` narrows it to one member. Before the first such action the columns are empty, of the fields'
        types.
        """
        wanted = ["step", "member", *cls.model_fields] if names is None else list(names)
        found = log.columns(cls.table(), [*wanted, "member"], since=since)
        if not found:
            types = {name: field.annotation for name, field in cls.model_fields.items()}
            return {name: np.zeros(0, _DTYPES.get(types.get(name, int), object)) for name in wanted}
        own = slice(None) if member is None else found["member"] == member
        return {name: found[name][own] for name in wanted}
