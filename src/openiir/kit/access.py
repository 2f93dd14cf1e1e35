"""Access to sources: who is served where they serve no more than so many, and a log of requests and reads."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openiir.kit.arrays import Bools, Floats, Ints
from openiir.kit.cast_rows import cast_rows
from openiir.kit.text_tables import read_definitions
from openiir.plugin import Column, Draw, Entry, Lane, Log, Measure, Table, order_by, ratio

NOWHERE = -1
"""Source of an agent that asks for none."""
ACCESSES = "accesses"
"""Name of the table of requests."""
ACCESS_SHARES = read_definitions("""
outcome | mean outcome | what requests brought; one that was turned away, and none at all, bring 0
denied | turned away | share of requests that are turned away | 0 to 1
useful | useful reads | of choices with something recalled, share of a better source than without | 0 to 1
harmful | harmful reads | of choices with something recalled, share of a worse source than without | 0 to 1
stale | stale reads | of what was recalled, share that had gone out of date | 0 to 1
""")
"""Labels and definitions of what `AccessLog.shares` computes."""


def grant_access(wanted: Ints, capacity: Ints, draw: Draw) -> Bools:
    """Draw whose requests are granted, in the shape of `wanted`: each source serves up to its capacity.

    `wanted` is the source that each agent asks for, (agents,), or the several that it asks for, (agents,
    requests), or NOWHERE, which grants nothing; `capacity` holds for each source how many it serves, a random
    choice of those who ask. An agent's place in a queue is a draw by its row, and by the source where it asks
    for several, so that it is the same in every arm.
    """
    rows = np.arange(len(wanted))
    place = draw.uniform(agent=rows)
    if wanted.ndim > 1:
        place = draw.uniform(agent=rows[:, None], item=np.maximum(wanted, 0))
    requests = wanted.ravel()
    order = order_by(requests, place.ravel())
    asked = requests[order]
    first = np.searchsorted(asked, asked, side="left")
    served = (asked != NOWHERE) & (np.arange(len(asked)) - first < np.take(capacity, np.maximum(asked, 0)))
    granted = np.empty(len(asked), dtype=np.bool_)
    granted[order] = served
    return granted.reshape(wanted.shape)


def log_accesses(
    lane: Lane,
    arm: str,
    members: Ints,
    *,
    source: Ints,
    granted: Bools,
    outcome: Floats,
    read: Ints,
    stale: Ints,
    gain: Floats,
    **more: NDArray[Any],
) -> None:
    """Log one request by each of these members in this step, with what it rests on and what it brought.

    `read` is the number of memories recalled before choosing the source, `stale` that of those which had gone
    out of date, and `gain` the worth of this source less that of the one that would have been chosen without
    them. `more` are further columns.
    """
    own = {"source": source, "granted": granted, "outcome": outcome, "read": read, "stale": stale}
    lane.columns(ACCESSES, {"step": lane.step, "arm": arm, "member": members, **own, "gain": gain, **more})


class AccessLog:
    """The table of requests, by arm and column as arrays (steps, members)."""

    def __init__(self, log: Log) -> None:
        self._columns = log.columns(ACCESSES)
        self._shape = (
            max(self._columns["step"].tolist(), default=0) if self._columns else 0,
            log.members.size,
        )
        self._rows: dict[str, NDArray[Any]] = {}

    def of(self, column: str, arm: str, members: Bools | None = None) -> NDArray[Any]:
        """Return a column of an arm, of all members or those of a mask.

        It holds 0 (source: NOWHERE) where a member asked nothing.
        """
        found = np.full(self._shape, NOWHERE if column == "source" else 0)
        if self._columns:
            if arm not in self._rows:
                self._rows[arm] = np.flatnonzero(self._columns["arm"] == arm)
            rows = self._rows[arm]
            found = found.astype(self._columns[column].dtype)
            place = self._columns["step"][rows] - 1, self._columns["member"][rows]
            found[place] = self._columns[column][rows]
        return found if members is None else found[:, members]

    def shares(self, arm: str, members: Bools | None = None) -> dict[str, Measure]:
        """Compute each of ACCESS_SHARES for an arm, or those of its members in a mask."""
        names = ("source", "granted", "outcome", "read", "stale", "gain")
        source, granted, outcome, read, stale, gain = (self.of(name, arm, members) for name in names)
        asked, recalled = source != NOWHERE, read > 0
        nothing = "nothing was recalled"
        return {
            "outcome": ratio(float(outcome.sum()), outcome.size, "there are no requests"),
            "denied": ratio(int(asked.sum()) - int(granted.sum()), int(asked.sum()), "there are no requests"),
            "useful": ratio(int((gain[recalled] > 0).sum()), int(recalled.sum()), nothing),
            "harmful": ratio(int((gain[recalled] < 0).sum()), int(recalled.sum()), nothing),
            "stale": ratio(int(stale.sum()), int(read.sum()), nothing),
        }


def tabulate_accesses(log: Log, groups: Mapping[str, tuple[str, Bools | None]]) -> Table:
    """Tabulate the ACCESS_SHARES of groups: each an arm, and a mask of its members or None for all."""
    access = AccessLog(log)
    rows = [(group, *(one.value for one in access.shares(*who).values())) for group, who in groups.items()]
    columns = [Column(name=label, kind="float", help=words) for label, words, *_ in ACCESS_SHARES.values()]
    return Table(columns=("group", *columns), rows=tuple(rows))


def list_accesses(
    log: Log, arm: str, word: Callable[[Mapping[str, Any]], str], since: int = 0, agent: str | None = None
) -> list[Entry]:
    """List the requests of members with a persona in an arm; `word` says what one asked, from its row."""
    found = []
    for row, who in cast_rows(log, log.columns(ACCESSES, since=since), agent):
        if row["arm"] == arm and row["source"] != NOWHERE:
            got = f"{row['outcome']:.2f}" if row["granted"] else "turned away"
            notes = (f"recalled {row['read']}, {row['stale']} of them out of date",) if row["read"] else ()
            found.append(Entry(text=f"{word(row)} ({got})", notes=notes, **who))
    return found
