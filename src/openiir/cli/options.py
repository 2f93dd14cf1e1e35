"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

SettingsFile = Annotated[Path | None, typer.Option("--settings", help="A settings file.")]
Trusted = Annotated[bool, typer.Option("--trust", help="Allow once what the study needs permission for.")]
Sets = Annotated[list[str] | None, typer.Option("--set", metavar="K=V", help="Replace a key of the study.")]
MeasureSets = Annotated[
    list[str] | None, typer.Option("--set", metavar="K=V", help="Set how it is measured.")
]
Workers = Annotated[
    int | None, typer.Option("--workers", min=1, help="Threads for a crowd; changes no result.")
]
Recording = Annotated[
    Path | None, typer.Option("--recording", help='The run that answers = "recording" plays.')
]
Sources = Annotated[list[str], typer.Argument(metavar="SOURCES...", help="Files, folders or patterns.")]
SkipBad = Annotated[bool, typer.Option("--skip-bad", help="Leave unreadable sources out.")]
Fetch = Annotated[bool, typer.Option("--fetch", help="Fetch the URLs that worlds name.")]
OutFile = Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write to a file.")]
RunFolder = Annotated[Path, typer.Argument(metavar="RUN")]


def command_app(help: str | None = None) -> typer.Typer:
    """Create the app of one command, or with `help` of a group of commands, in the common style."""
    return typer.Typer(
        help=help, no_args_is_help=help is not None, add_completion=False, rich_markup_mode=None
    )
