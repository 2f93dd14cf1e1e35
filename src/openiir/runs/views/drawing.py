"""Views drawn for a terminal: timeline, graph, series, table, ranking, report."""

from collections import Counter
from functools import partial, singledispatch
from math import isfinite
from pathlib import Path
from textwrap import wrap
from typing import Any, NamedTuple

from rich.console import Console
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from openiir.core.sums import int_sum
from openiir.plugin import Entry, Graph, Ranking, Report, Series, Table
from openiir.runs.terminal import draw_text, show
from openiir.runs.views.writing import write_out

COLOURS = ("cyan", "magenta", "green", "yellow", "blue", "red")
EDGE_COLOURS = {"supports": "green", "counters": "red", "refines": "blue", "questions": "yellow"}
BARS = "▁▂▃▄▅▆▇█"
MOST_CLAIMS = 1_000
"""That are drawn on the screen, which takes half a millisecond a line."""
GAP, SLIM = 2, 24
"""Letters between the columns of a table, and that a text may be broken to."""


def draw(title: str, view: Any, out: Path | None = None, answered: str = "") -> None:
    """Draw a view to the terminal, or as plain text into a file; `answered` says who answered in its run."""
    if out is None:
        show(partial(_draw_titled, title, view, answered, MOST_CLAIMS))
    else:
        write_out(out, view_text(title, view, answered))


def view_text(title: str, view: Any, answered: str = "") -> str:
    """A view drawn as plain text; control characters stay."""
    return draw_text(partial(_draw_titled, title, view, answered, None))


def _draw_titled(title: str, view: Any, answered: str, most: int | None, console: Console) -> None:
    console.print(Text(title, style="bold underline"))
    if answered:
        console.print(Text(answered, style="dim"))
    if isinstance(view, Graph):
        _graph(view, console, most)
    else:
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


class Column(NamedTuple):
    """A column of a table; a cell without a value, NaN among them, is None."""

    name: str
    cells: tuple[str | int | float | None, ...]
    halves: tuple[str | int | float | None, ...] = ()
    """Half-widths of intervals about the numbers, where a column `+-` follows."""
    ends: tuple[tuple[str | int | float | None, ...], ...] = ()
    """(low, high) of intervals that the numbers need not stand in the middle of, where columns so called follow."""

    @property
    def text(self) -> bool:
        """Whether it has a text."""
        return any(isinstance(cell, str) for cell in self.cells)

    @property
    def numeric(self) -> bool:
        """Whether it has a number, and no text."""
        return not self.text and any(cell is not None for cell in self.cells)


def columns_of(view: Table) -> list[Column]:
    """A table's columns; numbers called `+-`, or `low` and then `high`, are intervals of the numbers before them."""
    columns: list[Column] = []
    for n, name in enumerate(view.columns):
        column = Column(name, tuple(None if row[n] != row[n] else row[n] for row in view.rows))
        before = columns[-1] if columns else None
        if name == "+-" and before and not (_has_interval(before) or column.text):
            columns[-1] = before._replace(halves=column.cells)
        elif (
            name == "high"
            and len(columns) > 1
            and before
            and before.name == "low"
            and not any(map(_has_interval, (*columns[-2:], column)))
        ):
            low = columns.pop()
            columns[-1] = columns[-1]._replace(ends=tuple(zip(low.cells, column.cells, strict=True)))
        else:
            columns.append(column)
    return columns


def _has_interval(column: Column) -> bool:
    """Whether a column has an interval already, or cannot be part of one."""
    return bool(column.text or column.halves or column.ends)


class _Part(NamedTuple):
    """A column as it is drawn."""

    column: Column
    cells: list[str]

    @property
    def wide(self) -> int:
        """Letters across, its name on one line."""
        return max(map(len, (self.column.name, *self.cells)))

    @property
    def slim(self) -> int:
        """Letters across, its name broken between words; numbers are not broken, texts may be."""
        if self.column.text:
            return min(self.wide, SLIM)
        return max(map(len, (*self.column.name.split(), *self.cells)), default=0)


@draw_form.register
def _table(view: Table, console: Console) -> None:
    parts = [_Part(column, _cells(column)) for column in columns_of(view)]
    blocks = (
        [parts]
        if int_sum(part.wide + GAP for part in parts) - GAP <= console.width
        else _blocks(parts, console.width)
    )
    for n, block in enumerate(blocks):
        if n:
            console.print()
        grid = Grid(box=None, pad_edge=False, header_style="bold")
        for column, cells in block:
            if column.text:
                grid.add_column(column.name, overflow="fold")
            else:
                name = (
                    column.name if block is parts else "\n".join(wrap(column.name, _Part(column, cells).slim))
                )
                left = any(half is not None for half in column.halves) or bool(column.ends)
                grid.add_column(name, justify="left" if left else "right", no_wrap=True)
        for row in zip(*(cells for _, cells in block), strict=True):
            grid.add_row(*row)
        console.print(grid)


def _blocks(parts: list[_Part], width: int) -> list[list[_Part]]:
    """Columns that fit beside each other; each block begins with the columns that say what a row is."""
    texts = [n for n, part in enumerate(parts) if part.column.text]
    numbers = [n for n, part in enumerate(parts) if texts and n > texts[0] and not part.column.text]
    lead = parts[: numbers[0] if numbers else 0]
    blocks = [list(lead)]
    for part in parts[len(lead) :]:
        if len(blocks[-1]) > len(lead) and int_sum(p.slim + GAP for p in (*blocks[-1], part)) - GAP > width:
            blocks.append(list(lead))
        blocks[-1].append(part)
    return blocks


def _cells(column: Column) -> list[str]:
    words, halves = ([_word(cell) for cell in cells] for cells in (column.cells, column.halves))
    if column.ends:
        ends = ["" if None in pair else f" [{', '.join(map(_word, pair))}]" for pair in column.ends]
        return [f"{word}{pair}" for word, pair in zip(_align(words), ends, strict=True)]
    if not any(halves):
        return words
    words, halves = _align(words), _align(halves)
    return [f"{word} ± {half}" if half.strip() else word for word, half in zip(words, halves, strict=True)]


def _align(words: list[str]) -> list[str]:
    """Numbers as words, with as many decimals as any of them has."""
    digits = max(len(word.partition(".")[2]) for word in words)
    if not any("e" in word for word in words):
        words = [f"{float(word):.{digits}f}" if word else "" for word in words]
    return [word.rjust(max(map(len, words))) for word in words]


def _word(cell: str | int | float | None) -> str:
    return "" if cell is None else f"{cell:g}" if isinstance(cell, float) else str(cell)


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
