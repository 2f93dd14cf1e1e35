"""Progress file of a running process: beside the run, outside its record and its hash."""

import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from pydantic import ValidationError

from openiir.core.errors import DamagedRun, OpeniirError
from openiir.core.records import Record
from openiir.core.storage.folder import write_whole
from openiir.core.storage.gate import read_run_file

LIVE = "live.json"
MOST_BYTES = 65_536
SECONDS = 1.0
"""Least seconds between two writes, except for the first and the last."""


class LiveState(Record):
    """Progress of a run: when it began, when its process last reported, and how far it is."""

    started: str
    """Start time in ISO 8601 (UTC), like `heard`."""
    heard: str
    step: int = 0
    planned: int | None = None
    """Largest number of steps that the run can take; None if its type does not tell."""
    label: str = ""
    lane: str = ""
    """Lane of the current step that ended last."""
    done: int = 0
    of: int = 0
    """Number of lanes in the current step (`of`), and how many have ended (`done`)."""
    spent: str = ""


class LiveFile:
    """Writer of a run's progress file; write errors are ignored."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / LIVE
        before = read_live(folder)
        now = _now()
        self.state = LiveState(started=before.started if before else now, heard=now)
        self._written = 0.0
        self._changed: dict[str, object] = {}
        self.update(at_once=True)

    def update(self, at_once: bool = False, spent: object = "", **changed: object) -> None:
        """Update a run's progress; written to disk at intervals, or immediately if `at_once`."""
        self._changed |= changed
        if at_once or time.monotonic() - self._written >= SECONDS:
            self._written = time.monotonic()
            now = {"heard": _now(), "spent": str(spent)}
            self.state = self.state.model_copy(update=self._changed | now)
            with suppress(OpeniirError, OSError):
                write_whole(self.file, self.state.model_dump_json())


def read_live(folder: Path) -> LiveState | None:
    """Read the progress of a run; None if there is no readable file."""
    try:
        return LiveState.model_validate_json(read_run_file(folder / LIVE, MOST_BYTES))
    except (OSError, DamagedRun, ValidationError):
        return None


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
