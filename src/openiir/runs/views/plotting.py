"""Plot views as pictures: lines of a series, bars of the numbers in a table, a heat map of a matrix."""

from functools import singledispatch
from itertools import dropwhile, takewhile
from math import ceil, isfinite, isnan, nan
from pathlib import Path
from textwrap import wrap
from typing import Any, NamedTuple

from openiir.core.errors import InputError
from openiir.plugin import Matrix, Series, Table
from openiir.runs.pictures import (
    COLOURS,
    DARK,
    GREY,
    LETTER,
    MOST_LABEL,
    edges_in,
    plot_style,
    render_figure,
    render_svg,
)
from openiir.runs.views.table_text import DrawnColumn, read_columns
from openiir.runs.views.writing import write_out

ENDINGS, FORMS = (".svg", ".pdf", ".png"), ("series", "table", "matrix")
OTHERS = (".bmp", ".eps", ".gif", ".jpeg", ".jpg", ".ps", ".tif", ".tiff", ".webp")
"""File endings of pictures in formats that are not supported."""
DRAWN = "a series, a matrix or a table with numbers can be drawn as .svg, .pdf or .png"
MOST_BARS = 120
DASHES, MARKERS, HATCHES = ("-", "--", ":", "-."), "os^D", ("", "////")
"""Line styles, markers and hatches that distinguish lines and bars when the colours repeat."""
MOST_PANELS, TALL = (5, 8), 4.0
"""Most panels side by side (low ones, tall ones), and the height in inches above which a panel is tall."""
WIDTH, PANEL, MARGIN, TITLE, HEAD, ENTRY, ROW, BAR, CELL = 9.6, 1.9, 0.15, 0.35, 0.6, 0.2, 0.24, 0.14, 0.24
"""Sizes in inches: width of a line plot, width of a panel of bars, margin; and heights.

Heights are of a title, of a panel's name and scale, of an entry of a legend, of a labelled bar, of a bar in a
group, of a cell.
"""


def is_picture(out: Path | None) -> bool:
    """Whether a file's ending is that of a picture; InputError for a format that is not supported."""
    ending = out.suffix.lower() if out else ""
    if ending in OTHERS:
        raise InputError(f"--out {out} names a picture of a kind that is not written; {DRAWN}")
    return ending in ENDINGS


def write_picture(title: str, view: Any, out: Path) -> None:
    """Draw a view into an SVG, PDF or PNG file; the same view and title give the same bytes.

    Raises InputError for a form that is not drawn, for a view without numbers and for one with too many.
    """
    with plot_style(title):
        figure, form = _figure(view, title, out), out.suffix.lower()[1:]
        picture = render_svg(figure).encode() if form == "svg" else render_figure(figure, form)
    write_out(out, "")
    out.write_bytes(picture)


def view_svg(title: str, view: Any) -> str:
    """Render a view as an `<svg>` element. Raises InputError for a form that is not drawn."""
    with plot_style(title):
        return render_svg(_figure(view, title, Path("picture.svg")))


@singledispatch
def _figure(view: Any, title: str, out: Path) -> Any:
    form = "timeline" if isinstance(view, list) else type(view).__name__.lower()
    raise InputError(
        f"--out {out} would be a picture, and no picture shows a {form}; {DRAWN}. Another ending gives text"
    )


