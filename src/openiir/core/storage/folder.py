"""Folder of a run: whether it is free, its lock, the path to its study, and replacing it."""

import os
import shutil
from pathlib import Path
from typing import Any

from openiir.core.errors import DamagedRun, InputError, RunBusy
from openiir.core.storage import database
from openiir.core.storage.gate import check_folder, create_file, link_refused, read_run_file

LOCK = "run.lock"
DATABASE = "run.db"
STUDY = "study.local"
"""File with the study's absolute path, if a relative one shows folders above the home; not exported."""
PATH_BYTES = 16_384
"""Most bytes of the file STUDY."""


def is_free(folder: Path) -> bool:
    """Whether a run may start in this folder: missing, empty, or left by a run killed before it began."""
    if not folder.exists():
        return True
    if not folder.is_dir():
        return False
    names = {path.name for path in folder.iterdir()}
    begun = database.temporary_path(folder / DATABASE).name
    if not names <= {LOCK, STUDY, "tables", begun}:
        return False
    # A part without a run is somebody else's; a run that was not declared names none.
    return not any(begun not in names or path.suffix != ".parquet" for path in (folder / "tables").glob("*"))


def database_stamp(folder: Path) -> tuple[int, int]:
    """Return inode and modification time (ns) of a run's database: equal stamps, same finished run."""
    file = (folder / DATABASE).stat()
    return file.st_ino, file.st_mtime_ns


def missing_run(folder: Path) -> InputError:
    """Create the error for a folder without `run.db`: the file was lost, or no run ever began here."""
    if any((folder / left).exists() for left in ("manifest.json", "after.db")) or any(
        folder.glob("tables/*.parquet")
    ):
        return DamagedRun(
            f"{folder / DATABASE} is missing; without it the run cannot be read, so restore it from a copy"
        )
    return InputError(
        f"{folder} holds no run (one that is killed before it has begun leaves none); name the folder that "
        "`openiir run` printed, or run the study again into this one"
    )


def write_whole(file: Path, text: str) -> None:
    """Write a text file atomically, so that readers see the old file or the new one; raises StorageFull."""
    with database.translate_errors(file):
        partial = file.with_name(file.name + ".part")
        with create_file(partial) as out:
            out.write(text.encode("utf-8", "surrogateescape"))
            out.flush()
            os.fsync(out.fileno())
        partial.replace(file)


def note_study_folder(folder: Path, study: Path, later: Path | None = None) -> str:
    """Return the relative path from a run's folder to its study, for the run file.

    `later` is the folder that the run will be moved to. Where the path leads over folders above the user's
    home, it is written to a file beside the run's and "" is returned, so that a published run file does not
    show how the user's disk is laid out.
    """
    here, there = (later or folder).resolve(), study.resolve()
    shared = next((above for above in here.parents if there.is_relative_to(above)), None)
    if shared is None or shared in Path.home().resolve().parents:
        write_whole(folder / STUDY, f"{there}\n")
        return ""
    return os.path.relpath(there, here)


def find_study_folder(folder: Path, noted: str) -> Path:
    """Find the study's folder from the result of `note_study_folder`; the run's own folder if unknown."""
    try:
        return Path(os.fsdecode(read_run_file(folder / STUDY, PATH_BYTES)).strip())
    except FileNotFoundError:
        return folder / noted


def hide_folder(folder: Path) -> Path | None:
    """Move a run's folder to a hidden sibling, replacing one left there; returns the new path.

    Where there is no run, returns the folder that a killed process left aside. Raises RunBusy where a process
    writes it.
    """
    place = folder.resolve()
    aside = place.with_name(f".{place.name}.replaced")
    check_folder(folder)
    if not (folder / DATABASE).exists():
        return aside if aside.exists() else None
    lock = lock_folder(folder)
    try:
        shutil.rmtree(aside, ignore_errors=True)
        return place.replace(aside)
    finally:
        lock.release()


def lock_folder(folder: Path) -> Any:
    """Lock the folder for its one writer, until released or the process dies; raises RunBusy."""
    from filelock import FileLock, Timeout

    if (folder / LOCK).is_symlink():
        raise link_refused(folder / LOCK)
    lock = FileLock(str(folder / LOCK))
    with database.translate_errors(folder / LOCK):
        try:
            lock.acquire(timeout=0)
        except Timeout:
            raise RunBusy(
                f"{folder} is being written by another process; wait for it to end, or choose another --out"
            ) from None
    return lock
