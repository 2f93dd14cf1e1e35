"""Views of a sweep: its cells, and what moves its measures."""

from pathlib import Path

from openiir.cli.sweeps import arm_name
from openiir.cli.views import FILES, emit
from openiir.cli.writing import format_for
from openiir.core.errors import InputError, UnknownName
from openiir.plugin import Table
from openiir.runs.sweep.record import Sweep, read_sweep
from openiir.runs.sweep.sensitivity import INDICES, Sensitivity, sensitivity_of
from openiir.runs.terminal import say

VIEWS = {"cells": "Every run of the sweep", "sensitivity": "What moves the measures (morris, sobol)"}


def show_sweep(
    folder: Path, name: str, agent: str | None, n: int | None, form: str, out: Path | None
) -> None:
    """Draw a view of a sweep, or write it as JSON; without a name, list the views there are."""
    if not name:
        for view, title in VIEWS.items():
            say(f"{view:12} {title}")
        return
    if name not in VIEWS:
        raise UnknownName("view of a sweep", name, VIEWS)
    if agent is not None:
        raise InputError("a sweep's views show whole runs; leave --agent out, or show one of its runs")
    form = format_for(form, out, FILES)
    if form not in ("text", "json"):
        raise InputError(f"--format {form}: a sweep's views are text or json")
    sweep = read_sweep(folder)
    if name == "cells":
        table = _cells(sweep)
        emit(
            VIEWS[name],
            table if n is None else table.model_copy(update={"rows": table.rows[-n:]}),
            form,
            out,
            "",
        )
        return
    found = sensitivity_of(folder)
    title = f"{found.design}: {found.points} points x {found.seeds} seeds"
    emit(title, found if form == "json" else _indices(found), form, out, "")


def _cells(sweep: Sweep) -> Table:
    rows = tuple((c.id, arm_name(c), c.seed, c.status, c.content[:19], c.reason) for c in sweep.cells)
    return Table(columns=("cell", "arm", "seed", "status", "content", "reason"), rows=rows)


def _indices(found: Sensitivity) -> Table:
    """A row a measure and axis, the most moving axis first; a measure without indices has its reason."""
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
