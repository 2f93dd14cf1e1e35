"""Leave for what a study needs of this machine: remembered by `openiir trust`, or given once by `--trust`."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from openiir.core.files import read_toml
from openiir.core.systems import read_systems
from openiir.runs.artefact import open_run
from openiir.runs.assemble import run_permissions
from openiir.runs.settings import Settings
from openiir.runs.sweep.conducting import plan_permissions
from openiir.runs.sweep.planning import Order, sweep_permissions
from openiir.runs.sweep.record import is_sweep
from openiir.runs.terminal import note, say
from openiir.runs.trust import Permission, Untrusted, remember, system_permissions

T = TypeVar("T")


def with_leave(settings: Settings, trust: bool, work: Callable[[Settings], T]) -> tuple[Settings, T]:
    """What the work returns, and the settings it was done under.

    With `trust`, what the work lacks leave for is shown, given, and the work done again; without, Untrusted is raised.
    """
    while True:
        try:
            return settings, work(settings)
        except Untrusted as refused:
            if not trust:
                raise
            _show("allowed this once:", refused.permissions)
            settings = settings.model_copy(update={"trust": settings.trust.with_leave(refused.permissions)})


def trust_study(target: str, sets: Sequence[str]) -> None:
    """Show what a study, a run, a sweep or a file of systems needs leave for, and remember that it has it."""
    found = [one for one in _permissions_at(target, sets) if not one.packaged]
    if not found:
        say(
            f"{target} needs no leave: it starts no command, names no Python code and talks with this machine alone"
        )
        return
    _show(f"{target} has leave for this, until it changes:", found)
    say(f"kept in {remember(found)}; take a line out of it to take leave back")


def _permissions_at(target: str, sets: Sequence[str]) -> Sequence[Permission]:
    path = Path(target)
    if is_sweep(path):
        return plan_permissions(path)
    if (path / "run.db").is_file():
        with open_run(path) as run:
            return run_permissions(run)
    if path.is_file() and "type" not in read_toml(path):
        return system_permissions(read_systems(path), path.parent)
    return sweep_permissions(Order(target, tuple(sets)))


def _show(heading: str, found: Sequence[Permission]) -> None:
    note("\n  ".join([heading, *(one.words for one in found)]))
