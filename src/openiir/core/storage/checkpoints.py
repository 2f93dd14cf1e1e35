"""Checkpoints: the arrays of a type's whole state at a step, from which a run resumes.

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

_MARK = "kept_"
"""Before each name in the file, since NumPy takes some names for its own."""


def write(folder: Path, step: int, arrays: Mapping[str, NDArray[Any]]) -> str:
    """Write a checkpoint and sync it to disk; returns its entry in the run file, `STEP HASH`."""
    path = _path(folder, step)
    path.parent.mkdir(exist_ok=True)
    with path.open("wb+") as file:
        np.savez(file, allow_pickle=False, **{f"{_MARK}{name}": array for name, array in arrays.items()})  # type: ignore[arg-type]
        file.flush()
        os.fsync(file.fileno())
        file.seek(0)
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return f"{step} {digest}"


def read(folder: Path, entry: str) -> tuple[int, dict[str, NDArray[Any]]] | None:
    """Read step and arrays of the checkpoint that the run file names; None where the file is gone.

    Raises DamagedRun.
    """
    if not is_there(folder, entry):
        return None
    check(folder, entry)
    step = int(entry.split()[0])
    with np.load(_path(folder, step), allow_pickle=False) as stored:
        return step, {name.removeprefix(_MARK): stored[name] for name in stored.files}


def is_there(folder: Path, entry: str) -> bool:
    """Whether the file of a checkpoint exists; without it a run resumes from its first step."""
    step = entry.partition(" ")[0]
    return step.isdecimal() and _path(folder, int(step)).is_file()


def check(folder: Path, entry: str) -> None:
    """Raise DamagedRun for a checkpoint that was changed."""
    if not is_there(folder, entry):
        return
    step, _, expected = entry.partition(" ")
    path = _path(folder, int(step))
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:  # of a run that grows: a newer one has taken its place
        return
    if found != expected:
        raise DamagedRun(
            f"{path} is not the checkpoint that was written; delete it, and `openiir resume` starts from the first step"
        )


def drop_others(folder: Path, entry: str | None) -> None:
    """Delete all checkpoints but the one named, and their folder with the last."""
    place = folder / "checkpoints"
    step = (entry or "").partition(" ")[0]
    for path in sorted(place.glob("*.npz")):
        if not step.isdecimal() or path != _path(folder, int(step)):
            path.unlink()
    if place.is_dir() and not any(place.iterdir()):
        place.rmdir()


def _path(folder: Path, step: int) -> Path:
    return folder / "checkpoints" / f"{step:06}.npz"