@_figure.register
def _series(view: Series, title: str, out: Path) -> Any:
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    lines = {name: points for name, points in view.lines.items() if points}
    values = [value for points in lines.values() for _, value in points if isfinite(value)]
    if not values:
        raise InputError(f"--out {out}: there is nothing to draw yet; {title!r} has no numbers in this run")
    named = len(lines) <= len(COLOURS) * len(DASHES)
    names = [_cut(name) for name in lines] if named else []
    legend = _room(names)
    height = max(3.6, 0.9 + ENTRY * len(names))
    figure = Figure(figsize=(WIDTH, height))
    axes = figure.subplots(gridspec_kw=edges_in(WIDTH, height, 0.75, legend, 0.55, TITLE + 0.1))
    for n, (name, points) in enumerate(lines.items()):
        looks = _line(n, max(map(len, lines.values()))) if named else {"color": GREY, "linewidth": 0.7}
        axes.plot(
            *zip(*((step, value if isfinite(value) else nan) for step, value in points), strict=True), **looks
        )
        if (band := view.bands.get(name)) and named:
            steps_at, lows, highs = zip(*band, strict=True)
            axes.fill_between(steps_at, lows, highs, color=looks["color"], alpha=0.15, linewidth=0)
    for mark in view.marks:
        axes.axvline(mark.x, color=GREY, linewidth=0.8, linestyle=":")
        axes.annotate(mark.label, (mark.x, 1), xycoords=("data", "axes fraction"), fontsize=7, va="bottom")
    steps = [step for points in lines.values() for step, _ in points]
    axes.set_xlim(*_beyond(min(steps), max(steps)))
    axes.set_ylim(*_beyond(view.low, view.high if view.high > view.low else view.low + 1.0))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    axes.grid(visible=True, axis="both")
    axes.set(xlabel=view.along, ylabel=view.unit)
    _title(figure, title if named else f"{title} ({len(lines)} lines)")
    if named:
        _legend(axes, axes.lines[: len(names)], names)  # marks are lines too
    return figure


def _beyond(low: float, high: float) -> tuple[float, float]:
    room = 0.03 * (high - low) or 0.5
    return low - room, high + room


def _line(n: int, longest: int) -> dict[str, Any]:
    size = 3.4 if longest <= 40 else 1.5
    lap = n // len(COLOURS)
    return {
        "color": COLOURS[n % len(COLOURS)],
        "linestyle": DASHES[lap],
        "linewidth": 1.5,
        "marker": MARKERS[lap],
        "markersize": size,
    }


@_figure.register
def _matrix(view: Matrix, title: str, out: Path) -> Any:
    from matplotlib.colors import TwoSlopeNorm
    from matplotlib.figure import Figure

    values = [value for row in view.cells for value in row if value is not None and isfinite(value)]
    if not values:
        raise InputError(f"--out {out}: there is nothing to draw yet; {title!r} has no numbers in this run")
    rows, columns = ([_cut(name) for name in names] for names in (view.rows, view.columns))
    left, below = _room(rows), _room(columns)
    width, height = left + CELL * len(columns) + 1.2, TITLE + CELL * len(rows) + below
    figure = Figure(figsize=(max(width, left + 4.0), height))
    axes = figure.subplots(gridspec_kw=edges_in(figure.get_figwidth(), height, left, MARGIN, below, TITLE))
    scale = None if view.middle is None else TwoSlopeNorm(view.middle, view.low, view.high)
    limits = {"norm": scale} if scale else {"vmin": view.low, "vmax": view.high}
    cells = [[nan if value is None else value for value in row] for row in view.cells]
    mesh = axes.pcolormesh(cells, cmap="PuOr" if scale else "Blues", **limits)
    axes.set_xticks([n + 0.5 for n in range(len(columns))], columns, rotation=90)
    axes.set_yticks([n + 0.5 for n in range(len(rows))], rows)
    axes.invert_yaxis()
    axes.grid(visible=False)
    axes.tick_params(length=0)
    figure.colorbar(mesh, ax=axes, label=view.unit)
    _title(figure, title)
    return figure


class _Bars(NamedTuple):
    """Layout of a table's bars: positions in inches from the top, colours and labels."""

    places: list[float]
    colours: list[int]
    labels: list[str]
    ticks: list[float]
    """Positions of the labels."""
    legend: list[str]
    """Meaning of each colour; empty where every bar has a label."""
    thick: float
    depth: float


