"""The Ray engine of sweeps: each cell is a task, on this machine or on the cluster that $RAY_ADDRESS names.

Every machine needs openiir with the type, and the sweep's folder at the same path.
"""

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

from openiir.core.errors import InputError, OpeniirError
from openiir.core.storage import receipts
from openiir.core.storage.transfer import receive_run
from openiir.core.sums import int_sum
from openiir.runs.build import read_terms
from openiir.runs.changes import unfold_terms
from openiir.runs.settings import Settings
from openiir.runs.study_files import hash_file
from openiir.runs.sweep.inputs import store_inputs
from openiir.runs.sweep.local import run_side_by_side, worker_environment
from openiir.runs.sweep.node import NodeOrder, NodeRunner, list_versions
from openiir.runs.sweep_record import ASIDE, PLAN, Cell, SweepPlan, read_plan
from openiir.runs.terminal import print_message
from openiir.runs.types import find_origin, find_type

INSTALL = "pip install 'openiir[ray]'"
_SENT = ("PYTHONPATH", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_LIVES = 3
"""Number of times that a cell is begun again after its machine or its process died."""
_GRACE = 10.0
"""Seconds that cancelled cells have to put their runs into the sweep's folder."""
_PATIENCE = 5.0
"""Seconds for a cluster's address to answer."""
_STORE_BYTES = 80_000_000
"""Size of Ray's object store on this machine alone: cells send next to nothing."""

_runners: dict[str, NodeRunner] = {}
"""Runners by sweep folder, so that each Ray process fits the parts shared by cells only once."""


async def run_ray(
    folder: Path, settings: Settings, cells: Sequence[Cell], workers: int | None, note: Callable[[Cell], None]
) -> None:
    """Run a sweep's cells as Ray tasks, at most `workers` at a time; `note` receives each as it ends.

    Raises InputError for a cluster that cannot be joined, and for machines that lack what the sweep needs.
    """
    ray = import_ray()
    folder, joined = folder.resolve(), bool(os.environ.get("RAY_ADDRESS"))
    order = make_order(folder, settings, joined)
    study = receipts.study_folder_of(folder)
    _join(ray, joined, workers)
    try:
        sent = ray.put(order.model_dump(mode="json"))
        cores = _check_nodes(ray, sent, joined)
        task = ray.remote(num_cpus=1, max_retries=_LIVES)(_run_cell)

        async def run(cell: Cell) -> Cell:
            result = task.remote(sent, cell.model_dump(mode="json"))
            future = asyncio.wrap_future(result.future())
            try:
                ended = Cell.model_validate(await asyncio.shield(future))
            except ray.exceptions.RayError as error:
                ended = cell.with_result("failed", reason=describe_ray_error(error))
            except asyncio.CancelledError:
                ray.cancel(result)
                with suppress(TimeoutError, ray.exceptions.RayError):
                    await asyncio.wait_for(future, _GRACE)
                raise
            finally:
                receive_run(folder / cell.folder, study)
            return ended

        await run_side_by_side(cells, workers or 2 * cores, note, lambda: nullcontext(run))
    finally:
        ray.shutdown()
        with suppress(OSError):  # a machine that died has left something in it, or there is none
            (folder / ASIDE).rmdir()


def import_ray() -> Any:
    """Import the Ray package; raises InputError with the install command if it is missing."""
    try:
        import ray
    except ImportError:
        raise InputError(f"--engine ray needs Ray, which is not installed: {INSTALL}") from None
    return ray


def make_order(folder: Path, settings: Settings, joined: bool) -> NodeOrder:
    """Write what machines are told of a sweep, and store the files that its cells read."""
    plan, study, here = read_plan(folder), receipts.study_folder_of(folder).resolve(), Path.cwd().resolve()
    _refuse_people(plan)
    types = sorted({arm.document["type"] for arm in plan.arms})
    paths = [
        path for entry in sys.path if not (path := Path(entry or here).resolve()).is_relative_to(sys.prefix)
    ]
    return NodeOrder(
        folder=str(folder),
        study=str(study),
        plan=hash_file(folder / PLAN),
        types={name: find_origin(name) for name in types},
        versions=list_versions(),
        inputs=store_inputs(folder, plan),
        settings=settings.model_dump(mode="json"),
        place=str(here.relative_to(study)) if here.is_relative_to(study) else None,
        path=tuple(str(path.relative_to(study)) for path in paths if path.is_relative_to(study)),
        joined=joined,
    )


def _refuse_people(plan: SweepPlan) -> None:
    for arm in plan.arms:
        scenario = find_type(arm.document["type"])
        for terms in unfold_terms(scenario, *read_terms(arm.document, scenario), "the plan"):
            if "human" in terms.answers.names():
                raise InputError(
                    "people answer by files in the folders of running cells, which are on the disks of the "
                    "machines; sweep such a study with --engine local"
                )


def _join(ray: Any, joined: bool, workers: int | None) -> None:
    """Join the cluster of $RAY_ADDRESS, or start Ray on this machine; InputError where that cannot be."""
    if ray.is_initialized():
        raise InputError("this process uses Ray already; call ray.shutdown() before the sweep")
    sent = {name: value for name, value in worker_environment().items() if name in _SENT}
    if joined:
        _probe(os.environ["RAY_ADDRESS"])
        del sent["PYTHONPATH"]  # another machine has its own
        terms: dict[str, Any] = {}
    else:
        cores = workers or os.cpu_count() or 1
        terms = {"num_cpus": cores, "include_dashboard": False, "object_store_memory": _STORE_BYTES}
    try:
        ray.init(runtime_env={"env_vars": sent}, logging_level="error", log_to_driver=False, **terms)
    except Exception as error:  # Ray raises errors of many kinds
        if not joined:
            raise
        raise InputError(
            f"the Ray cluster at RAY_ADDRESS={os.environ['RAY_ADDRESS']} cannot be joined: "
            f"{' '.join(str(error).split())[:400]}; Ray's version and token must be the same here and there"
        ) from None


def _probe(address: str) -> None:
    """Raise InputError if nothing answers at an address, for which Ray would wait for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not port.isdigit():
        return  # such as "auto"
    try:
        socket.create_connection((host, int(port)), _PATIENCE).close()
    except OSError as error:
        raise InputError(
            f"no Ray answers at RAY_ADDRESS={address} ({error.strerror or error}); start it there by "
            "`ray start --head --port PORT`, or unset RAY_ADDRESS to use this machine alone"
        ) from None


def _check_nodes(ray: Any, sent: Any, joined: bool) -> int:
    """Check that all machines have what the sweep needs; returns the number of their processors."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    nodes = [one for one in ray.nodes() if one["Alive"] and one["Resources"].get("CPU")]
    check = ray.remote(num_cpus=0, max_retries=0)(_prepare_node)
    asked = {}
    for one in nodes:
        there = NodeAffinitySchedulingStrategy(one["NodeID"], soft=False)
        asked[f"{one['NodeManagerHostname']} ({one['NodeName']})"] = check.options(
            scheduling_strategy=there
        ).remote(sent)
    lacking = []
    for name, result in asked.items():
        try:
            reason = ray.get(result)
        except ray.exceptions.RayError as error:
            reason = describe_ray_error(error)
        if reason:
            lacking.append(f"  {name}: {reason}")
    if lacking:
        raise InputError("\n".join(["these machines of the cluster cannot run the sweep:", *lacking]))
    cores = int_sum(int(one["Resources"]["CPU"]) for one in nodes)
    if joined:
        print_message(f"Ray: {len(nodes)} machines, {cores} processors")
    return cores


def describe_ray_error(error: Exception) -> str:
    """Write why a machine could not do what Ray gave it, such as a missing package, in one line."""
    text = " ".join(str(error).split())
    if "No module named 'openiir" in text:
        return "openiir is not installed there for Ray's Python; install the same version as here"
    return f"Ray: {type(error).__name__}: {text[-300:]}"


def _prepare_node(order: dict[str, Any]) -> str:
    """Check a machine, in a process of it; returns what it lacks, empty if nothing."""
    try:
        _runner(order)
    except (OpeniirError, OSError) as error:
        return str(error)
    return ""


def _run_cell(order: dict[str, Any], cell: dict[str, Any]) -> dict[str, Any]:
    found = Cell.model_validate(cell)
    try:
        runner = _runner(order)
    except (OpeniirError, OSError) as error:  # a machine that joined later
        return found.with_result("failed", reason=str(error)).model_dump(mode="json")
    return asyncio.run(runner.run(found)).model_dump(mode="json")


def _runner(order: dict[str, Any]) -> NodeRunner:
    folder = order["folder"]
    if folder not in _runners:
        # A Ray that was started in the background ignores the signal by which a task is cancelled.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        _runners[folder] = NodeRunner(NodeOrder.model_validate(order))
    return _runners[folder]
