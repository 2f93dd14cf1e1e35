"""Commands that make things to build on: new."""

from pathlib import Path
from typing import Annotated

import typer

from openiir.cli.app import app


@app.command()
def new(
    name: Annotated[str, typer.Argument(help="The type's name, such as rumour-mill.")],
    out: Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Where the package goes.")] = None,
) -> None:
    """Write a working plug-in package with its tests."""
    from openiir.cli.package import write_package

    write_package(name, out)