@_figure.register
def _table(view: Table, title: str, out: Path) -> Any:
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    names, numbers = _row_names(read_columns(view))
    if not numbers:
        raise InputError(f"--out {out}: there is nothing to draw; {title!r} has no numbers in this run")
    if len(view.rows) > MOST_BARS:
        raise InputError(
            f"--out {out}: {len(view.rows)} rows, and {MOST_BARS} is the most that is drawn; cut with --n"
        )
    bars = _grouped_bars(names) or _single_bars(names, len(view.rows))
    left, right = LETTER * max(map(len, bars.labels)) + 0.3, _room(bars.legend)
    depth = max(bars.depth, ENTRY * len(bars.legend))
    rows = ceil(len(numbers) / MOST_PANELS[depth > TALL])
    across = ceil(len(numbers) / rows)
    width, height = left + across * PANEL + right, TITLE + rows * (depth + HEAD)
    figure = Figure(figsize=(width, height))
    free = edges_in(width, height, left, right, HEAD / 2, TITLE + HEAD / 2)
    space = {"wspace": 0.12, "hspace": HEAD / depth}
    panels = figure.subplots(
        rows, across, sharey=True, squeeze=False, gridspec_kw={**free, **space}
    ).flatten()
    for axes, column in zip(panels, numbers, strict=False):
        _panel(axes, column, bars)
    for axes in panels[len(numbers) :]:
        axes.remove()
    panels[0].set_ylim(bars.depth, 0)
    panels[0].set_yticks(bars.ticks, bars.labels)
    _title(figure, title)
    if bars.legend:
        swatches = [Patch(**_colour(n)) for n in range(len(bars.legend))]
        _legend(panels[across - 1], swatches, bars.legend)
    return figure


def _row_names(columns: list[DrawnColumn]) -> tuple[list[list[str]], list[DrawnColumn]]:
    """Return the label columns of a table, and the columns of numbers to draw.

    Rows are labelled by the first adjacent columns of text. A first column of distinct whole numbers counts
    or names the rows, and is not drawn.
    """
    first = columns[0].cells if columns else ()
    counting = len({cell for cell in first if isinstance(cell, int)}) == len(first)
    numbers = [column for column in columns[counting:] if column.numeric]
    texts = list(takewhile(lambda c: c.text, dropwhile(lambda c: not c.text, columns))) or columns[:counting]
    return [[_cut("" if cell is None else str(cell)) for cell in c.cells] for c in texts], numbers


def _single_bars(names: list[list[str]], n: int) -> _Bars:
    """Lay out one bar for each row, labelled with the names that differ between rows, or with its number."""
    telling = [column for column in names if len(set(column)) > 1] or names
    labels = [", ".join(filter(None, row)) for row in zip(*telling, strict=True)] or [
        str(k + 1) for k in range(n)
    ]
    places = [ROW * (k + 0.5) for k in range(n)]
    return _Bars(places, [0] * n, labels, places, [], 0.7 * ROW, ROW * n)


def _grouped_bars(names: list[list[str]]) -> _Bars | None:
    """Lay out bars in groups, coloured by the last label column where its values recur; else None."""
    if len(names) < 2:
        return None
    *outer, last = names
    keys = [", ".join(filter(None, row)) for row in zip(*outer, strict=True)]
    groups, legend = list(dict.fromkeys(keys)), list(dict.fromkeys(last))
    places = list(zip(keys, last, strict=True))
    tight = len(groups) * len(legend) <= 2 * len(keys) and len(legend) <= len(COLOURS) * len(HATCHES)
    if not tight or len(set(places)) < len(places) or len(groups) in (1, len(keys)):
        return None
    step = BAR * (len(legend) + 1)
    return _Bars(
        [step * groups.index(key) + BAR * (legend.index(name) + 1) for key, name in places],
        [legend.index(name) for name in last],
        groups,
        [step * (k + 0.5) for k in range(len(groups))],
        legend,
        0.85 * BAR,
        step * len(groups),
    )


