"""The Ray engine of sweeps: each cell is a task, on this machine or on the cluster that $RAY_ADDRESS names.

Every machine needs openiir with the type, and the sweep's folder at the same path.
"""

import asyncio
import os
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from openiir.core.errors import InputError
from openiir.runs.settings import Settings
from openiir.runs.sweep.local import run_side_by_side, worker_environment
from openiir.runs.sweep.worker import CellRunner
from openiir.runs.sweep_record import Cell

INSTALL = "pip install 'openiir[ray]'"
_SENT = ("PYTHONPATH", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

_runners: dict[str, CellRunner] = {}
"""Runners by sweep folder, so that each Ray process fits the parts shared by cells only once."""


async def run_ray(
    folder: Path, settings: Settings, cells: Sequence[Cell], workers: int, note: Callable[[Cell], None]
) -> None:
    """Run a sweep's cells as Ray tasks, at most `workers` at a time; `note` receives each as it ends."""
    ray = import_ray()
    ray.init(
        **_terms(bool(os.environ.get("RAY_ADDRESS")), workers), logging_level="error", log_to_driver=False
    )
    try:
        task = ray.remote(num_cpus=1, max_retries=1)(_run_cell)
        sent = str(folder.resolve()), settings.model_dump(mode="json")

        async def run(cell: Cell) -> Cell:
            try:
                ended = await asyncio.wrap_future(task.remote(*sent, cell.model_dump(mode="json")).future())
            except ray.exceptions.RayError as error:
                reason = f"Ray: {type(error).__name__}: {str(error).strip()[-300:]}"
                return cell.with_result("failed", reason=reason)
            return Cell.model_validate(ended)

        await run_side_by_side(cells, workers, note, lambda: nullcontext(run))
    finally:
        ray.shutdown()


def import_ray() -> Any:
    """Import the Ray package; raises InputError with the install command if it is missing."""
    try:
        import ray
    except ImportError:
        raise InputError(f"--engine ray needs Ray, which is not installed: {INSTALL}") from None
    return ray


def _terms(joined: bool, workers: int) -> dict[str, Any]:
    sent = {name: value for name, value in worker_environment().items() if name in _SENT}
    if joined:
        del sent["PYTHONPATH"]  # another machine has its own
        return {"runtime_env": {"env_vars": sent}}
    return {"num_cpus": workers, "include_dashboard": False, "runtime_env": {"env_vars": sent}}


def _run_cell(folder: str, settings: dict[str, Any], cell: dict[str, Any]) -> dict[str, Any]:
    if folder not in _runners:
        _runners[folder] = CellRunner(Path(folder), Settings.model_validate(settings))
    return asyncio.run(_runners[folder].run(Cell.model_validate(cell))).model_dump(mode="json")
