"""Commands that compare: compare."""

from pathlib import Path
from typing import Annotated

import typer

from openiir.cli.app import app


@app.command()
def compare(
    folders: Annotated[
        list[Path], typer.Argument(metavar="RUN|SWEEP...", help="Folders of runs and sweeps.")
    ],
    measures: Annotated[
        list[str] | None,
        typer.Option("--measure", metavar="NAME", help="Test this one as declared beforehand; * fits any."),
    ] = None,
    baseline: Annotated[
        str | None, typer.Option("--baseline", metavar="ARM", help="The arm to compare with.")
    ] = None,
    keys: Annotated[
        list[str] | None, typer.Option("--key", metavar="KEY", help="The key that is meant to differ.")
    ] = None,
    smallest: Annotated[
        list[str] | None,
        typer.Option("--smallest", metavar="NAME=VALUE", help="The smallest difference that matters."),
    ] = None,
    sets: Annotated[
        list[str] | None, typer.Option("--set", metavar="K=V", help="Set how runs are measured.")
    ] = None,
    workers: Annotated[int | None, typer.Option("--workers", min=1, help="Processes that measure.")] = None,
    form: Annotated[str, typer.Option("--format", help="text, json or html.")] = "",
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write to a file.")] = None,
) -> None:
    """Compare runs or sweeps side by side, paired by their seeds."""
    from openiir.cli.comparison import Request, show_comparison

    ways = (tuple(measures or ()), tuple(keys or ()), tuple(smallest or ()), tuple(sets or ()))
    show_comparison(Request(tuple(folders), baseline, workers, *ways), form, out)
