"""Find where a step that is executed again differs from the recorded one."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

from openiir.core.hashing import canonical
from openiir.core.storage import Log, RunFile, StepRows, TableRows, table_difference

_SHOWN = 300


def first_difference(recorded: RunFile, rows: StepRows) -> str:
    """Describe the first entry in which a step's new rows differ from the recorded ones."""
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
    for what, (was, now) in stored.items():
        spelt = ((canonical(list(e) if isinstance(e, tuple) else e) for e in side) for side in (was, now))
        for n, (old, new) in enumerate(zip_longest(*spelt), start=1):
            if old != new:
                return f"step {step}, {what} {n}: the record has {_short(old)}, this run {_short(new)}"
    found = _table_difference(recorded, rows)
    if found is not None:
        return f"step {step}, {found}"
    return f"step {step}: the passages that searches brought are not those on record"


def _table_difference(recorded: RunFile, rows: StepRows) -> str | None:
    parts = dict(
        recorded.db.execute("select tbl, file from part where step = ? order by tbl", (rows.number,))
    )
    for name in sorted(parts.keys() | rows.tables.keys()):
        found = table_difference(recorded.folder, parts.get(name), rows.tables.get(name) or TableRows(name))
        if found is not None:
            row, column, old, new = found
            which = f", column {column}" if column else ""
            told = f"the record has {_short(old)}, this run {_short(new)}"
            return f"row {row} of the table {name}{which}: {told}"
    return None


def _short(text: str | None) -> str:
    if text is None:
        return "none"
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."
