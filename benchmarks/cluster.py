"""Sweeps beyond one machine: many small cells on two Ray nodes of one processor, and the head's own work.

    python benchmarks/cluster.py run [--cells 500] [--alone 100]
    python benchmarks/cluster.py head [--cells 10000]

`run` carries out sweeps of small panels: some cells by a loop in one process (bare), and by one that runs
them as a node of a cluster does (its CPU time tells more on a busy machine); many by the local engine on two
workers and by Ray on two nodes of this machine. The time to start is measured by a sweep of two cells;
contents must be equal. `head` measures what the machine that began a sweep does apart from cells, for arms
that wait: planning them, reading and writing the sweep's files.
"""

import asyncio
import os
import subprocess
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from measuring import OPENIIR, Spent, peak_megabytes, run_command, spend, time_process
from openiir.runs.settings import Settings
from openiir.runs.sweep.execute import check_plan, hold_folder, list_plan_permissions, write_or_find_plan
from openiir.runs.sweep.node import NodeRunner
from openiir.runs.sweep.planning import SweepOrder, plan_sweep
from openiir.runs.sweep.rayed import make_order
from openiir.runs.sweep.worker import CellRunner
from openiir.runs.sweep_record import PLAN, SWEEP, SweepProgress, read_plan, read_sweep
from ray_nodes import ray_nodes

NODES = 2
SMALL = (
    'cast=["mara-lindqvist", "wen-zhao", "leo-adeyemi"]',
    'config.shape={round=[{name="talk", goal="Hear each other.", turns=6}]}',
)
"""Assignments that make a panel of three people and six utterances."""


def axis_of(cells: int) -> str:
    return f"config.mu={[round((n + 1) / (cells + 1), 6) for n in range(cells)]}"


def plan_cells(folder: Path, cells: int) -> None:
    planned = plan_sweep(SweepOrder("panel", SMALL, (axis_of(cells),)), Settings())
    with hold_folder(folder):
        write_or_find_plan(folder, planned)


def run_cells_here(folder: Path, runner: CellRunner | NodeRunner) -> None:
    """Run a planned sweep's cells by a loop in this process."""
    book = SweepProgress(folder, read_sweep(folder))
    for cell in book.sweep.cells:
        book.note(asyncio.run(runner.run(cell)))
    book.write()


def time_sweep(folder: Path, cells: int, *words: str) -> tuple[float, float]:
    """Run a sweep by the command; returns seconds, and the largest memory of its process in megabytes."""
    start = time.perf_counter()
    process = subprocess.Popen(
        [
            *(OPENIIR, "sweep", "panel", "--vary", axis_of(cells), "--out", str(folder), *words),
            *(word for one in SMALL for word in ("--set", one)),
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if status:
        raise SystemExit(f"the sweep at {folder} failed")
    return time.perf_counter() - start, used.ru_maxrss / 1024


def time_run(cells: int = 500, alone: int = 100) -> None:
    with TemporaryDirectory() as scratch, ray_nodes() as nodes:
        place = Path(scratch)
        found, spent, rows = {}, {}, []
        for name in ("warm", "bare", "node"):
            folder = place / name
            plan_cells(folder, 2 if name == "warm" else alone)
            runner = (
                NodeRunner(make_order(folder, Settings(), joined=False))
                if name == "node"
                else CellRunner(folder, Settings())
            )
            spent[name] = spend(lambda: run_cells_here(folder, runner))  # noqa: B023
            found[name] = read_sweep(folder).content()
        del spent["warm"]
        for name, words in (("local", ("--workers", "2")), ("ray", ("--engine", "ray"))):
            if name == "ray":
                for node in range(NODES):
                    nodes.start(f"node-{node}")
                os.environ.update(nodes.environment)
            few, _ = time_sweep(place / f"{name}-few", 2, *words)
            many, memory = time_sweep(place / name, cells, *words)
            found[name] = read_sweep(place / name).content()
            rows.append((name, few, many, (many - few) / (cells - 2) * NODES, memory))
        if found["bare"] != found["node"] or found["local"] != found["ray"]:
            raise SystemExit(f"contents differ: {found}")
        compared = time_process(OPENIIR, "compare", str(place / "ray"))
        sizes = [(place / "ray" / name).stat().st_size / 1e6 for name in (PLAN, SWEEP)]
    bare = spent["bare"]
    print(f"{cells} cells, contents equal (load {os.getloadavg()[0]:.1f})")
    for name, one in spent.items():
        each, cpu = (1000 * value / alone for value in one)
        print(f"{name}: a cell {each:.0f} ms, CPU {cpu:.0f} ms, {one.cpu / bare.cpu:.2f} times bare")
    for name, few, many, each, memory in rows:
        whole = each * 10_000 / NODES / 60
        print(
            f"{name}: {many:.0f} s, of which {few:.0f} s for two cells; a cell {each * 1000:.0f} ms of one",
            f"processor, {each * alone / bare.wall:.2f} times bare; memory of the head {memory:.0f} MB;",
            f"10,000 cells at this rate: {whole:.0f} min on {NODES} processors",
        )
    print(
        f"plan.json {sizes[0]:.2f} MB, sweep.json {sizes[1]:.2f} MB; openiir compare: {word_spent(compared)}"
    )


def word_spent(spent: Spent) -> str:
    return f"{spent.wall:.1f} s, CPU {spent.cpu:.1f} s"


def time_head(cells: int = 10_000) -> None:
    with TemporaryDirectory() as scratch:
        folder = Path(scratch) / "sweep"
        steps = {
            "plan and write": lambda: plan_cells(folder, cells),
            "check the plan": lambda: check_plan(folder),
            "check permissions": lambda: list_plan_permissions(folder),
            "write the order of the nodes": lambda: make_order(folder, Settings(), joined=True),
            "read plan.json": lambda: read_plan(folder),
            "read sweep.json": lambda: read_sweep(folder),
            "write sweep.json": lambda: SweepProgress(folder, read_sweep(folder)).write(),
        }
        for name, step in steps.items():
            print(f"{name}: {word_spent(spend(step))}", flush=True)
        shown = time_process(OPENIIR, "show", str(folder), "cells", "--n", "10")
        print(f"openiir show SWEEP cells: {word_spent(shown)}; memory {peak_megabytes():.0f} MB")
        sizes = [(folder / name).stat().st_size / 1e6 for name in (PLAN, SWEEP)]
        print(f"plan.json {sizes[0]:.1f} MB, sweep.json {sizes[1]:.1f} MB")


if __name__ == "__main__":
    run_command(run=time_run, head=time_head)
