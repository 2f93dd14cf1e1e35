"""Draw views at a terminal, each form of view in its own way."""

from collections import Counter
from functools import partial, singledispatch
from math import isfinite
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text
from rich.tree import Tree as Branches

from openiir.plugin import (
    Cards,
    Distribution,
    Entry,
    Graph,
    Matrix,
    Network,
    Ranking,
    Report,
    Series,
    Table,
    Tree,
)
from openiir.runs.terminal import draw_text, show
from openiir.runs.views.table_text import draw_table
from openiir.runs.views.writing import write_out

COLOURS = ("cyan", "magenta", "green", "yellow", "blue", "red")
EDGE_COLOURS = {"supports": "green", "counters": "red", "refines": "blue", "questions": "yellow"}
BARS = "▁▂▃▄▅▆▇█"
MOST, MOST_NODES = 1_000, 20
"""Most entries, rows or claims, and most nodes drawn on the screen; a line takes half a millisecond."""


def draw_view(
    title: str, view: Any, out: Path | None = None, answered: str = "", whole: bool = False
) -> None:
    """Draw a view to the terminal (its first MOST parts unless `whole`) or as plain text into a file.

    `answered` notes who answered in the run.
    """
    if out is None:
        show(partial(_draw_titled, title, view, answered, None if whole else MOST))
    else:
        write_out(out, view_text(title, view, answered))


def view_text(title: str, view: Any, answered: str = "") -> str:
    """Render a view as plain text; control characters are kept."""
    return draw_text(partial(_draw_titled, title, view, answered, None))


def _draw_titled(title: str, view: Any, answered: str, most: int | None, console: Console) -> None:
    console.print(Text(title, style="bold underline"))
    if answered:
        console.print(Text(answered, style="dim"))
    if isinstance(view, Graph):
        _graph(view, console, most)
    else:
        shown, left = _cut(view, most)
        draw_form(shown, console)
        if left:
            console.print(
                Text(f"\n{left:,} more; --n N, --out FILE or --format json gives them", style="dim")
            )


def _cut(view: Any, most: int | None) -> tuple[Any, int]:
    """Cut a view with many entries or rows to its first ones, and count the others."""
    parts = view if isinstance(view, list) else getattr(view, "rows", ())
    if most is None or len(parts) <= most or isinstance(view, Matrix):
        return view, 0
    first = view[:most] if isinstance(view, list) else view.model_copy(update={"rows": parts[:most]})
    return first, len(parts) - most


@singledispatch
def draw_form(view: Any, console: Console) -> None:
    """Draw a view in one of the plug-in interface's forms, chosen by the view's class."""
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
    cites = (cite.label or f"[{cite.chunk}]" for cite in entry.cites)
    for note in (*cites, *entry.acts, *entry.notes):
        console.print(Padding(Text(note, style="dim"), (0, 0, 0, 4)))


@draw_form.register
def _graph(view: Graph, console: Console, most: int | None = None) -> None:
    kinds = Counter(edge.type for edge in view.edges)
    counts = ", ".join(f"{n} {kind}" for kind, n in sorted(kinds.items())) or "no edges"
    console.print(Text(f"{view.topic}\n{len(view.claims)} claims; {counts}", style="dim"))
    out: dict[str, list[Any]] = {}
    for edge in view.edges:
        out.setdefault(edge.source, []).append(edge)
    for claim in view.claims[:most]:
        strength = view.strengths.get(claim.id)
        mark = {"supporting": "+", "challenging": "-", "neutral": "·"}[claim.side]
        head = f"{claim.id} {mark} {view.speakers.get(claim.speaker, claim.speaker)}"
        shown = f"  strength {strength:.2f}" if strength is not None else ""
        console.print(Text.assemble("\n", (head, "bold"), (shown, "dim")))
        console.print(Padding(Text(claim.text), (0, 0, 0, 5)))
        for edge in out.get(claim.id, []):
            words = f"{edge.type} {edge.target} ({edge.confidence:.2f})"
            console.print(Padding(Text(words, style=EDGE_COLOURS[edge.type]), (0, 0, 0, 5)))
    if left := len(view.claims[most:] if most else ()):
        console.print(Text(f"\n{left} more claims; --out FILE or --format json gives all", style="dim"))


