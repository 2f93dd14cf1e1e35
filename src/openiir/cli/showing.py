"""Commands that look at a run: show, measure."""

from pathlib import Path
from typing import Annotated

import typer

from openiir.cli.app import app


@app.command()
def show(
    folder: Annotated[Path, typer.Argument(metavar="RUN")],
    surface: Annotated[
        str, typer.Argument(metavar="[SURFACE]", help="A view of the type; none lists them.")
    ] = "",
    agent: Annotated[str | None, typer.Option("--agent", metavar="ID", help="One agent's part.")] = None,
    n: Annotated[
        int | None,
        typer.Option("--n", min=1, help="The last N entries or rows; the first N of rankings and dialogues."),
    ] = None,
    form: Annotated[str, typer.Option("--format", help="text, json, aif, graphml, cypher or trec.")] = "",
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Write to a file; .svg and .png are pictures."),
    ] = None,
) -> None:
    """Show a view of a run or a sweep, live or finished; with --out FILE.svg or FILE.png as a picture.

    Series are drawn as lines, tables with numbers as bars with their intervals (columns called +-).
    """
    from openiir.cli.sweeps import is_sweep
    from openiir.cli.sweepviews import show_sweep
    from openiir.cli.views import show_surface
    from openiir.core.errors import InputError

    if not surface and (agent, n, form, out) != (None, None, "", None):
        raise InputError(
            f"options are for one surface; name it after the run (`openiir show {folder}` lists them)"
        )
    if is_sweep(folder):
        show_sweep(folder, surface, agent, n, form, out)
    else:
        show_surface(folder, surface, agent, n, form, out)


@app.command()
def measure(
    folder: Annotated[Path, typer.Argument(metavar="RUN")],
    sets: Annotated[
        list[str] | None, typer.Option("--set", metavar="K=V", help="Set how it is measured.")
    ] = None,
    form: Annotated[str, typer.Option("--format", help="text or json.")] = "text",
) -> None:
    """Compute the measures of a run from its log, anew."""
    from openiir.cli.views import show_measures

    show_measures(folder, tuple(sets or ()), form)
