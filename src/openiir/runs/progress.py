"""Show the progress of runs and sweeps on standard error: live lines at a terminal, plain lines elsewhere."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import TypeVar

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)
from rich.text import Text

from openiir.runs.compare.arms import value_text
from openiir.runs.engine import Silent, Watcher
from openiir.runs.meter import Spending
from openiir.runs.sweep_record import Cell
from openiir.runs.terminal import console, is_terminal, note

T = TypeVar("T")


class CellWatcher:
    """Interface for watching the progress of a sweep; its methods do nothing unless overridden."""

    def begin(self, total: int, kept: int) -> None:
        """Handle the start of a sweep with `total` cells, of which `kept` are done already."""

    def end_cell(self, cell: Cell) -> None:
        """Handle the end of a cell, done or failed."""


@contextmanager
def _show(
    shown: bool, silent: T, lines: T, draw: Callable[[Progress], T], columns: Sequence[ProgressColumn]
) -> Iterator[T]:
    """Yield the display for this output: silent, plain lines, or at a terminal a live display with these columns."""
    if not shown:
        yield silent
    elif not is_terminal(sys.stderr):
        yield lines
    else:
        with Progress(*columns, console=console(stderr=True), transient=True) as bars:
            yield draw(bars)


def progress(shown: bool = True) -> AbstractContextManager[Callable[[str], Watcher]]:
    """Open the progress display of runs: a function that gives a watcher for each run's name."""
    columns = (SpinnerColumn(), _Now(), TimeElapsedColumn())
    return _show(shown, lambda name: Silent(), _Plain, lambda bars: partial(_Live, bars), columns)


def sweep_progress(shown: bool = True) -> AbstractContextManager[CellWatcher]:
    """Open the progress display of a sweep: a watcher of its cells, silent where `shown` is false."""
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    return _show(shown, CellWatcher(), _CellLines(), _CellBar, columns)


class _Plain(Watcher):
    def __init__(self, name: str) -> None:
        self.name = name
        self.spending: Spending | None = None

    def begin(self, title: str, spending: Spending) -> None:
        self.spending = spending
        self._line(title)

    def step(self, number: int, label: str) -> None:
        used = f" [{told}]" if (told := str(self.spending or "")) else ""
        self._line(f"step {number}: {label}{used}")

    def note(self, text: str) -> None:
        self._line(text)

    def _line(self, text: str) -> None:
        note(f"{self.name}: {text}")


class _Live(Watcher):
    def __init__(self, bars: Progress, name: str) -> None:
        self.bars = bars
        self.name = name
        self.task: TaskID | None = None

    def begin(self, title: str, spending: Spending) -> None:
        self.task = self.bars.add_task(f"{self.name}: {title}", spending=spending, now="")

    def step(self, number: int, label: str) -> None:
        if self.task is not None:
            self.bars.update(self.task, now=f"step {number}: {label}")

    def note(self, text: str) -> None:
        self.bars.console.print(f"{self.name}: {text}")

    def end(self) -> None:
        if self.task is not None:
            self.bars.remove_task(self.task)


class _Now(ProgressColumn):
    """Column of the progress display with a run's step and what the run has used."""

    max_refresh = 0.2

    def render(self, task: Task) -> Text:
        spending = task.fields["spending"]
        used = f"  [{told}]" if (told := str(spending)) else ""
        return Text(f"{task.description}  {task.fields['now']}{used}")


def arm_name(cell: Cell) -> str:
    """Describe an arm of a sweep by its keys and values, with shortened numbers."""
    words = [f"{key}={value_text(value)}" for key, value in cell.arm.items()]
    return ", ".join(words) or "the study as it is"


class _CellLines(CellWatcher):
    """Watcher of a sweep that prints one line for each cell that ends."""

    def begin(self, total: int, kept: int) -> None:
        self.total, self.count = total, kept
        note(f"{total} cells" + (f", {kept} of them done already" if kept else ""))

    def end_cell(self, cell: Cell) -> None:
        self.count += 1
        what = f"{cell.status}: {cell.reason}" if cell.reason else cell.status
        note(f"[{self.count}/{self.total}] {arm_name(cell)}, seed {cell.seed}: {what}")


class _CellBar(CellWatcher):
    """Watcher of a sweep that shows a progress bar of cells."""

    def __init__(self, bars: Progress) -> None:
        self.bars = bars
        self.failed = 0
        self.task: TaskID | None = None

    def begin(self, total: int, kept: int) -> None:
        if self.task is None:
            self.task = self.bars.add_task("cells")
        self.bars.update(self.task, total=total, completed=kept)

    def end_cell(self, cell: Cell) -> None:
        if self.task is None:
            return
        self.failed += cell.status == "failed"
        words = f"cells, {self.failed} failed" if self.failed else "cells"
        self.bars.update(self.task, advance=1, description=words)
