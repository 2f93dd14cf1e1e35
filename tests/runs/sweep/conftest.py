"""Sweeps of the small type: within this process, and on worker processes that find it installed."""

import asyncio
import os
import signal
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from site_packages import lay_out

from openiir.runs.settings import Settings
from openiir.runs.sweep.execute import hold_folder, run_cells, write_or_find_plan
from openiir.runs.sweep.planning import SweepOrder, plan_sweep
from openiir.runs.sweep.worker import CellRunner
from openiir.runs.sweep_record import Cell


async def inline(
    folder: Path, settings: Settings, cells: Sequence[Cell], workers: int, told: Callable[[Cell], None]
) -> None:
    """An engine without processes."""
    runner = CellRunner(folder, settings)
    for cell in cells:
        told(await runner.run(cell))


class Heard:
    """Remembers what it is told."""

    def __init__(self) -> None:
        self.kept = -1
        self.cells: list[Cell] = []

    def begin(self, total: int, kept: int) -> None:
        self.kept = kept

    def end_cell(self, cell: Cell) -> None:
        self.cells.append(cell)


@pytest.fixture
def heard():
    return Heard()


@pytest.fixture
def small(evening):
    """A study of two evenings; tables may be added."""

    def write(tables="", **more):
        return evening(tables=f"{tables}\n[config]\nsteps = 2\n", **more)

    return write


@pytest.fixture
def sweep(heard):
    """Sweeps a study within this process, by an order's words."""

    def run(study, folder, *vary, engine=inline, **order):
        settings = order.pop("settings", Settings())
        planned = plan_sweep(SweepOrder(str(study), vary=vary, **order), settings)
        with hold_folder(folder):
            write_or_find_plan(folder, planned)
            return asyncio.run(run_cells(folder, settings, engine, 1, heard))

    return run


@pytest.fixture
def inlined(monkeypatch):
    """The command runs cells within this process."""
    from openiir.runs.sweep import execute

    monkeypatch.setattr(execute, "engine_named", lambda name: inline)


@pytest.fixture
def installed(parlour, tmp_path, monkeypatch):
    """The small type as an installed distribution, for this process and the workers that it starts."""
    site = tmp_path / "site"
    module = Path(parlour.__file__)
    files = {module.name: module.read_text("utf-8")}
    lay_out(site, "parlour-for-tests", files, {"parlour": f"{module.stem}:Parlour"}, "1.0")
    monkeypatch.syspath_prepend(site)
    monkeypatch.setenv(
        "PYTHONPATH", os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH", "")]))
    )
    return site


@pytest.fixture
def children():
    """The processes that a process has started and that live."""

    def of(parent):
        found = []
        for place in Path("/proc").glob("[0-9]*"):
            try:
                fields = (place / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == parent and fields[0] != "Z":
                found.append(int(place.name))
        return sorted(found)

    return of


@pytest.fixture
def kill():
    """SIGKILL."""
    return lambda pid: os.kill(pid, signal.SIGKILL)
