"""HTML tables for pages and notebooks, with escaped cells."""

from collections.abc import Collection, Iterable, Sequence
from html import escape
from itertools import islice

MOST_ROWS, LETTERS = 50, 400
"""Most rows of a table in a notebook, and most characters in a cell."""
LEFT = ' style="text-align:left"'


def html_table(head: Sequence[str], rows: Iterable[Sequence[object]], left: Collection[int] = ()) -> str:
    """Write an HTML table; columns with indices in `left` are left-aligned."""

    def cells(row: Sequence[object], tag: str) -> str:
        return "".join(
            f"<{tag}{LEFT if n in left else ''}>{escape(_word(cell))}</{tag}>" for n, cell in enumerate(row)
        )

    lines = "\n".join(f"<tr>{cells(row, 'td')}</tr>" for row in rows)
    return f"<table>\n<thead><tr>{cells(head, 'th')}</tr></thead>\n<tbody>\n{lines}\n</tbody></table>"


def notebook_table(head: Sequence[str], rows: Iterable[Sequence[object]], total: int) -> str:
    """Write the first rows of a table as HTML, with long texts cut and the number of omitted rows."""
    shown = [[_shorten(cell) for cell in row] for row in islice(rows, MOST_ROWS)]
    texts = [n for n in range(len(head)) if any(isinstance(row[n], str) for row in shown)]
    more = f"<p>and {total - len(shown):,} rows more</p>" if total > len(shown) else ""
    return html_table(head, shown, texts) + more


def _shorten(cell: object) -> object:
    """Cut a text at LETTERS characters; numbers stay unchanged."""
    if cell is None or isinstance(cell, int | float):
        return cell
    text = str(cell)
    return text if len(text) <= LETTERS else f"{text[: LETTERS - 1]}\N{HORIZONTAL ELLIPSIS}"


def _word(cell: object) -> str:
    if cell is None or cell != cell:
        return ""
    return f"{cell:.6g}" if isinstance(cell, float) else str(cell)
