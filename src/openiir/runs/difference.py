"""Where a step that is executed again departs from the one on record."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

from openiir.core.hashing import canonical
from openiir.core.storage import Log, RunFile, StepRows

_SHOWN = 300


def first_difference(recorded: RunFile, rows: StepRows) -> str:
    """The first entry of a step that is not as recorded, in words."""
    step = rows.number
    sql = "select lane, kind, actor, payload from event where step = ? order by seq"
    events = [tuple(row) for row in recorded.db.execute(sql, (step,))]
    log = Log(recorded, until=step)
    stored: dict[str, tuple[Sequence[Any], Sequence[Any]]] = {
        "event": (events, rows.events),
        "search": ([s for s in log.searches() if s.step == step], rows.searches),
        "claim": (log.claims(since=step - 1), rows.claims),
        "edge": (log.edges(since=step - 1), rows.edges),
    }
    names = {name for (name,) in recorded.db.execute("select tbl from part where step = ?", (step,))}
    for name in sorted(names | set(rows.tables)):
        stored[f"row of the table {name}"] = (log.table(name, since=step - 1), rows.tables.get(name, []))
    for what, (was, now) in stored.items():
        for n, (old, new) in enumerate(zip_longest(map(_spelled, was), map(_spelled, now)), start=1):
            if old != new:
                return f"step {step}, {what} {n}: the record has {_short(old)}, this run {_short(new)}"
    return f"step {step}: the passages that searches brought are not those on record"


def _spelled(entry: Any) -> str:
    return canonical(list(entry) if isinstance(entry, tuple) else entry)


def _short(text: str | None) -> str:
    if text is None:
        return "none"
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."
