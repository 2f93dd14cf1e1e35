"""A log limited to what one agent did and heard, for checking interviews."""

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openiir.core.errors import InputError
from openiir.core.records import Claim, Edge, Event, Search
from openiir.core.storage import Log, RunFile


class OwnLog(Log):
    """A run's log as one agent knows it: own and platform events, and others' actions of kinds `heard`."""

    def __init__(self, run: RunFile, agent: str, heard: Collection[str] = ()) -> None:
        super().__init__(run)
        self._heard = heard
        self._others = {p.id for p in self.personas} - {agent}

    def events(self, kind: str | None = None, **narrowed: Any) -> Iterator[Event]:
        """Yield the events of the agent and of the platform, and those that the agent heard."""
        found = super().events(kind, **narrowed)
        return (event for event in found if event.actor not in self._others or event.kind in self._heard)

    def claims(self, *, since: int = 0) -> list[Claim]:
        """List the claims of the agent."""
        return [claim for claim in super().claims(since=since) if claim.speaker not in self._others]

    def edges(self, *, since: int = 0) -> list[Edge]:
        """List the edges between claims of the agent."""
        own = {claim.id for claim in self.claims()}
        return [edge for edge in super().edges(since=since) if {edge.source, edge.target} <= own]

    def searches(self) -> list[Search]:
        """List the searches of the agent."""
        return [search for search in super().searches() if search.asker not in self._others]

    def table(self, name: str, *, since: int = 0) -> list[dict[str, Any]]:
        """List the rows of a table that name no other agent."""
        rows = super().table(name, since=since)
        return [r for r in rows if not self._others & {v for v in r.values() if isinstance(v, str)}]

    def columns(
        self, name: str, names: Sequence[str] | None = None, *, since: int = 0
    ) -> dict[str, NDArray[Any]]:
        """Return the columns of a table, without the rows that name another agent."""
        whole = super().columns(name, since=since)
        own = np.ones(len(next(iter(whole.values()), ())), dtype=bool)
        for column in whole.values():
            if column.dtype == object:
                own &= ~np.isin(column, sorted(self._others))
        asked = super().columns(name, names, since=since)
        return {wanted: column[own] for wanted, column in asked.items()}

    def parts(self, name: str, *, since: int = 0) -> list[Path]:
        """Refuse to list a table's files by raising InputError: they hold the rows of all agents."""
        raise InputError(
            f"an interview rests on the agent's own rows of {name!r}, which no file holds: use columns"
        )
