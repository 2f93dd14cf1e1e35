"""Run the cells of a sweep; what they share is read and fitted once."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from openiir.core.errors import InputError, OpeniirError, RunBusy
from openiir.core.records import Chunk
from openiir.core.storage import RunFile, is_free
from openiir.core.storage.folder import find_study_folder
from openiir.core.world import WorldSpec
from openiir.runs.engine import Silent, drive, resume
from openiir.runs.prepare import declare_run, fit_world
from openiir.runs.run_io import open_checked
from openiir.runs.settings import Settings
from openiir.runs.sweep.record import Cell, SweepArm, SweepPlan, read_plan

_PATIENCE, _WAIT = 100, 0.05
"""How often, and after how many seconds each, a run is tried that a process about to die still holds."""


@dataclass
class CellRunner:
    """Runs the cells of one sweep in one process."""

    folder: Path
    """The sweep's."""
    plan: SweepPlan
    settings: Settings
    _fitted: dict[str, dict[str, bytes]] = field(default_factory=dict)

    @classmethod
    def at(cls, folder: Path, settings: Settings) -> "CellRunner":
        """Open a sweep that has begun; raises InputError where its plan cannot be read."""
        return cls(folder, read_plan(folder), settings)

    async def run(self, cell: Cell) -> Cell:
        """The cell as it ended: done, or failed with the reason; only a cancellation gets out."""
        try:
            content = await self._content(cell)
        except OpeniirError as error:
            return cell.model_copy(update={"status": "failed", "content": "", "reason": str(error)})
        except Exception as error:  # a type may fail in any way; the other cells must go on
            reason = f"{type(error).__name__}: {error}"
            return cell.model_copy(update={"status": "failed", "content": "", "reason": reason})
        return cell.model_copy(update={"status": "done", "content": content, "reason": ""})

    async def _content(self, cell: Cell) -> str:
        for _ in range(_PATIENCE):
            try:
                return await self._to_its_end(cell)
            except RunBusy:
                await asyncio.sleep(_WAIT)
        return await self._to_its_end(cell)

    async def _to_its_end(self, cell: Cell) -> str:
        """A cell begins where nothing is, and goes on where a run of its own was left."""
        arm = self.plan.arms[(int(cell.id) - 1) // len(self.plan.seeds)]
        document = {**arm.document, "seed": cell.seed}
        folder = self.folder / cell.folder
        if not is_free(folder):
            with open_checked(folder) as run:
                _check_own(run, document)
            return await resume(folder, self.settings, Silent())
        personas, place = self.plan.personas[arm.personas], find_study_folder(self.folder, self.plan.folder)
        with declare_run(folder, document, personas, *self._worlds(arm), place) as run:
            return await drive(run, self.settings, Silent())

    def _worlds(self, arm: SweepArm) -> tuple[list[Chunk], dict[str, bytes]]:
        chunks: list[Chunk] = []
        fitted: dict[str, bytes] = {}
        for name, key in sorted(arm.worlds.items()):
            chunks += self.plan.worlds[key]
            fitted |= self._fit(
                name, key, WorldSpec.model_validate({**arm.document["world"][name], "sources": ()})
            )
        return chunks, fitted

    def _fit(self, name: str, key: str, spec: WorldSpec) -> dict[str, bytes]:
        label = f"{key}/{spec.dimensions}/{spec.embeddings}"
        if label not in self._fitted:
            self._fitted[label] = fit_world(name, spec, self.plan.worlds[key])
        return self._fitted[label]


def _check_own(run: RunFile, document: dict[str, Any]) -> None:
    if run.study() != document:
        raise InputError(f"{run.folder} holds a run of another study; move it away and resume the sweep")
