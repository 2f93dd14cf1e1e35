"""`openiir export`: a run as one page, a folder or a .zip."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, get_args

import typer

from openiir.cli.options import RunFolder, SettingsFile, command_app
from openiir.core.errors import UnknownName
from openiir.runs.terminal import print_result
from openiir.server.export.left_out import Part

app = command_app()
PARTS = get_args(Part)


@app.command()
def export(
    folder: RunFolder,
    out: Annotated[
        Path,
        typer.Option("--out", metavar="FILE.html|FILE.zip|FOLDER", help="The page, .zip or folder to write."),
    ],
    without: Annotated[
        list[str] | None,
        typer.Option(
            "--without", help="Leave out prompts, personas (their descriptions) or sources (texts)."
        ),
    ] = None,
    settings_file: SettingsFile = None,
) -> None:
    """Write a run as a page that opens from disk, without a server or a network."""
    from openiir.runs.settings import load_settings
    from openiir.server.export.write import write_export

    parts = _ask_parts() if without is None and sys.stdin.isatty() and sys.stderr.isatty() else without or ()
    for part in parts:
        if part not in PARTS:
            raise UnknownName("part of a run that can be left out", part, PARTS)
    size = write_export(folder, out, parts, load_settings(settings_file))  # type: ignore[arg-type]
    print_result(f"{out}: {size / 1000:,.0f} kB")


def _ask_parts() -> Sequence[str]:
    """Ask on the terminal what to leave out."""
    words = typer.prompt(
        f"Leave out {', '.join(PARTS)}? (several with blanks; Enter for none)",
        "",
        show_default=False,
        err=True,
    )
    return str(words).replace(",", " ").split()
