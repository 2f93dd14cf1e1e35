"""What members of the cast did, of tables with rows of many members, for timelines."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openiir.plugin import Log, order_by


def cast_rows(
    log: Log, columns: Mapping[str, NDArray[Any]], agent: str | None = None, by_member: bool = False
) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield the rows of members with a persona, or of one `agent`, from a table's columns.

    They come in the table's order, or `by_member` within each step. A row is given by column, and beside it
    `step`, `actor` and `agent` of its `Entry`. The columns `step` and `member` are needed; there may be none
    at all.
    """
    members = log.members
    cast = [row for row in members.personas if agent in (None, members.id(row))]
    rows = np.flatnonzero(np.isin(columns.get("member", ()), cast))
    if by_member and rows.size:
        rows = rows[order_by(columns["step"][rows], columns["member"][rows])]
    for n in rows.tolist():
        row = {name: column[n : n + 1].tolist()[0] for name, column in columns.items()}
        who = row["member"]
        yield row, {"step": row["step"], "actor": members.name(who), "agent": members.id(who)}
