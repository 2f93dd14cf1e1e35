"""Populations: the members of a run, cast and crowd, with their state in columns."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openiir.core.agents.agent import Agent
from openiir.core.agents.crowd import Crowd, Parallelism
from openiir.core.errors import InputError
from openiir.core.grid import round_floats
from openiir.core.storage import Members

PRESENT = "present"
"""Name of the column that tells who has not left."""
_PREFIX = "population."
"""Beginning of the names under which a checkpoint stores columns."""


class Population(Members):
    """Members of a run, numbered by rows from 0: the cast in its order, then the crowd.

    State is held in columns, arrays with one entry or row for each member (`column`). Every checkpoint stores
    them, so that they need not be given to `Stage.keep`.
    """

    def __init__(
        self,
        members: Members,
        agents: Mapping[int, Agent],
        spread: Parallelism | None = None,
        restored: Mapping[str, NDArray[Any]] | None = None,
    ) -> None:
        super().__init__(members.size, members.word, members.personas)
        self.crowd = Crowd(members.size, spread)
        """The members as a crowd, for work in blocks."""
        self.agents = dict(agents)
        """Members with a persona, by row; their draws have the row as key, as if they had none."""
        self.columns: dict[str, NDArray[Any]] = {}
        self._restored = restored
        for row, agent in self.agents.items():
            agent.key = row
        self.present = self.column(PRESENT, np.ones(self.size, dtype=np.bool_))
        """Mask of the members who have not left."""

    def column(self, name: str, start: NDArray[Any]) -> NDArray[Any]:
        """Declare a column of state by its first values, rounded, and return it; write to it in place.

        In a run that goes on from a checkpoint, the values are those of the checkpoint. Raises InputError for
        an array without one entry or row for each member, and for a name declared before.
        """
        if name in self.columns:
            raise InputError(f"the population has a column {name!r} already; give each its own name")
        if len(start) != self.size:
            raise InputError(
                f"the column {name!r} has {len(start)} rows for a population of {self.size}; give one for "
                "each member"
            )
        values = start if self._restored is None else self._restored[f"{_PREFIX}{name}"]
        self.columns[name] = np.array(round_floats(values))
        return self.columns[name]

    @property
    def rows(self) -> NDArray[np.int64]:
        """Rows of the members who have not left, ascending."""
        return np.flatnonzero(self.present)

    def row(self, member: Agent | str | int) -> int:
        """Return the row of a member given as agent, id or row; raises InputError for somebody else."""
        if isinstance(member, Agent):
            return super().row(member.id)
        return super().row(member) if isinstance(member, str) else self._check(member)

    def state(self) -> dict[str, NDArray[Any]]:
        """Return the columns under the names by which a checkpoint stores them."""
        return {f"{_PREFIX}{name}": values for name, values in self.columns.items()}
