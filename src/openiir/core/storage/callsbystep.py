"""Calls of a run that nobody writes any more, a step at a time."""

from typing import Any

from openiir.core.records import Call, Place
from openiir.core.storage import callrows
from openiir.core.storage.runfile import RunFile


class CallsByStep:
    """`RunFile.find_call` with one query a step in place of one a call; holds the replies of one step."""

    def __init__(self, run: RunFile) -> None:
        self._db = run.db
        self._step: int | None = None
        self._rows: dict[tuple[Any, ...], tuple[Any, ...]] = {}

    def find_call(self, place: Place, attempt: int, prompt: tuple[str, str]) -> Call | None:
        """The recorded reply at a place, if there is one; of a prompt with another hash than this, its body too."""
        if place.step != self._step:
            self._step = place.step
            self._rows = {row[callrows.KEY]: row for row in self._db.execute(callrows.OF_STEP, (place.step,))}
        row = self._rows.get(callrows.key_of(place, attempt))
        return callrows.call_at(self._db, place, row, prompt)
