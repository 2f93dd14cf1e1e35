"""When a checkpoint is written, and whether arrays can be all that a run is made of."""

import time
from typing import Any

from openiir.core.storage import RunFile, StepRows

WORTH = 10.0
"""Seconds of work that are worth a checkpoint, where the settings name no number of steps."""
_STATE = frozenset({"asked", "joined", "left"})
"""Events of whatever changes an agent, or who is there."""


class Checkpointing:
    """Thins the checkpoints that a type offers; what it decides never enters a run's content."""

    def __init__(self, every: int | None, last: int = 0) -> None:
        self._every = every
        """Steps; 0 for never, None for whenever WORTH seconds have gone by."""
        self._last = last
        self._since = time.monotonic()
        self._crowd_alone = True

    def due(self, run: RunFile, rows: StepRows, kept: dict[str, Any] | None) -> bool:
        """Whether the arrays kept at this step are to be written."""
        if kept is None or self._every == 0 or not run.commit_each_call or not self._crowd_alone:
            return False
        if self._every is None and time.monotonic() - self._since < WORTH:
            return False
        if self._every is not None and rows.number - self._last < self._every:
            return False
        self._crowd_alone = _leaves_nothing(rows) and not run.has_touched_agents(_STATE)
        return self._crowd_alone

    def written(self, step: int) -> None:
        """A checkpoint was written at this step."""
        self._last, self._since = step, time.monotonic()


def _leaves_nothing(rows: StepRows) -> bool:
    asked = any(kind in _STATE for _, kind, _, _ in rows.events)
    return not (asked or rows.claims or rows.edges or rows.searches or rows.chunks)
