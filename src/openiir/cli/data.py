"""`openiir data`: list and fetch published data sets."""

from pathlib import Path
from typing import Annotated

import typer

from openiir.cli.options import command_app
from openiir.kit.items.dataspec import data_set_folder
from openiir.kit.items.published import Published, list_published, load_published
from openiir.runs.datasets import download_data_set
from openiir.runs.terminal import print_result

app = command_app("List and fetch published data sets.")


@app.command("list")
def list_data_sets() -> None:
    """List the data sets that a study can name, with their licence and where they are."""
    for listed in list_published():
        if listed.published is None:
            print_result(f"{listed.name}\n  broken: {listed.broken}")
        else:
            one = listed.published
            print_result(
                f"{one.name}: {one.title}\n  {one.counts}\n  licence: {one.licence}\n  {_describe_place(one)}"
            )


@app.command("fetch")
def fetch_data_set(
    name: Annotated[str, typer.Argument(help="A name of `openiir data list`.")],
    to: Annotated[
        Path | None,
        typer.Option(
            "--to", metavar="DIR", help="By default OPENIIR_DATA, else ~/.local/share/openiir/data."
        ),
    ] = None,
) -> None:
    """Download a data set from its publisher, once its licence is shown, and check it."""
    one = load_published(name)
    print_result(
        f"{one.title}\n  {one.counts}\n  licence: {one.licence}\n"
        f"  cite: {one.citation}\n  {one.home}".rstrip()
    )
    place = download_data_set(one, (to or data_set_folder()).expanduser(), print_result)
    found = f" where OPENIIR_DATA is {to}" if to else ""
    print_result(
        f'{one.name} is in {place}; a study finds it by its name (config.data.name = "{one.name}"){found}'
    )


def _describe_place(one: Published) -> str:
    if not one.files:
        return "made by code"
    place = data_set_folder() / one.folder
    if not one.missing(place):
        return f"in {place}"
    return f"not in {place}; " + (
        f"`openiir data fetch {one.name}` gets it" if one.downloads else f"{one.by_hand} ({one.home})"
    )