@draw_form.register
def _series(view: Series, console: Console) -> None:
    grid = Grid(box=None, pad_edge=False)
    for column in ("", "first", f"by {view.along}", "last", "change"):
        grid.add_column(column, style="dim" if column in ("first", "last") else "")
    for name, points in view.lines.items():
        values = [value for _, value in points]
        known = [value for value in values if isfinite(value)]
        if known:
            first, last = known[0], known[-1]
            line = _sparkline(values, view.low, view.high)
            grid.add_row(name, f"{first:+.2f}", line, f"{last:+.2f}", f"{last - first:+.2f}")
        else:
            grid.add_row(name, "", " " * len(values), "", "")
    console.print(Text(f"{view.unit}, from {view.low:g} to {view.high:g}", style="dim"))
    console.print(grid)


def _sparkline(values: list[float], low: float, high: float) -> str:
    span = (high - low) or 1.0
    return "".join(BARS[min(7, max(0, int((v - low) / span * 8)))] if isfinite(v) else " " for v in values)


draw_form.register(draw_table)


@draw_form.register
def _matrix(view: Matrix, console: Console) -> None:
    rows = tuple((name, *cells) for name, cells in zip(view.rows, view.cells, strict=True))
    console.print(Text(f"{view.unit}, from {view.low:g} to {view.high:g}".lstrip(", "), style="dim"))
    draw_table(Table(columns=("", *view.columns), rows=rows), console)


@draw_form.register
def _distribution(view: Distribution, console: Console) -> None:
    console.print(Text(view.unit, style="dim"))
    grid = Grid(box=None, pad_edge=False)
    for name, bins in view.groups.items():
        most = max(bins.counts, default=0)
        line = _sparkline([float(count) for count in bins.counts], 0.0, float(most))
        grid.add_row(
            name, f"{bins.bins[0]:g}" if bins.bins else "", line, f"{bins.bins[-1]:g}" if bins.bins else ""
        )
    console.print(grid)
    for name, quantiles in view.quantiles.items():
        words = ", ".join(f"{share:.0%} {value:g}" for share, value in quantiles)
        console.print(Text(f"{name}: {words}"))


@draw_form.register
def _cards(view: Cards, console: Console) -> None:
    for card in view.items:
        badge = f"  {card.badge}" if card.badge else ""
        console.print(Text.assemble("\n", (card.title, "bold"), (badge, "dim")))
        if card.text:
            console.print(Padding(Text(card.text), (0, 0, 0, 2)))
        for name, words in card.fields.items():
            console.print(Padding(Text(f"{name}: {words}", style="dim"), (0, 0, 0, 2)))


@draw_form.register
def _tree(view: Tree, console: Console) -> None:
    branches: dict[str, Branches] = {}
    roots: list[Branches] = []
    for node in view.nodes:
        value = "" if node.value is None else f"  {node.value:g} {view.unit}".rstrip()
        words = Text.assemble(node.label, (f"  {node.state}" if node.state else "", "dim"), (value, "dim"))
        if node.parent:
            branches[node.id] = branches[node.parent].add(words)
        else:
            branches[node.id] = Branches(words)
            roots.append(branches[node.id])
    for root in roots:
        console.print(root)


@draw_form.register
def _network(view: Network, console: Console) -> None:
    kinds = Counter(edge.kind or "links" for edge in view.edges)
    counts = ", ".join(f"{n} {kind}" for kind, n in sorted(kinds.items())) or "no links"
    console.print(Text(f"{len(view.nodes)} nodes; {counts}", style="dim"))
    degrees = Counter(end for edge in view.edges for end in (edge.source, edge.target))
    labels = {node.id: node.label for node in view.nodes}
    for node, degree in degrees.most_common(MOST_NODES):
        console.print(Text(f"{labels[node]}  {degree} links"))


@draw_form.register
def _ranking(view: Ranking, console: Console) -> None:
    rows = tuple((row.topic, row.rank, row.item, row.score, row.tag) for row in view.rows)
    draw_table(Table(columns=("topic", "rank", "item", "score", "tag"), rows=rows), console)


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
