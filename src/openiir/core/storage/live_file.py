"""What a run's process says of itself while it works: a file beside the run, outside its record and its hash."""

import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from pydantic import ValidationError

from openiir.core.errors import OpeniirError
from openiir.core.records import Record
from openiir.core.storage.folder import write_whole

LIVE = "live.json"
SECONDS = 1.0
"""At most one write in so many seconds, besides the first and the last."""


class LiveState(Record):
    """When a run began, when its process was last heard, and how far it is."""

    started: str
    """ISO 8601 in UTC, as `heard`."""
    heard: str
    planned: int | None = None
    """Steps that the type expects; None where it cannot tell."""
    step: int = 0
    label: str = ""
    lane: str = ""
    """The lane that ended last in the step under way."""
    done: int = 0
    of: int = 0
    """Lanes of the step under way, and how many of them have ended."""
    spent: str = ""


class LiveFile:
    """Writer of a run's live state; a disk that refuses it stops nothing."""

    def __init__(self, folder: Path, planned: int | None = None) -> None:
        self.file = folder / LIVE
        before = read_live(folder)
        now = _now()
        self.state = LiveState(started=before.started if before else now, heard=now, planned=planned)
        self._written = 0.0
        self.update(at_once=True)

    def update(self, at_once: bool = False, **changed: object) -> None:
        """Note what changed; it is written if the last write was long enough ago, or `at_once`."""
        self.state = self.state.model_copy(update={**changed, "heard": _now()})
        if at_once or time.monotonic() - self._written >= SECONDS:
            self._written = time.monotonic()
            with suppress(OpeniirError, OSError):
                write_whole(self.file, self.state.model_dump_json())


def read_live(folder: Path) -> LiveState | None:
    """The live state of a run; None where there is none that can be read."""
    try:
        return LiveState.model_validate_json((folder / LIVE).read_bytes())
    except (OSError, ValidationError):
        return None


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
