"""The command that moves every declared key of a type: audit."""

from typing import Annotated

import typer

from openiir.cli.app import app
from openiir.cli.running import SettingsFile, Trusted


@app.command()
def audit(
    study: Annotated[str, typer.Argument(metavar="TYPE", help="A type, or a study of it where it has none.")],
    workers: Annotated[
        int | None, typer.Option("--workers", min=1, metavar="N", help="Keys at a time.")
    ] = None,
    form: Annotated[str, typer.Option("--format", help="text or json.")] = "text",
    settings_file: SettingsFile = None,
    trust: Trusted = False,
) -> None:
    """Move every declared key of a type and report the dead ones."""
    from openiir.cli.audits import print_audit

    print_audit(study, workers, form, settings_file, trust)
