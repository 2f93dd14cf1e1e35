"""What sweep does, and what resume does for a sweep: in words and progress."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table as Grid
from rich.text import Text

from openiir.cli.sitting import next_free, to_the_end
from openiir.cli.trusting import with_leave
from openiir.core.errors import InputError, OpeniirError
from openiir.runs.begin import Gathering
from openiir.runs.compare.arms import value_text
from openiir.runs.settings import Settings, load_settings
from openiir.runs.sweep.conducting import check_place, check_plan, conduct, engine_named, held, settle
from openiir.runs.sweep.planning import Order, Planned, plan_sweep
from openiir.runs.sweep.record import Cell, Sweep, is_sweep, with_status
from openiir.runs.terminal import console, is_terminal, note, say, show

__all__ = ["Hands", "is_sweep", "resume_sweep", "run_sweep"]

_ARMS_SHOWN, _FAILURES_SHOWN = 40, 10


@dataclass(frozen=True)
class Hands:
    """Who runs the cells."""

    engine: str = "local"
    workers: int | None = None
    """Runs at a time; as many as there are cores by default."""

    def count(self) -> int:
        """How many workers; raises InputError for a number that cannot be."""
        if self.workers is not None and self.workers < 1:
            raise InputError(f"--workers {self.workers}: at least 1 is needed")
        return self.workers or os.cpu_count() or 1


def run_sweep(
    order: Order,
    out: Path | None,
    hands: Hands,
    settings_file: Path | None,
    *,
    skip_bad: bool,
    fetch: bool,
    trust: bool,
) -> None:
    """Plan a sweep and run it; one that is at `out` already, and is the same, goes on."""
    settings = load_settings(settings_file)
    engine_named(hands.engine), hands.count()
    if out is not None:
        check_place(out)
    gathering = Gathering(skip_bad, fetch, tell=note)
    settings, planned = with_leave(settings, trust, lambda leave: plan_sweep(order, leave, gathering))
    folder = out or next_free(settings.runs, planned.name.replace(" ", "-") + "-sweep")
    with held(folder):
        settle(folder, planned)
        _tell_limits(planned, settings)
        _conduct(folder, settings, hands)


def resume_sweep(
    folder: Path, workers: int | None, settings_file: Path | None, recording: Path | None, trust: bool
) -> None:
    """Run what a sweep lacks, on worker processes of this machine."""
    if recording is not None:
        raise InputError("a sweep plays no recording; leave --recording out")
    settings, hands = load_settings(settings_file), Hands(workers=workers)
    with held(folder):
        check_plan(folder)
        with_leave(settings, trust, lambda leave: _conduct(folder, leave, hands))


def _tell_limits(planned: Planned, settings: Settings) -> None:
    limits = {name: value for name, value in settings.limits if value is not None}
    if planned.asking:
        each = ", ".join(f"{value:g} {name}" for name, value in limits.items()) or "no limit"
        note(f"{planned.asking} runs ask a model; each by itself may use what the settings allow: {each}")


def _conduct(folder: Path, settings: Settings, hands: Hands) -> None:
    with _witness() as witness:
        work = conduct(folder, settings, engine_named(hands.engine), hands.count(), witness)
        try:
            sweep = to_the_end(work)
        except KeyboardInterrupt:
            note(f"sweep: {folder}")
            raise
    _tell(sweep)
    if sweep.design in ("morris", "sobol"):
        say(f"indices: openiir show {folder} sensitivity")
    say(f"sweep: {folder}")
    failed = len(with_status(sweep.cells, "failed"))
    if failed:
        raise OpeniirError(
            f"{failed} of {len(sweep.cells)} cells failed; `openiir resume {folder}` tries them again"
        )
    say(f"content: {sweep.content()}")


def _tell(sweep: Sweep) -> None:
    """A short table: each arm, how many of its seeds are done, how many failed."""
    arms: dict[str, list[Cell]] = {}
    for cell in sweep.cells:
        arms.setdefault(arm_name(cell), []).append(cell)
    grid = Grid(box=None, pad_edge=False, header_style="bold")
    grid.add_column("arm", overflow="fold")
    for column in ("seeds done", "failed"):
        grid.add_column(column, justify="right")
    for name, cells in list(arms.items())[:_ARMS_SHOWN]:
        failed = len(with_status(cells, "failed"))
        grid.add_row(Text(name), str(len(with_status(cells, "done"))), str(failed) if failed else "")
    show(lambda screen: screen.print(grid))
    if len(arms) > _ARMS_SHOWN:
        say(f"... and {len(arms) - _ARMS_SHOWN} arms more, in sweep.json")
    failures = with_status(sweep.cells, "failed")
    for cell in failures[:_FAILURES_SHOWN]:
        note(f"cell {cell.id} ({arm_name(cell)}, seed {cell.seed}) failed: {cell.reason}")
    if len(failures) > _FAILURES_SHOWN:
        note(f"... and {len(failures) - _FAILURES_SHOWN} more, with their reasons in sweep.json")


def arm_name(cell: Cell) -> str:
    """An arm in words; numbers are shortened, `sweep.json` has them whole."""
    words = [f"{key}={value_text(value)}" for key, value in cell.arm.items()]
    return ", ".join(words) or "the study as it is"


@contextmanager
def _witness() -> "Iterator[_Plain | _Live]":
    if not is_terminal(sys.stderr):
        yield _Plain()
        return
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console(stderr=True), transient=True) as bars:
        yield _Live(bars)


class _Plain:
    """A line a cell."""

    def begin(self, total: int, kept: int) -> None:
        self.total, self.count = total, kept
        note(f"{total} cells" + (f", {kept} of them done already" if kept else ""))

    def ended(self, cell: Cell) -> None:
        self.count += 1
        what = f"{cell.status}: {cell.reason}" if cell.reason else cell.status
        note(f"[{self.count}/{self.total}] {arm_name(cell)}, seed {cell.seed}: {what}")


class _Live:
    """A bar."""

    def __init__(self, bars: Progress) -> None:
        self.bars = bars
        self.failed = 0
        self.task: TaskID | None = None

    def begin(self, total: int, kept: int) -> None:
        self.task = self.bars.add_task("cells", total=total, completed=kept)

    def ended(self, cell: Cell) -> None:
        if self.task is None:
            return
        self.failed += cell.status == "failed"
        words = f"cells, {self.failed} failed" if self.failed else "cells"
        self.bars.update(self.task, advance=1, description=words)
