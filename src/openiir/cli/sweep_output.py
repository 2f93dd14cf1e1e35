"""Print the last lines of commands that run a sweep: its arms, folder and hash."""

from pathlib import Path

from rich.table import Table as Grid
from rich.text import Text

from openiir.core.errors import OpeniirError
from openiir.runs.progress import arm_name
from openiir.runs.sweep.evolving import GENERATIONS_FILE, LINEAGE_FILE
from openiir.runs.sweep_record import Cell, SweepRecord, with_status
from openiir.runs.terminal import print_message, print_result, show

_ARMS_SHOWN, _FAILURES_SHOWN = 40, 10


def print_sweep(folder: Path, sweep: SweepRecord) -> None:
    """Print a sweep's arms, then its folder and hash; raises OpeniirError where cells failed."""
    _print_arms(sweep)
    if sweep.design in ("morris", "sobol"):
        print_result(f"indices: openiir show {folder} sensitivity")
    if sweep.design == "evolve" and (folder / GENERATIONS_FILE).exists():
        print_result(
            f"generations: {folder / GENERATIONS_FILE}, who descends from whom: {folder / LINEAGE_FILE}"
        )
    print_result(f"sweep: {folder}")
    failed = len(with_status(sweep.cells, "failed"))
    if failed:
        raise OpeniirError(
            f"{failed} of {len(sweep.cells)} cells failed; `openiir resume {folder}` tries them again"
        )
    print_result(f"content: {sweep.content()}")


def _print_arms(sweep: SweepRecord) -> None:
    """Print a table of the arms with the numbers of their finished and failed seeds."""
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
        print_result(f"... and {len(arms) - _ARMS_SHOWN} arms more, in sweep.json")
    failures = with_status(sweep.cells, "failed")
    for cell in failures[:_FAILURES_SHOWN]:
        print_message(f"cell {cell.id} ({arm_name(cell)}, seed {cell.seed}) failed: {cell.reason}")
    if len(failures) > _FAILURES_SHOWN:
        print_message(f"... and {len(failures) - _FAILURES_SHOWN} more, with their reasons in sweep.json")
