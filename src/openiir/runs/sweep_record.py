"""Read and write a sweep's folder: its plan `plan.json`, its progress `sweep.json`, its runs `cells/`."""

import json
from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from typing import Annotated, Any, Literal

from pydantic import AfterValidator

from openiir.core.errors import InputError
from openiir.core.files import limits
from openiir.core.hashing import fingerprint
from openiir.core.records import Chunk, Persona, Record
from openiir.core.storage.folder import write_whole
from openiir.core.storage.gate import read_run_file
from openiir.core.toml import validate_record
from openiir.runs.reasons import withhold_addresses

SWEEP, PLAN, INPUTS, STORE, CELLS = "sweep.json", "plan.json", "inputs.json", "inputs", "cells"
ASIDE = ".arriving"
"""Names in a sweep's folder; for cells that run on other machines, STORE has the files listed in INPUTS, and
ASIDE the runs that are being copied to CELLS."""
_SECONDS_BETWEEN_WRITES, _SHARE_OF_WRITING = 1.0, 0.02


class Cell(Record):
    """One run of a sweep: its arm, seed, folder and status."""

    id: str
    arm: dict[str, Any]
    seed: int
    folder: str
    """Folder of the run, relative to the sweep's folder."""
    status: Literal["waiting", "done", "failed"] = "waiting"
    content: str = ""
    """Content hash of the run, once it is done."""
    reason: Annotated[str, AfterValidator(withhold_addresses)] = ""
    """Why the run failed."""

    def with_result(
        self, status: Literal["waiting", "done", "failed"], content: str = "", reason: str = ""
    ) -> "Cell":
        """Return a copy of the cell with a new status, and a content hash or a reason."""
        return self.model_copy(
            update={"status": status, "content": content, "reason": withhold_addresses(reason)}
        )


class SweepRecord(Record):
    """A sweep's declaration and the status of its cells, as stored in `sweep.json`."""

    format: Literal[1] = 1
    study: dict[str, Any]
    """Declaration of the sweep: the study, assignments, axes, samples, and the plan's hash."""
    design: str
    axes: dict[str, list[Any]]
    """The values that occur in the cells, by varied key."""
    seeds: tuple[int, ...]
    cells: tuple[Cell, ...]

    def content(self) -> str:
        """Compute one hash over the cells' content hashes, in order."""
        return "sha256:" + fingerprint([cell.content for cell in self.cells])


class SweepArm(Record):
    """Everything with which the runs of an arm start, except the seed."""

    document: dict[str, Any]
    personas: str
    """Key of the personas in `SweepPlan.personas`."""
    worlds: dict[str, str]
    """Keys of the worlds in `SweepPlan.worlds`, by name."""


class EvolutionSweepPlan(Record):
    """Options of an evolutionary sweep (`evolve` design), from which further generations are planned."""

    study: str
    """Name of the study's file."""
    set: tuple[str, ...]
    fitness: str
    """Measure to select by: the more the better, or the less with a minus before it."""
    population: int
    generations: int
    """Number of generations, the founders' included."""
    founders: int = 0
    """Number of distinct arms of the first generation."""


