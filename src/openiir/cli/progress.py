"""Progress: a live line a run at a terminal, plain lines elsewhere; always on standard error."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import Progress, ProgressColumn, SpinnerColumn, Task, TaskID, TimeElapsedColumn
from rich.text import Text

from openiir.runs.engine import Watcher
from openiir.runs.meter import Spending
from openiir.runs.terminal import console, is_terminal, note


@contextmanager
def progress() -> Iterator[Callable[[str], Watcher]]:
    """Gives a watcher for each run, by the run's name."""
    if not is_terminal(sys.stderr):
        yield _Plain
        return
    columns = (SpinnerColumn(), _Now(), TimeElapsedColumn())
    with Progress(*columns, console=console(stderr=True), transient=True) as bars:
        yield lambda name: _Live(bars, name)


class _Plain:
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

    def end(self) -> None:
        return None

    def _line(self, text: str) -> None:
        note(f"{self.name}: {text}")


class _Live:
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
    """Where a run stands and what it has spent, read anew each time it is drawn."""

    max_refresh = 0.2

    def render(self, task: Task) -> Text:
        spending = task.fields["spending"]
        used = f"  [{told}]" if (told := str(spending)) else ""
        return Text(f"{task.description}  {task.fields['now']}{used}")
