"""Decide after which steps the state of a crowd is saved as a checkpoint."""

import time
from typing import Any

from openiir.core.storage import RunFile, StepRows

WORTH = 10.0
"""Seconds between two checkpoints where the settings give no number of steps."""
_STATE = frozenset({"asked", "joined", "left"})
"""Kinds of events that change an agent's state or the set of agents."""


class Checkpointing:
    """Policy that selects which of the checkpoints offered by a type are written; it never affects a run's content."""

    def __init__(self, every: int | None, last: int = 0) -> None:
        self._every = every
        """Steps between two checkpoints; 0 for none at all, None for one every WORTH seconds."""
        self._last = last
        self._since = time.monotonic()
        self._crowd_alone = True

    def due(self, run: RunFile, rows: StepRows, kept: dict[str, Any] | None) -> bool:
        """Whether the arrays that a type offers at this step are now written as a checkpoint."""
        if kept is None or self._every == 0 or not run.commit_each_call or not self._crowd_alone:
            return False
        if self._every is None and time.monotonic() - self._since < WORTH:
            return False
        if self._every is not None and rows.number - self._last < self._every:
            return False
        asked = any(kind in _STATE for _, kind, _, _ in rows.events)
        left = asked or rows.claims or rows.edges or rows.searches or rows.chunks
        self._crowd_alone = not left and not run.has_touched_agents(_STATE)
        return self._crowd_alone

    def note_checkpoint(self, step: int) -> None:
        """Note that a checkpoint was written at this step."""
        self._last, self._since = step, time.monotonic()
