"""`openiir show`: show a view of a run or a sweep."""

from pathlib import Path
from typing import Annotated

import typer

from openiir.cli.options import OutFile, RunFolder, command_app
from openiir.cli.surface_output import show_surface
from openiir.core.errors import InputError, UnknownName
from openiir.plugin import Table
from openiir.runs.progress import arm_name
from openiir.runs.run_io import open_checked
from openiir.runs.sweep.sensitivity import INDICES, Sensitivity, analyse_sweep
from openiir.runs.sweep_record import SweepRecord, is_sweep, read_sweep
from openiir.runs.terminal import print_result
from openiir.runs.views.emit import FILES, output_view
from openiir.runs.views.writing import format_for

app = command_app()
SWEEP_VIEWS = {"cells": "Every run of the sweep", "sensitivity": "What moves the measures (morris, sobol)"}


@app.command()
def show(
    folder: RunFolder,
    surface: Annotated[
        str, typer.Argument(metavar="[SURFACE]", help="A view of the type; none lists them.")
    ] = "",
    agent: Annotated[str | None, typer.Option("--agent", metavar="ID", help="One agent's part.")] = None,
    n: Annotated[
        int | None,
        typer.Option(
            "--n",
            min=1,
            help="The last N entries or rows; the first N of rankings and dialogues. "
            "Without it, a terminal shows the first 1,000.",
        ),
    ] = None,
    form: Annotated[
        str, typer.Option("--format", help="text, json, graphml, gexf, aif, cypher or trec.")
    ] = "",
    out: OutFile = None,
) -> None:
    """Show a view of a run or a sweep, live or finished, or draw it as a picture.

    With --out FILE.svg, .pdf or .png it is drawn: series as lines, tables with numbers as bars with their
    intervals (declared by their columns).
    """
    if not surface and (agent, n, form, out) != (None, None, "", None):
        raise InputError(
            f"options are for one surface; name it after the run (`openiir show {folder}` lists them)"
        )
    if is_sweep(folder):
        _show_sweep(folder, surface, agent, n, form, out)
    else:
        with open_checked(folder) as run:
            show_surface(run, surface, agent, n, form, out)


def _show_sweep(
    folder: Path, name: str, agent: str | None, n: int | None, form: str, out: Path | None
) -> None:
    """Draw a view of a sweep, or write it as JSON; without a name, list the views."""
    if not name:
        for view, title in SWEEP_VIEWS.items():
            print_result(f"{view:12} {title}")
        return
    if name not in SWEEP_VIEWS:
        raise UnknownName("view of a sweep", name, SWEEP_VIEWS)
    if agent is not None:
        raise InputError("a sweep's views show whole runs; leave --agent out, or show one of its runs")
    form = format_for(form, out, FILES)
    if form not in ("text", "json"):
        raise InputError(f"--format {form}: a sweep's views are text or json")
    sweep = read_sweep(folder)
    if name == "cells":
        table = _tabulate_cells(sweep)
        output_view(
            SWEEP_VIEWS[name],
            table if n is None else table.model_copy(update={"rows": table.rows[-n:]}),
            form,
            out,
            "",
        )
        return
    found = analyse_sweep(folder)
    title = f"{found.design}: {found.points} points x {found.seeds} seeds"
    output_view(title, found if form == "json" else _tabulate_indices(found), form, out, "")


def _tabulate_cells(sweep: SweepRecord) -> Table:
    rows = tuple((c.id, arm_name(c), c.seed, c.status, c.content[:19], c.reason) for c in sweep.cells)
    return Table(columns=("cell", "arm", "seed", "status", "content", "reason"), rows=rows)


def _tabulate_indices(found: Sensitivity) -> Table:
    """Tabulate sensitivity indices, one row for each measure and axis, the axis of most effect first."""
    labels = INDICES[found.design]
    rows: list[tuple[str | float | None, ...]] = []
    for name, one in found.measures.items():
        share = None if one.seed_share is None else round(one.seed_share, 3)
        if one.reason:
            rows.append((name, one.reason, *[None] * len(labels), share))
        key = "ST" if "ST" in labels else "mu*"
        for axis, values in sorted(one.axes.items(), key=lambda item: (-item[1][key], item[0])):
            rows.append((name, axis, *(round(values[label], 4) for label in labels), share))
    return Table(columns=("measure", "axis", *labels, "share of seeds"), rows=tuple(rows))
