"""Views drawn for a terminal: timeline, graph, series, table, ranking, report."""

import sys
from collections import Counter
from functools import singledispatch
from io import StringIO
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from openiir.cli.writing import write_out
from openiir.plugin import Entry, Graph, Ranking, Report, Series, Table

COLOURS = ("cyan", "magenta", "green", "yellow", "blue", "red")
EDGE_COLOURS = {"supports": "green", "counters": "red", "refines": "blue", "questions": "yellow"}
BARS = "▁▂▃▄▅▆▇█"


def draw(title: str, view: Any, out: Path | None = None) -> None:
    """Draw a view to the terminal, or as plain text into a file."""
    if out is not None:
        drawn = StringIO()
        _draw_to(Console(file=drawn, width=100), title, view)
        write_out(out, drawn.getvalue())
        return
    _draw_to(Console(width=None if sys.stdout.isatty() else 100), title, view)


def _draw_to(console: Console, title: str, view: Any) -> None:
    console.print(Text(title, style="bold underline"))
    draw_form(view, console)


@singledispatch
def draw_form(view: Any, console: Console) -> None:
    """Draw one of the plug-in interface's forms."""
    raise TypeError(f"there is no drawing for {type(view).__name__}")


@draw_form.register
def _timeline(view: list, console: Console) -> None:  # type: ignore[type-arg]
    colours: dict[str, str] = {}
    for entry in view:
        console.print()
        _entry(entry, console, colours)


def _entry(entry: Entry, console: Console, colours: dict[str, str]) -> None:
    if entry.actor is None:
        console.print(Text.assemble((f"— {entry.heading} — ", "bold"), (entry.text, "italic")))
        return
    colour = colours.setdefault(entry.actor, COLOURS[len(colours) % len(COLOURS)])
    console.print(Text.assemble((entry.actor, f"bold {colour}"), (f"  {entry.heading}", "dim")))
    console.print(Padding(Text(entry.text), (0, 0, 0, 2)))
    for note in entry.notes:
        console.print(Padding(Text(note, style="dim"), (0, 0, 0, 4)))


@draw_form.register
def _graph(view: Graph, console: Console) -> None:
    kinds = Counter(edge.type for edge in view.edges)
    counts = ", ".join(f"{n} {kind}" for kind, n in sorted(kinds.items())) or "no edges"
    console.print(Text(f"{view.topic}\n{len(view.claims)} claims; {counts}", style="dim"))
    out: dict[str, list[Any]] = {}
    for edge in view.edges:
        out.setdefault(edge.source, []).append(edge)
    for claim in view.claims:
        strength = view.strengths.get(claim.id)
        mark = {"supporting": "+", "challenging": "-", "neutral": "·"}[claim.side]
        head = f"{claim.id} {mark} {view.speakers.get(claim.speaker, claim.speaker)}"
        shown = f"  strength {strength:.2f}" if strength is not None else ""
        console.print(Text.assemble("\n", (head, "bold"), (shown, "dim")))
        console.print(Padding(Text(claim.text), (0, 0, 0, 5)))
        for edge in out.get(claim.id, []):
            words = f"{edge.type} {edge.target} ({edge.confidence:.2f})"
            console.print(Padding(Text(words, style=EDGE_COLOURS[edge.type]), (0, 0, 0, 5)))


@draw_form.register
def _series(view: Series, console: Console) -> None:
    grid = Grid(box=None, pad_edge=False)
    for column in ("", "first", "over time", "last", "change"):
        grid.add_column(column, style="dim" if column in ("first", "last") else "")
    for name, points in view.lines.items():
        values = [value for _, value in points]
        grid.add_row(
            name,
            f"{values[0]:+.2f}",
            _sparkline(values, view.low, view.high),
            f"{values[-1]:+.2f}",
            f"{values[-1] - values[0]:+.2f}",
        )
    console.print(Text(f"{view.unit}, from {view.low:g} to {view.high:g}", style="dim"))
    console.print(grid)


def _sparkline(values: list[float], low: float, high: float) -> str:
    span = (high - low) or 1.0
    return "".join(BARS[min(7, max(0, int((v - low) / span * 8)))] for v in values)


@draw_form.register
def _table(view: Table, console: Console) -> None:
    grid = Grid(box=None, pad_edge=False, header_style="bold")
    numeric = [all(isinstance(row[n], (int, float)) for row in view.rows) for n in range(len(view.columns))]
    for column, is_number in zip(view.columns, numeric, strict=True):
        grid.add_column(column, justify="right" if is_number else "left")
    for row in view.rows:
        grid.add_row(*("" if cell is None else f"{cell:g}" if isinstance(cell, float) else str(cell) for cell in row))
    console.print(grid)


@draw_form.register
def _ranking(view: Ranking, console: Console) -> None:
    rows = tuple((row.topic, row.rank, row.item, row.score, row.tag) for row in view.rows)
    _table(Table(columns=("topic", "rank", "item", "score", "tag"), rows=rows), console)


@draw_form.register
def _report(view: Report, console: Console) -> None:
    console.print(Text(view.title, style="italic"))
    for section in view.sections:
        console.print()
        console.print(Text(section.title, style="bold"))
        if not section.statements:
            console.print(Padding(Text("(none)", style="dim"), (0, 0, 0, 2)))
        for text, claims in section.statements:
            rests = f"  [{', '.join(claims)}]" if claims else ""
            console.print(Padding(Text.assemble("• ", text, (rests, "dim")), (0, 0, 0, 2)))
