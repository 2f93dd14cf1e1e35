"""Progress: a live line a run at a terminal, plain lines elsewhere; always on standard error."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from openiir.runs.engine import Watcher
from openiir.runs.meter import Spending


@contextmanager
def progress() -> Iterator[Callable[[str], Watcher]]:
    """Gives a watcher for each run, by the run's name."""
    if not sys.stderr.isatty():
        yield _Plain
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        yield lambda name: _Live(bars, name)


class _Plain:
    def __init__(self, name: str) -> None:
        self.name = name
        self.spending: Spending | None = None

    def begin(self, title: str, spending: Spending) -> None:
        self.spending = spending
        self._line(title)

    def step(self, number: int, label: str) -> None:
        used = f" [{self.spending}]" if self.spending and self.spending.meter.calls else ""
        self._line(f"step {number}: {label}{used}")

    def end(self) -> None:
        return None

    def _line(self, text: str) -> None:
        print(f"{self.name}: {text}", file=sys.stderr)


class _Live:
    def __init__(self, bars: Progress, name: str) -> None:
        self.bars = bars
        self.name = name
        self.task: Any = None

    def begin(self, title: str, spending: Spending) -> None:
        self.task = self.bars.add_task(_Line(f"{self.name}: {title}", spending))  # type: ignore[arg-type]

    def step(self, number: int, label: str) -> None:
        line = self.bars.tasks[self.bars.task_ids.index(self.task)].description
        line.now = f"step {number}: {label}"  # type: ignore[attr-defined]

    def end(self) -> None:
        if self.task is not None:
            self.bars.remove_task(self.task)


class _Line(str):
    """A description that reads the meter each time it is drawn."""

    def __new__(cls, title: str, spending: Spending) -> "_Line":
        line = super().__new__(cls, title)
        line.title, line.spending, line.now = title, spending, ""
        return line

    title: str
    spending: Spending
    now: str

    def __format__(self, spec: str) -> str:
        used = f"  [{self.spending}]" if self.spending.meter.calls else ""
        return f"{self.title}  {self.now}{used}"