class SweepPlan(Record):
    """A sweep's plan with all that its cells need, as stored in `plan.json`.

    Neither a worker nor a resume reads the study's files; only an evolution reads them again, for each
    generation.
    """

    format: Literal[1] = 1
    design: str
    axes: dict[str, Any]
    """Axes as declared: lists of values, or ranges."""
    seeds: tuple[int, ...]
    assigned: tuple[dict[str, Any], ...]
    """Keys and values that each arm assigns."""
    arms: tuple[SweepArm, ...]
    personas: dict[str, tuple[Persona, ...]]
    worlds: dict[str, tuple[Chunk, ...]]
    units: tuple[tuple[float, ...], ...] = ()
    """Rows of a Morris or Sobol design on the unit cube."""
    rows: tuple[int, ...] = ()
    """Position of each row's arm in `arms`."""

    evolution: EvolutionSweepPlan | None = None
    """With the design `evolve`: arms are added to the founders' as generations end."""

    folder: str = "."
    """Folder of the study, relative to `plan.json`; not hashed.
    Empty where the file `study.local` names it."""

    def sha256(self) -> str:
        """Compute the plan's hash; for an evolutionary sweep, that of the plan as it began."""
        if self.evolution is None:
            return "sha256:" + fingerprint(self.model_dump(mode="json", exclude={"folder", "evolution"}))
        began = self.model_dump(mode="json", exclude={"folder", "personas"})
        for name in ("arms", "assigned"):
            began[name] = began[name][: self.evolution.founders]
        return "sha256:" + fingerprint(began)

    def cells(self) -> tuple[Cell, ...]:
        """List a cell for every arm and every seed; the cells of an arm are adjacent."""
        pairs = [(arm, seed) for arm in self.assigned for seed in self.seeds]
        width = max(4, len(str(len(pairs))))
        ids = [f"{n:0{width}}" for n in range(1, len(pairs) + 1)]
        return tuple(
            Cell(id=id_, arm=arm, seed=seed, folder=f"{CELLS}/{id_}")
            for id_, (arm, seed) in zip(ids, pairs, strict=True)
        )


class CellWatcher:
    """Interface for watching the progress of a sweep; its methods do nothing unless overridden."""

    def begin(self, total: int, kept: int) -> None:
        """Handle the start of a sweep with `total` cells (runs), of which `kept` are done already."""

    def end_cell(self, cell: Cell) -> None:
        """Handle the end of a cell, done or failed."""


def is_sweep(folder: Path) -> bool:
    """Whether a folder holds a sweep."""
    return (folder / SWEEP).is_file()


def read_sweep(folder: Path) -> SweepRecord:
    """Read a sweep's declaration and progress; raises InputError for a folder without a sweep."""
    return validate_record(SweepRecord, _read(folder / SWEEP), str(folder / SWEEP))


def read_plan(folder: Path) -> SweepPlan:
    """Read a sweep's plan; raises InputError where it is missing or damaged."""
    return validate_record(SweepPlan, _read(folder / PLAN), str(folder / PLAN))


def write_json(file: Path, value: Record) -> None:
    """Write a record to a JSON file, completely or not at all. Raises StorageFull."""
    text = json.dumps(value.model_dump(mode="json"), indent=1, ensure_ascii=False, allow_nan=False)
    write_whole(file, text + "\n")


class SweepProgress:
    """Progress of a running sweep, written to `sweep.json` at intervals while cells end."""

    def __init__(self, folder: Path, sweep: SweepRecord) -> None:
        self.folder = folder
        self._sweep = sweep
        self._cells = {cell.id: cell for cell in sweep.cells}
        self._due = 0.0

    @property
    def sweep(self) -> SweepRecord:
        return self._sweep.model_copy(update={"cells": tuple(self._cells.values())})

    def note(self, cell: Cell) -> None:
        """Record the new status of a cell; `sweep.json` is written if it is due."""
        self._cells[cell.id] = cell
        if monotonic() >= self._due:
            self.write()

    def write(self) -> None:
        """Write `sweep.json` immediately."""
        began = monotonic()
        write_json(self.folder / SWEEP, self.sweep)
        ended = monotonic()
        self._due = ended + max(_SECONDS_BETWEEN_WRITES, (ended - began) / _SHARE_OF_WRITING)


def with_status(cells: Sequence[Cell], status: str) -> list[Cell]:
    """List the cells with a given status, in order."""
    return [cell for cell in cells if cell.status == status]


def _read(file: Path) -> Any:
    try:
        return json.loads(read_run_file(file, limits().file_bytes))
    except FileNotFoundError:
        raise InputError(f"{file} does not exist; name the folder that `openiir sweep` printed") from None
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{file} cannot be read ({error}); it is not what `openiir sweep` wrote") from None
