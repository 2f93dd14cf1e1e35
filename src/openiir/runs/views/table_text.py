"""Draw tables as text: intervals beside their numbers, several blocks where the width does not suffice."""

from textwrap import wrap
from typing import NamedTuple

from rich.console import Console
from rich.table import Table as Grid

from openiir.core.sums import int_sum
from openiir.plugin import CellValue, Table

GAP, SLIM = 2, 24
"""Blanks between the columns of a table, and the width to which a text column may be broken."""


class DrawnColumn(NamedTuple):
    """A column of a table to draw, with its intervals; missing values and NaN are None."""

    name: str
    cells: tuple[CellValue, ...]
    halves: tuple[CellValue, ...] = ()
    """Half-widths of intervals about the numbers."""
    ends: tuple[tuple[CellValue, ...], ...] = ()
    """Pairs (low, high) of intervals that need not be symmetric about the numbers."""

    @property
    def text(self) -> bool:
        """Whether some cell of the column is a text."""
        return any(isinstance(cell, str) for cell in self.cells)

    @property
    def numeric(self) -> bool:
        """Whether the column has a number and no text."""
        return not self.text and any(cell is not None for cell in self.cells)


def read_columns(view: Table) -> list[DrawnColumn]:
    """Return a table's columns, each with the interval that further columns of the table give for it."""
    rows = view.labelled_rows()
    cells = {n: tuple(None if row[n] != row[n] else row[n] for row in rows) for n in range(len(view.columns))}
    columns: list[DrawnColumn] = []
    place: dict[str, int] = {}
    low: dict[str, tuple[CellValue, ...]] = {}
    for n, column in enumerate(view.columns):
        if not column.bound:
            place[column.name] = len(columns)
            columns.append(DrawnColumn(column.name, cells[n]))
        elif column.bound == "low":
            low[column.of] = cells[n]
        else:
            whole = place[column.of]
            part = (
                {"halves": cells[n]}
                if column.bound == "half"
                else {"ends": tuple(zip(low[column.of], cells[n], strict=True))}
            )
            columns[whole] = columns[whole]._replace(**part)
    return columns


class _Part(NamedTuple):
    """A column with its cells as text."""

    column: DrawnColumn
    cells: list[str]

    @property
    def wide(self) -> int:
        """Width in letters with the column's name on one line."""
        return max(map(len, (self.column.name, *self.cells)))

    @property
    def slim(self) -> int:
        """Width in letters with the name broken between words; texts may be broken too, numbers not."""
        if self.column.text:
            return min(self.wide, SLIM)
        return max(map(len, (*self.column.name.split(), *self.cells)), default=0)


def draw_table(view: Table, console: Console) -> None:
    """Draw a table; one that is too wide in blocks, each beginning with the columns that label the rows."""
    parts = [_Part(column, _cells(column)) for column in read_columns(view)]
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
    """Split columns into blocks that fit the width, each with the columns that label the rows."""
    texts = [n for n, part in enumerate(parts) if part.column.text]
    numbers = [n for n, part in enumerate(parts) if texts and n > texts[0] and not part.column.text]
    lead = parts[: numbers[0] if numbers else 0]
    blocks = [list(lead)]
    for part in parts[len(lead) :]:
        if len(blocks[-1]) > len(lead) and int_sum(p.slim + GAP for p in (*blocks[-1], part)) - GAP > width:
            blocks.append(list(lead))
        blocks[-1].append(part)
    return blocks


def _cells(column: DrawnColumn) -> list[str]:
    words, halves = ([_word(cell) for cell in cells] for cells in (column.cells, column.halves))
    if column.ends:
        ends = ["" if None in pair else f" [{', '.join(map(_word, pair))}]" for pair in column.ends]
        return [f"{word}{pair}" for word, pair in zip(_align(words), ends, strict=True)]
    if not any(halves):
        return words
    words, halves = _align(words), _align(halves)
    return [f"{word} ± {half}" if half.strip() else word for word, half in zip(words, halves, strict=True)]


def _align(words: list[str]) -> list[str]:
    """Align numbers that are written as text, with as many decimals as any of them has."""
    digits = max(len(word.partition(".")[2]) for word in words)
    if not any("e" in word for word in words):
        words = [f"{float(word):.{digits}f}" if word else "" for word in words]
    return [word.rjust(max(map(len, words))) for word in words]


def _word(cell: CellValue) -> str:
    return "" if cell is None else f"{cell:g}" if isinstance(cell, float) else str(cell)
