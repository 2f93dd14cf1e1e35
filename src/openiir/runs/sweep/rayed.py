"""The Ray engine: each cell a task, on this machine or on the cluster that $RAY_ADDRESS names.

Every machine needs openiir with the type, and the sweep's folder at the same path.
"""

import asyncio
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from openiir.core.errors import InputError, OpeniirError
from openiir.runs.settings import Settings
from openiir.runs.sweep.bench import CellRunner
from openiir.runs.sweep.local import environment
from openiir.runs.sweep.record import Cell

INSTALL = "pip install 'openiir[ray]'"
_SENT = ("PYTHONPATH", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

_benches: dict[str, CellRunner] = {}
"""One bench a Ray worker and sweep, so that what cells share is fitted once a process."""


async def run_ray(
    folder: Path, settings: Settings, cells: Sequence[Cell], workers: int, told: Callable[[Cell], None]
) -> None:
    """Run the cells as Ray tasks, at most `workers` at a time; `told` hears of each as it ends."""
    ray = ray_installed()
    joined = bool(os.environ.get("RAY_ADDRESS"))
    ray.init(**_terms(joined, workers), logging_level="error", log_to_driver=False)
    try:
        task = ray.remote(num_cpus=1, max_retries=1)(_run_cell)
        told_settings = settings.model_dump(mode="json")
        plan = str(folder.resolve())
        slots = asyncio.Semaphore(workers)

        async def one(cell: Cell) -> None:
            async with slots:
                promised = task.remote(plan, told_settings, cell.model_dump(mode="json"))
                try:
                    ended = await asyncio.wrap_future(promised.future())
                except ray.exceptions.RayError as error:
                    failed = {
                        "status": "failed",
                        "reason": f"Ray: {type(error).__name__}: {str(error).strip()[-300:]}",
                    }
                    told(cell.model_copy(update=failed))
                    return
                told(Cell.model_validate(ended))

        try:
            async with asyncio.TaskGroup() as group:
                for cell in cells:
                    group.create_task(one(cell))
        except* OpeniirError as errors:
            raise errors.exceptions[0] from None
    finally:
        ray.shutdown()


def ray_installed() -> Any:
    """Ray itself; raises InputError with the command that installs it."""
    try:
        import ray
    except ImportError:
        raise InputError(f"--engine ray needs Ray, which is not installed: {INSTALL}") from None
    return ray


def _terms(joined: bool, workers: int) -> dict[str, Any]:
    sent = {name: value for name, value in environment().items() if name in _SENT}
    if joined:
        del sent["PYTHONPATH"]  # another machine has its own
        return {"runtime_env": {"env_vars": sent}}
    return {"num_cpus": workers, "include_dashboard": False, "runtime_env": {"env_vars": sent}}


def _run_cell(folder: str, settings: dict[str, Any], cell: dict[str, Any]) -> dict[str, Any]:
    if folder not in _benches:
        _benches[folder] = CellRunner.at(Path(folder), Settings.model_validate(settings))
    return asyncio.run(_benches[folder].run(Cell.model_validate(cell))).model_dump(mode="json")
