"""Live lines and bars that show the progress of runs and sweeps at a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

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

from openiir.runs.engine import Watcher
from openiir.runs.meter import Spending
from openiir.runs.sweep_record import Cell, CellWatcher
from openiir.runs.terminal import console


@contextmanager
def show_runs() -> Iterator[Callable[[str], Watcher]]:
    """Show a line for each run that is watched."""
    columns = (SpinnerColumn(), _Now(), TimeElapsedColumn())
    with Progress(*columns, console=console(stderr=True), transient=True) as bars:
        yield partial(_Live, bars)


@contextmanager
def show_cells() -> Iterator[CellWatcher]:
    """Show a bar of the cells of a sweep."""
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console(stderr=True), transient=True) as bars:
        yield _CellBar(bars)


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
