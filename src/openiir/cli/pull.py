"""`openiir pull`: read a run back from a lab's database."""

from pathlib import Path
from typing import Annotated

import typer

from openiir.cli.options import SettingsFile, command_app
from openiir.cli.run_output import print_last_lines
from openiir.runs.execute import LocalOptions
from openiir.runs.lab import pull_run
from openiir.runs.terminal import print_message, print_result

app = command_app()


@app.command()
def pull(
    url: Annotated[str, typer.Argument(metavar="URL", help="postgresql://[USER@]HOST[:PORT]/DATABASE")],
    id: Annotated[str, typer.Argument(metavar="ID", help="A run's id or content hash, or its beginning.")],
    out: Annotated[Path | None, typer.Option("--out", metavar="DIR", help="The run's folder.")] = None,
    settings_file: SettingsFile = None,
) -> None:
    """Read a run from a lab's database into a new folder, and verify it."""
    pulled = pull_run(url, id, out, LocalOptions(settings_file))
    if pulled.content is None:
        print_message(
            f"the run has not ended ({pulled.status}); `openiir trust {pulled.folder}` and `openiir resume "
            f"{pulled.folder}` go on with it here"
        )
        print_result(f"run: {pulled.folder}")
    else:
        print_last_lines(pulled.folder, pulled.content)
