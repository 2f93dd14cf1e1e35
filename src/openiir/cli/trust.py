"""`openiir trust`: grant the permissions that a study needs on this machine, and store them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from openiir.cli.options import Sets, command_app
from openiir.core.files import read_toml
from openiir.runs.adopting import adopt_runs
from openiir.runs.build import run_permissions
from openiir.runs.run_io import open_checked
from openiir.runs.sweep.execute import list_plan_permissions
from openiir.runs.sweep.planning import SweepOrder, sweep_permissions
from openiir.runs.sweep_record import is_sweep
from openiir.runs.terminal import print_message, print_result
from openiir.runs.trust import Permission, add_trusted, read_declared_systems, system_permissions

app = command_app()


@app.command()
def trust(
    study: Annotated[
        str, typer.Argument(metavar="STUDY", help="A study, a run, a sweep, or a file of systems.")
    ],
    sets: Sets = None,
) -> None:
    """Allow what a study needs of this machine: its commands, Python code, variables and addresses."""
    for line in (adopted := list(adopt_runs(Path(study)))):
        print_result(line)
    found = [one for one in _permissions_at(study, sets or ()) if not one.packaged]
    if not found and adopted:
        return
    if not found:
        print_result(
            f"{study} needs no leave: it starts no command, names no Python code and no address or variable"
        )
        return
    print_message(
        "\n  ".join([f"{study} has leave for this, until it changes:", *(one.words for one in found)])
    )
    print_result(f"kept in {add_trusted(found)}; take a line out of it to take leave back")


def _permissions_at(target: str, sets: Sequence[str]) -> Sequence[Permission]:
    path = Path(target)
    if is_sweep(path):
        return list_plan_permissions(path)
    if (path / "run.db").is_file():
        with open_checked(path) as run:
            return run_permissions(run)
    if path.is_file() and "type" not in read_toml(path):
        return system_permissions(read_declared_systems(path), path.parent)
    return sweep_permissions(SweepOrder(target, tuple(sets)))
