"""Run cells of a sweep in this process, or as a worker process for another one; shared parts are fitted once.

A worker process reads cells from its input, a line each, and writes each as it ended. The first line names
the sweep and its settings. When the input ends (all is done, or the parent has died), the present run is
stopped as by Ctrl-C and the process exits.
"""

import asyncio
import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any, TextIO

from openiir.core.errors import InputError, OpeniirError, RunBusy
from openiir.core.records import Chunk
from openiir.core.storage import RunFile, is_free
from openiir.core.storage.receipts import study_folder_of
from openiir.core.storage.run_start import RunHome
from openiir.core.world import WorldSpec
from openiir.runs.engine import Watcher, drive, resume
from openiir.runs.prepare import declare_run, fit_world
from openiir.runs.run_io import open_checked
from openiir.runs.settings import Settings, apply_settings
from openiir.runs.sweep_record import Cell, SweepArm, read_plan

_PATIENCE, _WAIT = 100, 0.05
"""Number of tries, and seconds between them, to open a run that a dying process still holds."""
_GRACE = 1.0
"""Seconds that a run has to stop, when it next waits for something;
what it has committed is safe in any case."""


class CellRunner:
    """Runner of a sweep's cells in one process. Raises InputError where the sweep's plan cannot be read.

    On a machine of a cluster, `scratch` is the folder of the runs while they are made, `place` that of the
    study's files, and `home` where the study lies on the machine that began the sweep.
    """

    def __init__(
        self,
        folder: Path,
        settings: Settings,
        scratch: Path | None = None,
        place: Path | None = None,
        home: Path | None = None,
    ) -> None:
        apply_settings(settings)
        self.folder, self.settings, self.plan = folder, settings, read_plan(folder)
        self.scratch, self.home = scratch or folder, home
        self.place = place or study_folder_of(folder)
        self.watcher = Watcher()
        self._fitted: dict[str, dict[str, bytes]] = {}

    async def run(self, cell: Cell) -> Cell:
        """Run a cell and return it as done, or as failed with the reason; only a cancellation is raised."""
        for _ in range(_PATIENCE):
            try:
                content = await self._run_to_end(cell)
            except RunBusy as busy:
                reason = str(busy)
                await asyncio.sleep(_WAIT)
            except Exception as error:  # a type may fail in any way; the other cells must go on
                kind = "" if isinstance(error, OpeniirError) else f"{type(error).__name__}: "
                return cell.with_result("failed", reason=f"{kind}{error}")
            else:
                return cell.with_result("done", content)
        return cell.with_result("failed", reason=reason)

    async def _run_to_end(self, cell: Cell) -> str:
        """Start a cell's run, or resume the one found in its folder, and return the content hash."""
        folder = self.scratch / cell.folder
        if not is_free(folder):
            RunFile.undo_half_written(folder)
            with open_checked(folder) as run:
                self.check_own(run, cell)
            return await resume(folder, self.settings, self.watcher)
        arm = self._arm(cell)
        personas = self.plan.personas[arm.personas]
        home = RunHome(self.folder / cell.folder, self.home) if self.home else None
        with declare_run(folder, self._document(cell), personas, *self._worlds(arm), self.place, home) as run:
            return await drive(run, self.settings, self.watcher)

    def check_own(self, run: RunFile, cell: Cell) -> None:
        """Raise InputError if a run found in a cell's folder is one of another study."""
        if run.study() != self._document(cell):
            raise InputError(f"{run.folder} holds a run of another study; move it away and resume the sweep")

    def _arm(self, cell: Cell) -> SweepArm:
        return self.plan.arms[(int(cell.id) - 1) // len(self.plan.seeds)]

    def _document(self, cell: Cell) -> dict[str, Any]:
        return {**self._arm(cell).document, "seed": cell.seed}

    def _worlds(self, arm: SweepArm) -> tuple[list[Chunk], dict[str, bytes]]:
        chunks: list[Chunk] = []
        fitted: dict[str, bytes] = {}
        for name, key in sorted(arm.worlds.items()):
            spec = WorldSpec.model_validate({**arm.document["world"][name], "sources": ()})
            label = f"{key}/{spec.dimensions}/{spec.embeddings}"
            if label not in self._fitted:
                self._fitted[label] = fit_world(name, spec, self.plan.worlds[key])
            chunks += self.plan.worlds[key]
            fitted |= self._fitted[label]
        return chunks, fitted


def main() -> None:
    """Run cells read from standard input, as a worker process, until the input ends."""
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as out:
        os.dup2(2, 1)  # a type that prints must not print into the answers
        sys.stdout = sys.stderr
        hello = json.loads(sys.stdin.readline() or "null")
        if hello is None:
            return
        runner = CellRunner(Path(hello["folder"]), Settings.model_validate(hello["settings"]))
        try:
            asyncio.run(_serve(runner, out))
        except asyncio.CancelledError:
            return


async def _serve(runner: CellRunner, out: TextIO) -> None:
    waiting: asyncio.Queue[str] = asyncio.Queue()
    loop, life = asyncio.get_running_loop(), asyncio.current_task()
    assert life is not None
    threading.Thread(target=_listen, args=(loop, waiting, life), daemon=True).start()
    while True:
        ended = await runner.run(Cell.model_validate_json(await waiting.get()))
        out.write(ended.model_dump_json() + "\n")
        out.flush()


def _listen(
    loop: asyncio.AbstractEventLoop, waiting: "asyncio.Queue[str]", life: "asyncio.Task[None]"
) -> None:
    for line in sys.stdin:
        loop.call_soon_threadsafe(waiting.put_nowait, line)
    loop.call_soon_threadsafe(life.cancel)
    time.sleep(_GRACE)
    os._exit(1)
