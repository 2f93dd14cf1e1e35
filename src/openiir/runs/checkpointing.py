"""Decide after which steps the state of a run is saved as a checkpoint."""

import time

from openiir.plugin import Stage

WORTH = 10.0
"""Seconds between two checkpoints where the settings give no number of steps."""


class Checkpointing:
    """Policy that decides which of the checkpoints a type offers are written; results do not depend on it."""

    def __init__(self, every: int | None) -> None:
        self._every = every
        """Steps between two checkpoints; 0 for none at all, None for one every WORTH seconds."""
        self._last = 0
        self._since = time.monotonic()

    def is_due(self, stage: Stage) -> bool:
        """Whether the state that the type offers at this step should be written as a checkpoint.

        None is written during a dialogue of the main lane with a declared system, whose state is elsewhere.
        """
        if stage.kept is None or self._every == 0 or stage.answering.has_dialogue(stage.name):
            return False
        if self._every is None:
            return time.monotonic() - self._since >= WORTH
        return stage.step - self._last >= self._every

    def note_checkpoint(self, step: int) -> None:
        """Note that a checkpoint was written at this step."""
        self._last, self._since = step, time.monotonic()
