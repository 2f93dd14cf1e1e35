"""`openiir push`: send runs or sweeps to a lab's database."""

from pathlib import Path
from typing import Annotated

import typer

from openiir.cli.options import command_app
from openiir.runs.push import push_runs
from openiir.runs.terminal import print_result

app = command_app()


@app.command()
def push(
    folders: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of runs or sweeps.")],
    to: Annotated[
        str,
        typer.Option(
            "--to", metavar="URL", help="postgresql://, neo4j:// or bolt:// URL, or ladybug:///FILE."
        ),
    ],
) -> None:
    """Send runs or sweeps to a lab's database; what is there already is not sent again."""
    for line in push_runs(folders, to):
        print_result(line)
