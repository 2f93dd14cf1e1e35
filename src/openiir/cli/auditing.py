"""The command that moves every declared key of a type: audit."""

from pathlib import Path
from typing import Annotated

import typer

from openiir.cli.app import app


@app.command()
def audit(
    study: Annotated[str, typer.Argument(metavar="TYPE", help="A type, or a study of it where it has none.")],
    workers: Annotated[int | None, typer.Option("--workers", min=1, metavar="N", help="Keys at a time.")] = None,
    form: Annotated[str, typer.Option("--format", help="text or json.")] = "text",
    settings_file: Annotated[Path | None, typer.Option("--settings", help="A settings file.")] = None,
) -> None:
    """Move every declared key of a type and report the dead ones."""
    from openiir.cli.audits import print_audit

    print_audit(study, workers, form, settings_file)
