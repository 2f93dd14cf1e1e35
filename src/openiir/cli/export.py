"""`openiir export`: a run as one page."""

from pathlib import Path
from typing import Annotated

import typer

from openiir.cli.options import RunFolder, SettingsFile, command_app
from openiir.core.errors import UnknownName
from openiir.runs.terminal import say

app = command_app()
PARTS = ("prompts", "personas", "sources")


@app.command()
def export(
    folder: RunFolder,
    out: Annotated[Path, typer.Option("--out", metavar="FILE.html", help="The page to write.")],
    without: Annotated[
        list[str] | None,
        typer.Option(
            "--without", help="Leave out prompts, personas (their descriptions) or sources (texts)."
        ),
    ] = None,
    settings_file: SettingsFile = None,
) -> None:
    """Write a run as one HTML file that opens from disk, without a server or a network."""
    from openiir.runs.settings import load_settings
    from openiir.server.still import write_still

    for part in without or ():
        if part not in PARTS:
            raise UnknownName("part of a run that can be left out", part, PARTS)
    size = write_still(folder, out, without or (), load_settings(settings_file))  # type: ignore[arg-type]
    say(f"{out}: {size / 1000:,.0f} kB")
