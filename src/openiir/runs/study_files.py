"""Files that a permission covers: the whole folder of a study, or the files that a study names."""

import hashlib
import os
import re
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NoReturn

from openiir.core.errors import InputError
from openiir.core.storage.folder import DATABASE, LOCK, STUDY
from openiir.core.storage.live_file import LIVE
from openiir.core.study_paths import stays_in
from openiir.runs.sweep_record import INPUTS, PLAN, STORE, SWEEP

LARGEST = 2**30
"""Bytes of a study's folder that a permission covers at most."""
MOST = 100_000
"""Number of files of a study's folder that a permission covers at most."""
_CODE = (".py", ".pyc")
_SHELL = re.compile(r"[\s'\"`;|&<>()=,]+")
"""What separates the words of a shell command within one argument."""
_STORED = re.compile(r"[0-9a-f]{64}")
"""Name of a file in a sweep's store: the hash of its content."""
_DATABASES = [f"{name}{part}" for name in (DATABASE, "after.db") for part in ("", "-wal", "-shm", "-journal")]
_RUN_FILES = {*_DATABASES, "manifest.json", LIVE, LOCK, STUDY}
_RUN_FOLDERS = {"tables": ".parquet", "checkpoints": ".npz", "inbox": ".json"}
"""Folders of a run with the ending of their files; anything else in them is covered, as no file of a run."""


def hash_folder(folder: Path) -> dict[str, str]:
    """Hash every file in a study's folder by its path, except files of runs and sweeps and the folder `.git`.

    Links are hashed with what they lead to. Raises InputError for a folder beyond `LARGEST` or `MOST`, for a
    link to a folder outside, and for what cannot be read.
    """
    return {ascii(str(place.relative_to(folder))): _hash_entry(place, folder) for place in list_files(folder)}


def list_files(folder: Path, *, hidden: bool = True) -> Iterator[Path]:
    """List the files and links in a study's folder as `hash_folder` does; InputError beyond the bounds.

    Without `hidden`, those whose names, or folders' names, begin with a full stop are left out.
    """
    size = 0
    for number, place in enumerate(_walk(folder, hidden)):
        size += place.lstat().st_size
        if size > LARGEST or number >= MOST:
            raise InputError(
                f"{folder} holds more than 1 GB or {MOST:,} files, and every file of a study's folder is "
                "covered by its permission and copied to other machines; give the study a folder of its own, "
                "and keep large data in $OPENIIR_DATA"
            )
        yield place


def hash_named_files(words: Iterable[str], folder: Path, *, siblings: bool = True) -> dict[str, str]:
    """Hash the files in a folder that texts name: files, folders with their content, Python modules.

    Where one of them is Python, with `siblings` all other Python files of the folder are included, since it
    may import them. Folders are bounded as by `hash_folder`.
    """
    found: dict[str, str] = {}
    for place in _named_places(words, folder):
        if place.is_dir():
            prefix = ascii(str(place.relative_to(folder)))
            found |= {f"{prefix}/{name}": digest for name, digest in hash_folder(place).items()}
        elif place.is_file():
            found[ascii(str(place.relative_to(folder)))] = hash_file(place)
    if siblings and any(name.rstrip("'").endswith(_CODE) for name in found):
        beside = (file for ending in _CODE for file in folder.rglob(f"*{ending}") if file.is_file())
        found |= {ascii(str(file.relative_to(folder))): hash_file(file) for file in sorted(beside)}
    return found


def _named_places(words: Iterable[str], folder: Path) -> Iterator[Path]:
    parts = {part for word in words for part in (word, *_SHELL.split(word)) if part}
    names = parts | {part.split(".")[0] for part in parts if "/" not in part and part[0] != "."}
    for name in sorted(names | {f"{name}.py" for name in names}):
        place = folder / name
        # Unlike Path.exists this is False for what no path can be, such as a program in an argument.
        if os.path.exists(place) and stays_in(place, folder):  # noqa: PTH110
            yield folder / place.resolve().relative_to(folder.resolve())


def _walk(folder: Path, hidden: bool) -> Iterator[Path]:
    """Yield what a permission covers below a folder; links to folders are yielded, and not followed."""
    for here, folders, files in os.walk(folder, onerror=_refuse):
        place = Path(here)
        if not hidden:
            folders[:] = [name for name in folders if name[0] != "."]
            files = [name for name in files if name[0] != "."]
        links = [name for name in folders if (place / name).is_symlink()]
        folders[:] = sorted(
            name for name in folders if name not in links and not (name == ".git" and place == folder)
        )
        skipped = _files_of_runs(place, files)
        yield from (place / name for name in sorted([*links, *files]) if name not in skipped)


def _files_of_runs(place: Path, files: Iterable[str]) -> set[str]:
    """Return the files of a folder that belong to a run or a sweep, not to the study; never a link."""
    own: set[str] = set()
    if _is_run(place):
        own |= _RUN_FILES
    if (place / SWEEP).is_file():
        own |= {SWEEP, PLAN, INPUTS}
    if place.name == STORE and (place.parent / SWEEP).is_file():
        own |= {name for name in files if _STORED.fullmatch(name) and hash_file(place / name) == name}
    ending = _RUN_FOLDERS.get(place.name) if _is_run(place.parent) else None
    return {
        name
        for name in files
        if ((whole := name.removesuffix(".part")) in own or (ending and whole.endswith(ending)))
        and not (place / name).is_symlink()
    }


def _is_run(place: Path) -> bool:
    """Whether a run lies in a folder, or begins to."""
    return any((place / name).is_file() for name in (DATABASE, f"{DATABASE}.part", LOCK))


def _hash_entry(place: Path, folder: Path) -> str:
    """Hash a file; a link stands for its target and what it leads to, a device or FIFO for its kind."""
    kind = place.lstat().st_mode
    if stat.S_ISREG(kind):
        return hash_file(place)
    if not stat.S_ISLNK(kind):
        return f"kind {stat.S_IFMT(kind)}"
    target = f"link {ascii(os.readlink(place))} "  # noqa: PTH115
    if place.is_dir() and not stays_in(place, folder):
        raise InputError(
            f"{place} is a link to a folder outside the study's folder, which no permission covers; "
            "copy that folder in its place"
        )
    return target + (hash_file(place) if place.is_file() else "")


def hash_file(file: Path) -> str:
    """Hash a file's content; raises InputError if it cannot be read."""
    try:
        with file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        _refuse(error)


def _refuse(error: OSError) -> NoReturn:
    raise InputError(
        f"{error.filename}, which the study needs permission for, cannot be read: {error.strerror or error}"
    ) from None
