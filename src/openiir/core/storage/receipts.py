"""Receipts of runs and sweeps made on this machine, kept outside their folders, which others may write.

A receipt is bound to the folder's path and to its files on this disk, so a run that was moved, copied or
unpacked has none. Only a run with a receipt is recovered, goes on, and reads the files of a study outside its
own folder.
"""

import json
import os
from collections.abc import Callable
from fcntl import ioctl
from pathlib import Path

from openiir.core.errors import InputError
from openiir.core.hashing import fingerprint
from openiir.core.storage.folder import DATABASE
from openiir.core.storage.gate import create_file

_GET_VERSION = 0x80087601
"""Linux's FS_IOC_GETVERSION: a number of the file that differs where its inode is used again."""


def state_folder() -> Path:
    """Return the folder of what this user's runs leave behind outside their folders."""
    return Path(os.environ.get("XDG_STATE_HOME") or "~/.local/state").expanduser() / "openiir"


def default_receipts_folder() -> Path:
    """Return the folder in which receipts are kept unless the settings name another."""
    return state_folder() / "receipts"


_find: Callable[[], Path] = default_receipts_folder


def set_receipts_folder(find: Callable[[], Path]) -> None:
    """Set the function `find` from which this process gets its folder of receipts at each use."""
    global _find
    _find = find


def write_receipt(folder: Path, study: Path | None, database: Path | None = None) -> None:
    """Write a receipt (proof that a run or sweep was made on this machine), with its study's folder.

    `database` is the run's file where it does not have its name yet.
    """
    file = _file_of(folder, database)
    text = json.dumps(
        {"folder": str(folder.resolve()), "study": None if study is None else str(study.resolve())}
    )
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with create_file(file) as out:
            out.write(text.encode())
            out.flush()
            os.fsync(out.fileno())
    except OSError as error:
        raise InputError(
            f"the receipt of {folder} cannot be written ({error}); name a folder that can be written as "
            "`receipts` in the settings"
        ) from None


def has_receipt(folder: Path) -> bool:
    """Whether a run or sweep has a receipt; false if it was made elsewhere or has moved since."""
    return _read_receipt(folder) is not None


def study_folder_of(folder: Path) -> Path:
    """Return the folder with a run's or sweep's study files: the receipt's, or else its own."""
    study = (_read_receipt(folder) or {}).get("study")
    return Path(study) if study else folder


def _read_receipt(folder: Path) -> dict[str, str | None] | None:
    try:
        return dict(json.loads(_file_of(folder).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def check_has_receipt(folder: Path) -> None:
    """Raise InputError for a run or sweep without a receipt, so not made on this machine."""
    if not has_receipt(folder):
        raise InputError(
            f"{folder} was not made here, or was moved or copied since: it can be read, but not gone on "
            f"with. If you trust it, `openiir trust {folder}` makes it this machine's own"
        )


def _file_of(folder: Path, database: Path | None = None) -> Path:
    place = folder.resolve()
    bound = [os.fsencode(place).hex(), *_identity(place), _inode(database or place / DATABASE)]
    return _find().expanduser() / f"{fingerprint(bound)[:32]}.json"


def _identity(folder: Path) -> tuple[int, int]:
    """Return numbers of a folder that no copy of it has; zeros where there is none."""
    try:
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return 0, 0
    try:
        return _inode(folder), int.from_bytes(ioctl(opened, _GET_VERSION, bytes(8)), "little")
    except OSError:  # this file system keeps no such number
        return _inode(folder), 0
    finally:
        os.close(opened)


def _inode(path: Path) -> int:
    """Return a file's inode, 0 without one, unopened, since closing it would drop SQLite's locks on it."""
    try:
        return path.lstat().st_ino
    except OSError:
        return 0
