"""Plot a comparison as SVG; equal values give equal bytes."""

from collections.abc import Sequence
from math import nan
from typing import Any

from openiir.runs.compare.records import ComparedArm, ComparedMeasure, Comparison, NumberInterval
from openiir.runs.pictures import COLOURS, DARK, GREY, LETTER, MOST_LABEL, edges_in, plot_style, render_svg

BELOW = 0.2
"""Distance, in rows, at which an arm's mean and interval are drawn below its points."""
WIDTH = 9.6
"""Width of a plot in inches."""


def measure_plot(found: Comparison, one: ComparedMeasure) -> str:
    """Plot a measure as SVG: the values of each arm on the left, differences from the baseline on the right.

    Left: each arm's mean and interval, and its values joined by a line for each seed. Right: each arm less
    the baseline with the interval, and the band of differences too small to matter.
    """
    with plot_style(one.measure):
        from matplotlib.figure import Figure

        rows = len(one.arms)
        labels = [_short(found.arm(values.arm)) for values in one.arms]
        height = 0.75 + 0.5 * rows
        figure = Figure(figsize=(WIDTH, height))
        inches = edges_in(WIDTH, height, 0.3 + LETTER * max(map(len, labels)), 0.15, 0.55, 0.1)
        left, right = figure.subplots(
            1, 2, sharey=True, width_ratios=(3, 2), gridspec_kw={"wspace": 0.06, **inches}
        )
        _arms(left, found, one)
        _differences(right, found, one)
        left.set_yticks(range(rows), labels)
        right.tick_params(labelleft=False)
        left.set_ylim(rows - 0.5, -0.5)
        left.set_xlabel(one.measure)
        right.set_xlabel(f"difference from the baseline ({found.baseline})")
        return render_svg(figure)


def _arms(axes: Any, found: Comparison, one: ComparedMeasure) -> None:
    by_seed: dict[int, list[tuple[float, float]]] = {}
    for row, values in enumerate(one.arms):
        for point in values.points:
            if point.value is not None:
                by_seed.setdefault(point.seed, []).append((point.value, row))
    joined = [place for seed in sorted(by_seed) for place in (*by_seed[seed], (nan, nan))]
    _grey(axes, joined, 0.6)
    for row, values in enumerate(one.arms):
        _interval(axes, values.mean, row, _colour(found, values.arm))


def _differences(axes: Any, found: Comparison, one: ComparedMeasure) -> None:
    rows = {values.arm: row for row, values in enumerate(one.arms)}
    smallest = next((c.equivalence.smallest for c in one.contrasts if c.equivalence is not None), None)
    if smallest is not None:
        axes.axvspan(-smallest, smallest, color="#000000", alpha=0.07, linewidth=0)
    axes.axvline(0, color=DARK, linewidth=0.8)
    base = {v.seed: v.value for v in one.arms[rows[found.baseline]].points}
    for c in one.contrasts:
        row, colour = rows[c.arm], _colour(found, c.arm)
        pairs = [(point.value, base.get(point.seed)) for point in one.arms[row].points]
        both = [(value - other, row) for value, other in pairs if value is not None and other is not None]
        _grey(axes, both, 0.0)
        _interval(axes, c.difference, row, colour, hollow=not c.is_significant)


def _grey(axes: Any, places: Sequence[tuple[float, float]], line: float) -> None:
    """Draw grey points joined by lines in their order, with gaps at NaN."""
    if places:
        xs, ys = zip(*places, strict=True)
        axes.plot(xs, ys, color=GREY, linewidth=line, alpha=0.7, marker="o", markersize=2.8, zorder=2.5)


def _interval(axes: Any, one: NumberInterval, row: int, colour: str, hollow: bool = False) -> None:
    if one.value is None:
        return
    place, face = row + BELOW, "white" if hollow else colour
    if one.low is not None and one.high is not None:
        line = {"linewidth": 1.8, "solid_capstyle": "butt", "zorder": 2}
        axes.plot([one.low, one.high], [place, place], color=colour, **line)
    axes.plot(one.value, place, marker="o", markersize=6, color=colour, markerfacecolor=face, zorder=3)


def _colour(found: Comparison, arm: str) -> str:
    return COLOURS[[a.id for a in found.arms].index(arm) % len(COLOURS)]


def _short(arm: ComparedArm) -> str:
    """Return an arm's label, or its letter and the beginning of a long label."""
    return arm.label if len(arm.label) <= MOST_LABEL else f"{arm.id}: {arm.label[: MOST_LABEL - 4]}…"
