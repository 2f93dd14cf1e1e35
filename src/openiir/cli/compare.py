"""`openiir compare`: compare runs and sweeps on a terminal, as JSON or as an HTML page."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from openiir.cli.options import OutFile, command_app
from openiir.core.errors import InputError, UnknownName
from openiir.runs.changes import parse_settings
from openiir.runs.compare import Comparison, ComparisonOptions
from openiir.runs.compare import compare as compare_folders
from openiir.runs.compare.drawing import WIDTH, comparison_text, draw_comparison
from openiir.runs.compare.page import comparison_page
from openiir.runs.terminal import print_for_program, show
from openiir.runs.views.writing import format_for, write_out

app = command_app()
FORMATS = ("text", "json", "html")


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
    out: OutFile = None,
) -> None:
    """Compare runs or sweeps side by side, paired by their seeds."""
    form = format_for(form, out, {".json": "json", ".html": "html", ".htm": "html"})
    if form not in FORMATS:
        raise UnknownName("format of comparisons", form, FORMATS)
    effects = dict(map(_parse_effect, smallest or ()))
    wanted = ComparisonOptions(
        parse_settings(sets or ()), measures or (), baseline, keys or (), effects, workers
    )
    found = compare_folders(folders, wanted)
    if form == "text" and out is None:
        show(partial(draw_comparison, found), WIDTH)
    elif out is None:
        print_for_program(_write_comparison(found, form))
    else:
        write_out(out, _write_comparison(found, form))


def _write_comparison(found: Comparison, form: str) -> str:
    if form == "json":
        return found.model_dump_json(indent=1) + "\n"
    return comparison_page(found) if form == "html" else comparison_text(found)


def _parse_effect(words: str) -> tuple[str, float]:
    name, _, value = words.partition("=")
    try:
        return name.strip(), float(value)
    except ValueError:
        raise InputError(
            f"--smallest {words!r}: write it as NAME=VALUE, such as opinion_variance=0.01"
        ) from None
