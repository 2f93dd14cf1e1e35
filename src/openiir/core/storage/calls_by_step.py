"""Read the calls of a finished run one step at a time."""

from typing import Any

from openiir.core.records import Call, Place
from openiir.core.storage import call_rows as callrows
from openiir.core.storage.run_file import RunFile


class CallsByStep:
    """`RunFile.find_call` with one query a step instead of one a call; holds the replies of one step.

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
        """Find the recorded reply at a place, if any; a prompt whose hash differs from this one is read with its body."""
        if place.step != self._step:
            self._turn_to(place.step)
        key = callrows.key_of(place, attempt)
        self._unused.discard(key)
        return callrows.find_call_body(self._db, place, self._rows.get(key), prompt)

    def find_unused(self) -> tuple[Place, int] | None:
        """Find place and attempt of a recorded call that was never read, after the last step."""
        for (step,) in self._db.execute("select distinct step from call order by step").fetchall():
            if step not in self._visited:
                self._turn_to(step)
        self._pass_over()
        if self._passed_over is None:
            return None
        *place, attempt = self._passed_over
        return Place(**dict(zip(callrows.PLACE.split(", "), place, strict=True))), attempt

    def _turn_to(self, step: int) -> None:
        self._pass_over()
        self._step = step
        self._visited.add(step)
        self._rows = {row[callrows.KEY]: row for row in self._db.execute(callrows.OF_STEP, (step,))}
        self._unused = set(self._rows)

    def _pass_over(self) -> None:
        if self._unused and self._passed_over is None:
            self._passed_over = min(self._unused)
