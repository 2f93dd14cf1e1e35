"""A run's place on the disk: whether it is free, who writes it, and how it goes away."""

import shutil
from pathlib import Path
from typing import Any

from openiir.core.errors import DamagedRun, RunBusy
from openiir.core.storage import database

LOCK = "run.lock"
DATABASE = ("run.db", "run.db-wal", "run.db-shm", "run.db-journal")


def is_free(folder: Path) -> bool:
    """Whether a run may begin here: nothing is there, or what a run left that was killed before it had begun."""
    if not folder.exists():
        return True
    if not folder.is_dir():
        return False
    names = {path.name for path in folder.iterdir()}
    if not names <= {LOCK, "tables", *DATABASE}:
        return False
    begun = "run.db" in names
    if any(not begun or path.suffix != ".parquet" for path in (folder / "tables").glob("*")):
        return False  # a part without a run is somebody else's; a run that was not declared names none
    try:
        return not begun or database.version_of(folder / "run.db") == 0
    except DamagedRun:
        return False


def set_aside(folder: Path) -> Path:
    """Move a run and everything beside it to a hidden neighbour, which replaces one that was left there.

    Raises RunBusy where a process writes it.
    """
    lock = locked(folder)
    try:
        place = folder.resolve()
        aside = place.with_name(f".{place.name}.replaced")
        shutil.rmtree(aside, ignore_errors=True)
        return place.replace(aside)
    finally:
        lock.release()


def locked(folder: Path) -> Any:
    """The lock of the folder's one writer, taken; the system lets go of it when the process dies. Raises RunBusy."""
    from filelock import FileLock, Timeout

    lock = FileLock(str(folder / LOCK))
    with database.guarded(folder / LOCK):
        try:
            lock.acquire(timeout=0)
        except Timeout:
            raise RunBusy(
                f"{folder} is being written by another process; wait for it to end, or choose another --out"
            ) from None
    return lock
