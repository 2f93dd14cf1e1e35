"""Gate in front of a run's folder: what lies in it is looked at before any of it is opened."""

import errno
import os
import shutil
import stat
from collections.abc import Iterator
from io import BufferedRandom, BufferedReader
from pathlib import Path

from openiir.core.errors import DamagedRun, InputError
from openiir.core.files import check_size

FOLDERS = ("tables", "checkpoints", "inbox")
"""Folders that a run has; in no other one below its own is anything opened."""
_FILES = ("run.", "after.db", "manifest.json", "live.json", "study.local")
"""How the names of a run's files begin."""
_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


def check_folder(folder: Path) -> None:
    """Raise DamagedRun if a run's folder holds a link, pipe, device or odd name; opens no file.

    The folder's own path may be a link. One that is missing, or is a file, is left to whoever opens the run.
    """
    for below_folder, entry in _entries(folder):
        if not entry.name.isprintable():
            raise DamagedRun(
                f"{Path(entry.path).parent} holds a file with the odd name {entry.name!a}; take it out"
            )
        if entry.is_symlink():
            raise link_refused(Path(entry.path))
        below = entry.is_dir(follow_symlinks=False)
        if not below and not entry.is_file(follow_symlinks=False):
            raise _no_file(Path(entry.path))
        if below_folder:
            misplaced = below
        else:
            misplaced = entry.name.startswith(_FILES) if below else entry.name in FOLDERS
        if misplaced:
            raise DamagedRun(
                f"{entry.path} is a {'folder' if below else 'file'}, which no run has; take it out"
            )


def _entries(folder: Path) -> Iterator[tuple[bool, os.DirEntry[str]]]:
    """List what lies in a run's folder, then in its FOLDERS, with whether it is in one of them."""
    for name in ("", *FOLDERS):
        place = f"{folder}/{name}" if name else str(folder)
        try:
            with os.scandir(place) as entries:
                yield from ((bool(name), entry) for entry in entries)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            raise InputError(
                f"{place} cannot be read: {error.strerror or error}; check the path and its permissions"
            ) from None


def read_run_file(path: Path, most: int) -> bytes:
    """Read a file of a run, of at most `most` bytes and not through a link; raises DamagedRun."""
    with open_file(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > most:
            raise DamagedRun(
                f"{path} is too large ({size:,} bytes; the limit is {most:,}); restore it from a copy"
            )
        return file.read(most)


def open_file(path: Path) -> BufferedReader:
    """Open a file of a run for reading; raises OSError, and DamagedRun for a link, a pipe or a device."""
    try:
        opened = os.open(path, _READ)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise link_refused(path) from None
        raise
    if not stat.S_ISREG(os.fstat(opened).st_mode):
        os.close(opened)
        raise _no_file(path)
    return open(opened, "rb")  # noqa: PTH123


def create_file(path: Path) -> BufferedRandom:
    """Create a file of a run for writing and reading, replacing what is there; follows no link."""
    path.unlink(missing_ok=True)
    return path.open("xb+")


def copy_file(path: Path, target: Path) -> None:
    """Copy a file of a run to another run; raises Unreadable for too large a one, and as `open_file` does."""
    with open_file(path) as read, create_file(target) as written:
        check_size(path, os.fstat(read.fileno()).st_size)
        shutil.copyfileobj(read, written)


def link_refused(path: Path) -> DamagedRun:
    """Create the error for a symbolic link within a run's folder."""
    return DamagedRun(
        f"{path} is a link, and no link in a run is followed; take it out, or copy the run with what it "
        "leads to (cp -rL)"
    )


def _no_file(path: Path) -> DamagedRun:
    return DamagedRun(f"{path} is no regular file (a pipe, a socket or a device); take it out")
