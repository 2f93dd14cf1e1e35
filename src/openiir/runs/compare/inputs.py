"""Find the finished runs in folders of runs and sweeps, each with the settings that decide its outcome."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from openiir.core.errors import InputError, OpeniirError
from openiir.core.storage import read_manifest
from openiir.runs.run_io import open_checked
from openiir.runs.setting import read_setting
from openiir.runs.sweep_record import SWEEP, is_sweep, read_sweep

NOT_COMPARED = ("seed", "name")
"""Keys of a study in which runs of the same arm may differ."""


@dataclass(frozen=True)
class FinishedRun:
    """A finished run with its flattened study and its content hash."""

    folder: Path
    type: str
    name: str
    seed: int
    content: str
    setting: dict[str, Any]
    """The study's dotted keys except seed and name;
    `personas` and `world.NAME.passages` hold a count and a hash."""
    axes: dict[str, Any]
    """The values of the keys that a sweep varied; empty for a run outside a sweep."""
    versions: dict[str, str]


@dataclass
class RunsToCompare:
    """The runs to compare, and notes on what was left out."""

    runs: list[FinishedRun] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    axes: list[str] = field(default_factory=list)
    """Keys that the sweeps among the inputs varied."""
    plain: bool = False
    """Whether some of the inputs are runs outside a sweep."""


def find_runs(folders: Sequence[Path]) -> RunsToCompare:
    """Find the runs in all folders, in order; InputError for a folder without run or sweep."""
    gathered, seen = RunsToCompare(), set()
    for folder in folders:
        for run in _runs_of(folder, gathered):
            if (key := run.folder.resolve()) in seen:
                gathered.left_out.append(f"{run.folder} was named twice and is counted once")
                continue
            seen.add(key)
            gathered.runs.append(run)
    return gathered


def _runs_of(folder: Path, gathered: RunsToCompare) -> Iterator[FinishedRun]:
    if not folder.is_dir():
        what = "is a file, no run's folder" if folder.exists() else "does not exist"
        raise InputError(f"{folder} {what}; name folders that `openiir run` or `openiir sweep` printed")
    if is_sweep(folder):
        yield from _cells(folder, gathered)
    elif (folder / "run.db").is_file():
        gathered.plain = True
        yield _read(folder, {})
    else:
        inner = sorted(p.parent.name for p in folder.glob("*/run.db"))
        hint = f"; there are runs in it, so name {folder}/*" if inner else ""
        raise InputError(f"{folder} is neither a run nor a sweep: it holds no run.db and no {SWEEP}{hint}")


def _cells(folder: Path, gathered: RunsToCompare) -> Iterator[FinishedRun]:
    sweep = read_sweep(folder)
    gathered.axes += [key for key in sweep.axes if key not in gathered.axes]
    for cell in sweep.cells:
        if cell.status == "done":
            yield _read(folder / cell.folder, dict(cell.arm))
            continue
        why = f": {cell.reason}" if cell.reason else ""
        gathered.left_out.append(f"{folder.name}: cell {cell.id} (seed {cell.seed}) is {cell.status}{why}")


def _read(folder: Path, axes: dict[str, Any]) -> FinishedRun:
    if not (folder / "run.db").is_file():
        raise InputError(
            f"{folder} holds no run.db, though its sweep calls it done; restore it, or run the sweep again"
        )
    try:
        with open_checked(folder, finished=True, check=lambda run: None) as run:
            study, content = run.study(), str(run.state("content"))
            about = study["type"], study["name"], study["seed"]
            setting = {key: value for key, value in read_setting(run).items() if key not in NOT_COMPARED}
    except (sqlite3.Error, ValueError, KeyError, TypeError):
        open_checked(folder).close()  # says what is damaged
        raise
    versions: dict[str, str] = {}
    with suppress(OpeniirError, OSError, AttributeError):
        versions = {str(k): str(v) for k, v in read_manifest(folder).get("versions", {}).items()}
    return FinishedRun(folder, *about, content, setting, axes, versions)
