"""Checkpoints: arrays of a scenario type's whole state at a step, from which a run resumes.

The run file names the newest one by step and hash; it never enters the content hash.
"""

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openiir.core.errors import DamagedRun
from openiir.core.storage.gate import create_file

_MARK = "kept_"
"""Prefix of each array name in the file, since NumPy reserves some names."""


def write_checkpoint(folder: Path, step: int, arrays: Mapping[str, NDArray[Any]]) -> str:
    """Write a checkpoint and sync it to disk; returns its entry for the run file, `STEP HASH`."""
    path = _path_of(folder, step)
    path.parent.mkdir(exist_ok=True)
    with create_file(path) as file:
        np.savez(file, allow_pickle=False, **{f"{_MARK}{name}": array for name, array in arrays.items()})  # type: ignore[arg-type]
        file.flush()
        os.fsync(file.fileno())
        file.seek(0)
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return f"{step} {digest}"


def read_checkpoint(folder: Path, entry: str) -> tuple[int, dict[str, NDArray[Any]]] | None:
    """Read step and arrays of the checkpoint named in the run file; None if its file is gone.

    Raises DamagedRun.
    """
    path = _find_file(folder, entry)
    if path is None:
        return None
    check_checkpoint(folder, entry)
    with np.load(path, allow_pickle=False) as stored:
        return int(path.stem), {name.removeprefix(_MARK): stored[name] for name in stored.files}


def check_checkpoint(folder: Path, entry: str) -> None:
    """Raise DamagedRun if the checkpoint's file was changed."""
    path = _find_file(folder, entry)
    if path is None:
        return
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:  # of a run that grows: a newer one has taken its place
        return
    if found != entry.partition(" ")[2]:
        raise DamagedRun(
            f"{path} is not the checkpoint that was written; delete it, and `openiir resume` starts from the "
            "first step"
        )


def delete_other_checkpoints(folder: Path, entry: str | None) -> None:
    """Delete all checkpoints of a run except the one named by `entry`."""
    place = folder / "checkpoints"
    kept = _find_file(folder, entry or "")
    for path in sorted(place.glob("*.npz")):
        if path != kept:
            path.unlink()
    if place.is_dir() and not any(place.iterdir()):
        place.rmdir()


def checkpoint_path(folder: Path, entry: str) -> Path | None:
    """Return the path of the checkpoint that an entry of the run file names; None if it names none."""
    step = entry.partition(" ")[0]
    return _path_of(folder, int(step)) if step.isdecimal() else None


def _find_file(folder: Path, entry: str) -> Path | None:
    """Find the file of a checkpoint entry; None if it is gone, so that the run resumes from step 1."""
    path = checkpoint_path(folder, entry)
    return path if path is not None and path.is_file() else None


def _path_of(folder: Path, step: int) -> Path:
    return folder / "checkpoints" / f"{step:06}.npz"
