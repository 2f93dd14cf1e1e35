"""Reading of a finished run's calls, one step at a time."""

from typing import Any

from openiir.core.records import Call, Place
from openiir.core.storage import call_rows as callrows
from openiir.core.storage.run_file import RunFile


class CallsByStep:
    """Reader of recorded calls with one query per step instead of one per call; keeps one step in memory.

    Steps must be read in order, each once.
    """

    def __init__(self, run: RunFile) -> None:
        self._db = run.db
        self._step: int | None = None
        self._rows: dict[tuple[Any, ...], tuple[Any, ...]] = {}
        self._visited: set[int] = set()
        self._unused: set[tuple[Any, ...]] = set()
        self._passed_over: tuple[Any, ...] | None = None

    def find_call(self, place: Place, attempt: int, prompt: tuple[str, str]) -> Call | None:
        """Find the reply recorded under a ledger key; the stored prompt is read only if its hash differs."""
        if place.step != self._step:
            self._load_step(place.step)
        key = callrows.call_key(place, attempt)
        self._unused.discard(key)
        return callrows.find_call_body(self._db, place, self._rows.get(key), prompt)

    def find_unused(self) -> tuple[Place, int] | None:
        """Find ledger key and attempt of a recorded call that was never read; None if all were."""
        for (step,) in self._db.execute("select distinct step from call order by step").fetchall():
            if step not in self._visited:
                self._load_step(step)
        self._note_unused()
        if self._passed_over is None:
            return None
        *place, attempt = self._passed_over
        return Place(**dict(zip(callrows.PLACE.split(", "), place, strict=True))), attempt

    def _load_step(self, step: int) -> None:
        self._note_unused()
        self._step = step
        self._visited.add(step)
        self._rows = {row[callrows.KEY]: row for row in self._db.execute(callrows.OF_STEP, (step,))}
        self._unused = set(self._rows)

    def _note_unused(self) -> None:
        if self._unused and self._passed_over is None:
            self._passed_over = min(self._unused)
