"""The local engine of sweeps: worker processes on this machine, each used for many cells."""

import asyncio
import json
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from pathlib import Path
from typing import Any

from openiir.core.errors import OpeniirError
from openiir.runs.settings import Settings
from openiir.runs.sweep_record import Cell

RunCell = Callable[[Cell], Awaitable[Cell]]
PROGRAM = (sys.executable, "-P", "-c", "from openiir.runs.sweep.worker import main; main()")
"""Command line of a worker process."""
_LINE = 1 << 24
"""Largest size of a worker's answer, in bytes."""
_GRACE = 5.0
_LIVES = 2
"""Number of tries for a cell whose worker process dies, since another cell may be the cause of its death."""
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


async def run_local(
    folder: Path, settings: Settings, cells: Sequence[Cell], workers: int | None, note: Callable[[Cell], None]
) -> None:
    """Run a sweep's cells in worker processes; `note` receives each as it ends. Cancelling stops them."""
    hello = {"folder": str(folder.resolve()), "settings": settings.model_dump(mode="json")}
    await run_side_by_side(cells, workers or os.cpu_count() or 1, note, lambda: _Worker(hello))


async def run_side_by_side(
    cells: Sequence[Cell],
    workers: int,
    note: Callable[[Cell], None],
    worker: Callable[[], AbstractAsyncContextManager[RunCell]],
) -> None:
    """Run a sweep's cells in order, each worker one at a time; `note` receives each as it ends."""
    waiting = deque(cells)

    async def work() -> None:
        async with worker() as run:
            while waiting:
                note(await run(waiting.popleft()))

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(workers, len(cells))):
                group.create_task(work())
    except* OpeniirError as errors:
        raise errors.exceptions[0] from None


class _Worker:
    """A worker process, started when it is first needed and again after it died."""

    def __init__(self, hello: dict[str, Any]) -> None:
        self.hello = hello
        self.death = ""
        self._process: Process | None = None

    async def __aenter__(self) -> RunCell:
        return self.run

    async def run(self, cell: Cell) -> Cell:
        """Run a cell on the process, and once more on a fresh process where that one died."""
        for _ in range(_LIVES):
            if (ended := await self._send(cell)) is not None:
                return ended
        return cell.with_result(
            "failed",
            reason=(f"its worker process died {_LIVES} times ({self.death}); is there memory for --workers?"),
        )

    async def _send(self, cell: Cell) -> Cell | None:
        """Send a cell to the process and return it as it ended; None where the process died."""
        process = self._process or await self._start()
        assert process.stdin is not None and process.stdout is not None
        with suppress(BrokenPipeError, ConnectionResetError):
            process.stdin.write(cell.model_dump_json().encode() + b"\n")
            await process.stdin.drain()
        line = await process.stdout.readline()
        if line.endswith(b"\n"):
            return Cell.model_validate_json(line)
        code = await process.wait()
        self.death = f"signal {-code}" if code < 0 else f"exit code {code}"
        self._process = None
        return None

    async def _start(self) -> Process:
        self._process = await asyncio.create_subprocess_exec(
            *PROGRAM, stdin=PIPE, stdout=PIPE, limit=_LINE, env=worker_environment(), start_new_session=True
        )
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(self.hello).encode() + b"\n")
        return self._process

    async def __aexit__(self, *_: object) -> None:
        """End the process by closing its input, and by force where that is not enough."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        process.stdin.close()
        try:
            async with asyncio.timeout(_GRACE):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()


def worker_environment() -> dict[str, str]:
    """Return a worker's environment variables: this process's, import path, one linear-algebra thread."""
    path = os.pathsep.join(entry or str(Path.cwd()) for entry in sys.path)
    return dict.fromkeys(_THREADS, "1") | os.environ | {"PYTHONPATH": path}
