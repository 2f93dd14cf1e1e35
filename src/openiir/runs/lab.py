"""Push runs and sweeps to a lab's PostgreSQL database, and pull runs back."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from secrets import token_hex
from typing import NamedTuple

from openiir.core.storage import RunFile, check_run
from openiir.core.storage.postgres.connection import connect
from openiir.core.storage.postgres.reading import find_run, read_run
from openiir.core.storage.postgres.sending import ID, RunSender, hold_view, run_id
from openiir.core.storage.postgres.url import read_url
from openiir.runs.execute import LocalOptions, free_folders
from openiir.runs.run_io import open_checked


class PulledRun(NamedTuple):
    """A run that was read from a database."""

    folder: Path
    status: str
    content: str | None
    """The content hash; None for a run that had not ended."""


def push_to_postgres(folders: Sequence[Path], url: str) -> Iterator[str]:
    """Send runs and sweeps to a PostgreSQL database; yields what was done with each."""
    place = read_url(url)
    with connect(place) as connection:
        for folder in folders:
            id = ensure_id(folder)
            with open_checked(folder) as run:
                sent = RunSender(connection, folder, id, partial(hold_view, run.db)).send(whole=True)
            yield f"{folder}: {'sent' if sent else 'was there'} as {id}"


def ensure_id(folder: Path) -> str:
    """Return the id of a run in databases; one that is neither finished nor has one gets it."""
    with open_checked(folder) as run:
        id = run_id(run.db)
    if id is None:
        with RunFile.open(folder, writable=True) as run:
            run.set_state(**{ID: (id := token_hex(16))})
    return id


def pull_run(url: str, wanted: str, out: Path | None, local: LocalOptions) -> PulledRun:
    """Read a run from a PostgreSQL database into a new folder, and verify it."""
    with connect(read_url(url), writing=False) as connection:
        found = find_run(connection, wanted)
        names = [] if out else [found.name.replace(" ", "-")]
        with free_folders(local.settings().runs, names) as free:
            folder = out or free[0]
            read_run(connection, found, folder)
    with RunFile.open(folder) as run:
        check_run(run)
    return PulledRun(folder, found.status, found.content)
