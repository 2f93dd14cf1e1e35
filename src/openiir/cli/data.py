"""Commands about data sets."""

from pathlib import Path
from typing import Annotated

import typer

from openiir.cli.app import app

data = typer.Typer(help="List and fetch published data sets.", no_args_is_help=True)
app.add_typer(data, name="data")


@data.command("list")
def data_list() -> None:
    """List the data sets that a study can name, with their licence and where they are."""
    from openiir.cli.datasets import print_data_sets

    print_data_sets()


@data.command("fetch")
def data_fetch(
    name: Annotated[str, typer.Argument(help="A name of `openiir data list`.")],
    to: Annotated[
        Path | None,
        typer.Option(
            "--to", metavar="DIR", help="By default OPENIIR_DATA, else ~/.local/share/openiir/data."
        ),
    ] = None,
) -> None:
    """Download a data set from its publisher, once its licence is shown, and check it."""
    from openiir.cli.datasets import fetch_data_set

    fetch_data_set(name, to)
