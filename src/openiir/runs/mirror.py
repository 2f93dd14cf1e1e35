"""Mirror a run to a lab's PostgreSQL database while it goes on, without ever making it wait.

A thread beside the run reads committed steps from the run file, as any other reader does. Where the database
is away, it tries again, and sends later what was not sent; the run file stays the truth.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import lru_cache
from pathlib import Path
from sqlite3 import Connection
from threading import Event, Thread
from time import monotonic
from typing import Any, NamedTuple

from openiir.core.errors import OpeniirError
from openiir.core.files import limits
from openiir.core.hashing import canonical
from openiir.core.storage import RunFile
from openiir.core.storage.database import open_beside
from openiir.core.storage.folder import DATABASE
from openiir.core.storage.gate import read_run_file
from openiir.core.storage.postgres.connection import DatabaseAway, check_installed, connect
from openiir.core.storage.postgres.sending import RunSender, hold_view
from openiir.core.storage.postgres.sweeps import CellRow, SweepRow, count_complete, note_cell, send_sweep
from openiir.core.storage.postgres.url import DatabaseUrl, read_url
from openiir.core.storage.run_database import run_id
from openiir.runs.sweep_record import CELLS, PLAN, SWEEP, is_sweep, read_plan, read_sweep, with_status

_BETWEEN = 0.2
"""Seconds between two looks for further steps."""
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 30.0
"""Seconds before the first try to reach a database again, and before the last; they double between."""
_GRACE, _PATIENCE = 2.0, 60.0
"""Seconds that an ended run waits for a database that was away, and for one that takes nothing more."""


@asynccontextmanager
async def mirror_run(run: RunFile, url: str, note: Callable[[str], None]) -> AsyncIterator[None]:
    """Mirror a run while a block executes it; afterwards the rest is sent, as long as there is progress.

    `note` gets a message where the database is away. Raises InputError before the run goes on where psycopg
    is missing.
    """
    check_installed()
    mirror = _Mirror(run.folder, run.ensure_id(), read_url(url), note)
    mirror.start()
    try:
        yield
    finally:
        await mirror.finish()


class _Mirror:
    """Thread that sends the committed steps of one run."""

    def __init__(self, folder: Path, id: str, url: DatabaseUrl, note: Callable[[str], None]) -> None:
        self.folder, self.id, self.url, self.note = folder, id, url, note
        self._ending = Event()
        self._connected, self._missing = False, True
        self._sent = 0
        """Number of transactions so far, by which progress is told."""
        self._thread = Thread(target=self._mirror, name="openiir-mirror", daemon=True)

    def start(self) -> None:
        self._thread.start()

    async def finish(self) -> None:
        """Wait until the rest is sent or nothing moves any more, and say so if something is missing."""
        self._ending.set()
        sent, since = self._sent, monotonic()
        while self._thread.is_alive():
            await asyncio.to_thread(self._thread.join, _BETWEEN)
            if self._sent > sent:
                sent, since = self._sent, monotonic()
            elif monotonic() - since > (_PATIENCE if self._connected else _GRACE):
                break
        if self._missing:
            self.note(
                f"{self.url} has not all of the run; `openiir push {self.folder} --to {self.url}` sends what "
                "is missing"
            )

    def _mirror(self) -> None:
        """Send what is committed until the run has ended and all is there."""
        wait, told = _FIRST_WAIT, False
        while True:
            ending, before = self._ending.is_set(), self._sent
            try:
                with connect(self.url) as connection:
                    self._connected, wait = True, _FIRST_WAIT
                    self._send_to(connection)
                    self._missing = False
                    return
            except DatabaseAway as error:
                if not told:
                    told = True
                    self.note(f"{error.why}; the run goes on, and what is missing is sent later")
            except Exception as error:  # the run must not fail because its copy does
                kind = "" if isinstance(error, OpeniirError) else f"{type(error).__name__}: "
                self._missing = False  # as far as a push could help
                self.note(f"the run is not mirrored: {kind}{self.url.redact(error)}")
                return
            finally:
                self._connected = False
            if ending and self._sent == before:
                return
            self._ending.wait(wait)
            wait = min(2 * wait, _LONGEST_WAIT)

    def _send_to(self, connection: Any) -> None:
        """Send over a connection until the run has ended and all is there."""
        sender = RunSender(connection, self.folder, self.id, self._open)
        place = find_cell(self.folder)
        if place is not None:
            send_sweep(connection, place.sweep, place.cells)
        while True:
            ending = self._ending.is_set()
            if sender.send_steps():
                self._sent += 1
                if place is not None:
                    note_cell(connection, place.sweep.id, place.cell, self.id)
                    place = None
            elif ending:
                return
            else:
                self._ending.wait(_BETWEEN)

    @contextmanager
    def _open(self) -> Iterator[Connection]:
        with open_beside(self.folder / DATABASE) as db, hold_view(db):
            yield db


def finish_mirrored_sweep(folder: Path, url: str) -> str | None:
    """Send the record of a sweep whose cells were mirrored; returns a message if some are not all there."""
    place, record = read_url(url), read_sweep(folder)
    done = len(with_status(record.cells, "done"))
    row, cells = read_sweep_rows(folder)
    try:
        with connect(place) as connection:
            send_sweep(connection, row._replace(record=read_record(folder)), cells)
            if count_complete(connection, row.id) < done:  # runs that were made elsewhere and copied here
                for cell in with_status(record.cells, "done"):
                    with RunFile.open(folder / cell.folder) as run:
                        note_cell(connection, row.id, cell.id, str(run_id(run.db)))
            if count_complete(connection, row.id) >= done:
                return None
            why = "has not all of the sweep"
    except OpeniirError as error:
        why = f"has not all of the sweep ({error})"
    return f"{place} {why}; `openiir push {folder} --to {place}` sends what is missing"


class CellPlace(NamedTuple):
    """Place of a run in a sweep."""

    sweep: SweepRow
    cells: tuple[CellRow, ...]
    cell: str


def find_cell(folder: Path) -> CellPlace | None:
    """Find the sweep that a run's folder is in; None for a run outside a sweep."""
    place = folder.resolve()
    sweep = place.parent.parent
    if place.parent.name != CELLS or not is_sweep(sweep):
        return None
    return CellPlace(*read_sweep_rows(sweep), place.name)


def read_record(folder: Path) -> str:
    """Read a sweep's `sweep.json` as it stands."""
    return read_run_file(folder / SWEEP, limits().file_bytes).decode()


def read_sweep_rows(folder: Path) -> tuple[SweepRow, tuple[CellRow, ...]]:
    """Read a sweep's plan as rows of a database; the last one is kept while its file stays as it is."""
    return _read_sweep_rows(folder.resolve(), (folder / PLAN).stat().st_mtime_ns)


@lru_cache(maxsize=1)
def _read_sweep_rows(folder: Path, stamp: int) -> tuple[SweepRow, tuple[CellRow, ...]]:
    plan = read_plan(folder)
    text = read_run_file(folder / PLAN, limits().file_bytes).decode()
    name = str(plan.arms[0].document["name"])
    cells = tuple(CellRow(cell.id, canonical(cell.arm), cell.seed) for cell in plan.cells())
    return SweepRow(plan.sha256(), name, plan.design, canonical(plan.axes), text), cells
