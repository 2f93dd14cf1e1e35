"""Push runs and sweeps to a lab's PostgreSQL database, and pull runs back."""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from shutil import rmtree
from typing import Any, NamedTuple

from openiir.core.errors import DamagedRun
from openiir.core.storage import RunFile, check_run
from openiir.core.storage.folder import DATABASE
from openiir.core.storage.postgres.after import read_after, send_after
from openiir.core.storage.postgres.connection import connect
from openiir.core.storage.postgres.reading import find_run, read_run
from openiir.core.storage.postgres.sending import RunSender, hold_view
from openiir.core.storage.postgres.sweeps import note_cell, send_sweep
from openiir.core.storage.postgres.url import read_url
from openiir.core.storage.run_database import run_id
from openiir.core.sums import int_sum
from openiir.runs.execute import LocalOptions, free_folders
from openiir.runs.mirror import find_cell, read_record, read_sweep_rows
from openiir.runs.run_io import open_checked
from openiir.runs.sweep_record import is_sweep, read_sweep

_LONGEST = 60
"""Most letters of a folder's name that are taken from the name of a run, which may be a stranger's."""


class PulledRun(NamedTuple):
    """A run that was read from a database."""

    folder: Path
    status: str
    content: str | None
    """The content hash; None for a run that had not ended."""


def push_to_postgres(folders: Sequence[Path], url: str) -> Iterator[str]:
    """Send runs and sweeps to a PostgreSQL database; yields what was done with each."""
    with connect(read_url(url)) as connection:
        for folder in folders:
            yield _push_sweep(connection, folder) if is_sweep(folder) else _push_run(connection, folder)


def _push_run(connection: Any, folder: Path) -> str:
    id = _ensure_id(folder)
    with open_checked(folder) as run:
        sent = RunSender(connection, folder, id, partial(hold_view, run.db)).send()
        content = run.state("content")
    added = send_after(connection, id, folder, content) if content else 0
    if (place := find_cell(folder)) is not None:
        send_sweep(connection, place.sweep, place.cells)
        note_cell(connection, place.sweep.id, place.cell, id)
    later = f"; {added} later answers, validations and measures sent" if added else ""
    return f"{folder}: {'sent' if sent else 'there already'}, id {id}{later}"


def _push_sweep(connection: Any, folder: Path) -> str:
    """Send a sweep with the cells that have ended, or that were mirrored."""
    row, cells = read_sweep_rows(folder)
    send_sweep(connection, row._replace(record=read_record(folder)), cells)
    lines = [
        _push_run(connection, folder / cell.folder)
        for cell in read_sweep(folder).cells
        if cell.status == "done" or _has_id(folder / cell.folder)
    ]
    sent = int_sum(": sent, " in line for line in lines)
    return f"{folder}: {sent} of {len(cells)} runs sent, {len(lines) - sent} there already, id {row.id}"


def _has_id(folder: Path) -> bool:
    if not (folder / DATABASE).is_file():
        return False
    with RunFile.open(folder) as run:
        return run_id(run.db) is not None


def _ensure_id(folder: Path) -> str:
    """Return the id of a run in databases; one that is neither finished nor has one gets it."""
    with open_checked(folder, check=lambda run: None) as run:
        id = run_id(run.db)
    if id is None:
        with RunFile.open(folder, writable=True) as run:
            id = run.ensure_id()
    return id


def _check_pulled(folder: Path, id: str) -> None:
    """Verify a run that was read from a database; deletes one that was changed there. Raises DamagedRun."""
    try:
        with RunFile.open(folder) as run:
            check_run(run)
    except DamagedRun as error:
        rmtree(folder)
        raise DamagedRun(f"the run {id} was changed in the database: {error}") from None


def pull_run(url: str, wanted: str, out: Path | None, local: LocalOptions) -> PulledRun:
    """Read a run from a PostgreSQL database into a new folder, and verify it."""
    with connect(read_url(url), writing=False) as connection:
        found = find_run(connection, wanted)
        names = [] if out else ["-".join(re.findall(r"\w+", found.name))[:_LONGEST] or "run"]
        with free_folders(local.settings().runs, names) as free:
            folder = out or free[0]
            read_run(connection, found, folder)
            read_after(connection, found, folder)
            _check_pulled(folder, found.id)
    return PulledRun(folder, found.status, found.content)
