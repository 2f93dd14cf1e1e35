"""A sweep's folder: `plan.json`, what it is; `sweep.json`, how far it is; `cells/`, its runs."""

import json
from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from typing import Any, Literal

from openiir.core.errors import InputError
from openiir.core.hashing import fingerprint
from openiir.core.records import Chunk, Persona, Record
from openiir.core.storage.folder import write_whole
from openiir.runs.toml import fit

SWEEP, PLAN = "sweep.json", "plan.json"
_SECONDS_BETWEEN_WRITES, _SHARE_OF_WRITING = 1.0, 0.02


class Cell(Record):
    """One run of a sweep."""

    id: str
    arm: dict[str, Any]
    seed: int
    folder: str
    """Relative to the sweep's."""
    status: Literal["waiting", "done", "failed"] = "waiting"
    content: str = ""
    """The run's content hash, once it is done."""
    reason: str = ""
    """Why it failed."""

    def with_result(
        self, status: Literal["waiting", "done", "failed"], content: str = "", reason: str = ""
    ) -> "Cell":
        """Copy the cell with how far it came."""
        return self.model_copy(update={"status": status, "content": content, "reason": reason})


class SweepRecord(Record):
    """`sweep.json`."""

    format: Literal[1] = 1
    study: dict[str, Any]
    """The declaration: which study, with which assignments, axes and samples, and the plan's hash."""
    design: str
    axes: dict[str, list[Any]]
    """By key, the values that cells have."""
    seeds: tuple[int, ...]
    cells: tuple[Cell, ...]

    def content(self) -> str:
        """One hash over the cells' hashes in order."""
        return "sha256:" + fingerprint([cell.content for cell in self.cells])


class SweepArm(Record):
    """What all runs of an arm start from, their seed apart."""

    document: dict[str, Any]
    personas: str
    """Key of `Plan.personas`."""
    worlds: dict[str, str]
    """By name, keys of `Plan.worlds`."""


class SweepPlan(Record):
    """`plan.json`: all that the cells need, so that neither a worker nor a resume reads the study's files."""

    format: Literal[1] = 1
    design: str
    axes: dict[str, Any]
    """As declared: lists of values, or ranges."""
    seeds: tuple[int, ...]
    assigned: tuple[dict[str, Any], ...]
    """What each arm assigns."""
    arms: tuple[SweepArm, ...]
    personas: dict[str, tuple[Persona, ...]]
    worlds: dict[str, tuple[Chunk, ...]]
    units: tuple[tuple[float, ...], ...] = ()
    """Morris and Sobol: the design's rows on the unit cube."""
    rows: tuple[int, ...] = ()
    """The arm of each row."""

    folder: str = "."
    """Where the study lies, seen from `plan.json`; not hashed. Empty where the file `study.local` says it."""

    def sha256(self) -> str:
        return "sha256:" + fingerprint(self.model_dump(mode="json", exclude={"folder"}))

    def cells(self) -> tuple[Cell, ...]:
        """Every arm under every seed; the cells of an arm stand together."""
        pairs = [(arm, seed) for arm in self.assigned for seed in self.seeds]
        width = max(4, len(str(len(pairs))))
        ids = [f"{n:0{width}}" for n in range(1, len(pairs) + 1)]
        return tuple(
            Cell(id=id_, arm=arm, seed=seed, folder=f"cells/{id_}")
            for id_, (arm, seed) in zip(ids, pairs, strict=True)
        )


def is_sweep(folder: Path) -> bool:
    """Whether a folder is a sweep's."""
    return (folder / SWEEP).is_file()


def read_sweep(folder: Path) -> SweepRecord:
    """How far a sweep is; raises InputError for a folder without one."""
    return fit(SweepRecord, _read(folder / SWEEP), str(folder / SWEEP))


def read_plan(folder: Path) -> SweepPlan:
    """What a sweep is; raises InputError where it is missing or damaged."""
    return fit(SweepPlan, _read(folder / PLAN), str(folder / PLAN))


def write_json(file: Path, value: Record) -> None:
    """Write a record as a whole. Raises StorageFull."""
    text = json.dumps(value.model_dump(mode="json"), indent=1, ensure_ascii=False, allow_nan=False)
    write_whole(file, text + "\n")


class SweepProgress:
    """Keeps `sweep.json` up to date while cells end; written at intervals, not at each cell."""

    def __init__(self, folder: Path, sweep: SweepRecord) -> None:
        self.folder = folder
        self._sweep = sweep
        self._cells = {cell.id: cell for cell in sweep.cells}
        self._due = 0.0

    @property
    def sweep(self) -> SweepRecord:
        return self._sweep.model_copy(update={"cells": tuple(self._cells.values())})

    def note(self, cell: Cell) -> None:
        """Note the new state of a cell."""
        self._cells[cell.id] = cell
        if monotonic() >= self._due:
            self.write()

    def write(self) -> None:
        """Write `sweep.json` now."""
        began = monotonic()
        write_json(self.folder / SWEEP, self.sweep)
        ended = monotonic()
        self._due = ended + max(_SECONDS_BETWEEN_WRITES, (ended - began) / _SHARE_OF_WRITING)


def with_status(cells: Sequence[Cell], status: str) -> list[Cell]:
    """The cells of a status, in order."""
    return [cell for cell in cells if cell.status == status]


def _read(file: Path) -> Any:
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"{file} does not exist; name the folder that `openiir sweep` printed") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{file} cannot be read ({error}); it is not what `openiir sweep` wrote") from None