def _panel(axes: Any, column: DrawnColumn, bars: _Bars) -> None:
    """Draw one column of numbers as bars from zero, with intervals and the numbers as text."""
    from matplotlib.ticker import MaxNLocator

    low, high, letters = 0.0, 0.0, 0
    values = [_number(cell) for cell in column.cells]
    for place, colour, value, (below, above) in zip(
        bars.places, bars.colours, values, _arms(column, values), strict=True
    ):
        if isnan(value):
            continue
        outward, words = -1 if value < 0 else 1, f"{value:.4g}" if abs(value) < 1000 else f"{value:.0f}"
        axes.barh(place, value, bars.thick, **_colour(colour))
        if isnan(below + above):
            below = above = 0.0
        else:
            axes.errorbar(
                value, place, xerr=[[below], [above]], color=DARK, linewidth=0.9, capsize=1.6, capthick=0.9
            )
        end = (value - below if value < 0 else value + above, place)
        off = {
            "xytext": (3 * outward, 0),
            "textcoords": "offset points",
            "ha": "left" if outward > 0 else "right",
        }
        axes.annotate(words, end, **off, va="center", fontsize=6.5, color=DARK)
        low, high, letters = (
            min(low, value - below),
            max(high, value + above),
            max(letters, len(words)),
        )
    _scale(axes, low, high, (letters + 1) * 0.75 * LETTER / PANEL)
    axes.xaxis.set_major_locator(
        MaxNLocator(3, steps=[1, 2, 5, 10], integer=not any(isinstance(v, float) for v in column.cells))
    )
    axes.tick_params(axis="y", length=0)
    axes.tick_params(axis="x", labelsize=7.5)
    axes.set_title("\n".join(wrap(column.name, 26)), fontsize=9, loc="left")


def _arms(column: DrawnColumn, values: list[float]) -> list[tuple[float, float]]:
    """Compute the lengths of each interval below and above its number; NaN where there is no interval."""
    if column.ends:
        ends = [(_number(low), _number(high)) for low, high in column.ends]
        return [
            (max(value - low, 0.0), max(high - value, 0.0))
            for value, (low, high) in zip(values, ends, strict=True)
        ]
    return [(half, half) for half in map(_number, column.halves or [None] * len(values))]


def _scale(axes: Any, low: float, high: float, words: float) -> None:
    """Scale to include zero and all bars; `words` is the labels' share of the panel's width."""
    high = high if high > low else 1.0
    sides = (low < 0) + (high > 0)
    room = (high - low) * words / (1 - sides * words)
    axes.set_xlim(low - room if low < 0 else 0.0, high + room if high > 0 else 0.0)
    if low < 0:
        axes.axvline(0, color=DARK, linewidth=0.8)
        axes.spines["left"].set_visible(False)


def _number(cell: Any) -> float:
    """Convert a cell to a float; NaN for what cannot be drawn."""
    return float(cell) if isinstance(cell, int | float) and isfinite(cell) else nan


def _colour(n: int) -> dict[str, Any]:
    hatch = HATCHES[n // len(COLOURS)]
    return {"facecolor": COLOURS[n % len(COLOURS)], "hatch": hatch, "edgecolor": "white", "linewidth": 0.0}


def _room(names: list[str]) -> float:
    """Compute the width of a legend in inches."""
    return LETTER * max(map(len, names)) + 0.65 if names else MARGIN


def _legend(axes: Any, handles: Any, names: list[str]) -> None:
    """Put a legend at the upper right of the axes."""
    axes.legend(handles, names, loc="upper left", bbox_to_anchor=(1.0, 1.02), frameon=False, fontsize=9)


def _title(figure: Any, title: str) -> None:
    wide, high = figure.get_size_inches()
    figure.text(MARGIN / wide, 1 - 0.1 / high, title, fontsize=10.5, fontweight="bold", va="top")


def _cut(name: str) -> str:
    return name if len(name) <= MOST_LABEL else f"{name[: MOST_LABEL - 1]}\N{HORIZONTAL ELLIPSIS}"
