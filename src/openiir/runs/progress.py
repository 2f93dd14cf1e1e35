"""Show the progress of runs and sweeps on standard error: live lines at a terminal, plain lines elsewhere."""

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from openiir.runs.compare.arms import value_text
from openiir.runs.engine import Watcher
from openiir.runs.meter import Spending
from openiir.runs.sweep_record import Cell, CellWatcher
from openiir.runs.terminal import is_terminal, print_message


def progress(shown: bool = True) -> AbstractContextManager[Callable[[str], Watcher]]:
    """Open the progress display of runs: a function that gives a watcher for each run's name."""
    if not shown:
        return nullcontext(lambda name: Watcher())
    if not is_terminal(sys.stderr):
        return nullcontext(_Plain)
    from openiir.runs.live_progress import show_runs  # with rich, which takes time to load

    return show_runs()


def sweep_progress(shown: bool = True) -> AbstractContextManager[CellWatcher]:
    """Open the progress display of a sweep: a watcher of its cells, silent where `shown` is false."""
    if not shown:
        return nullcontext(CellWatcher())
    if not is_terminal(sys.stderr):
        return nullcontext(_CellLines())
    from openiir.runs.live_progress import show_cells

    return show_cells()


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
        print_message(f"{self.name}: {text}")


def arm_name(cell: Cell) -> str:
    """Describe an arm of a sweep by its keys and values, with shortened numbers."""
    words = [f"{key}={value_text(value)}" for key, value in cell.arm.items()]
    return ", ".join(words) or "the study as it is"


class _CellLines(CellWatcher):
    """Watcher of a sweep that prints one line for each cell that ends."""

    def begin(self, total: int, kept: int) -> None:
        self.total, self.count = total, kept
        print_message(f"{total} cells" + (f", {kept} of them done already" if kept else ""))

    def end_cell(self, cell: Cell) -> None:
        self.count += 1
        what = f"{cell.status}: {cell.reason}" if cell.reason else cell.status
        print_message(f"[{self.count}/{self.total}] {arm_name(cell)}, seed {cell.seed}: {what}")
