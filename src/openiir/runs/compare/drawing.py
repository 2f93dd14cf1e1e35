"""Render a comparison of runs as text for terminals and as a table for notebooks."""

from collections.abc import Sequence
from functools import partial
from html import escape
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from openiir.core.html import notebook_table
from openiir.core.sums import int_sum
from openiir.runs.compare import wording
from openiir.runs.compare.arms import value_text
from openiir.runs.compare.records import ComparedArm, ComparedMeasure, Comparison, Contrast
from openiir.runs.terminal import draw_text, without_controls

SHOWN, WIDTH, MANY = 15, 110, 8
TESTED = {"difference": "difference from baseline", "95 % interval": "95 % interval", "p": "p"}
TESTED |= {"corr.": "corrected", "d_z": "d_z", "rho": "ρ", "S": "S"}
"""Columns of tests on a terminal, with their names on a page."""


class DrawnComparison(Comparison):
    """A comparison of runs that prints as text and shows as a table in a notebook."""

    def __str__(self) -> str:
        return without_controls(comparison_text(self)).removesuffix("\n")

    def __repr__(self) -> str:
        runs = int_sum(len(arm.runs) for arm in self.arms)
        return f"Comparison({len(self.arms)} arms, {runs} runs, {len(self.measures)} measures)"

    def _repr_html_(self) -> str:
        """Render each measure's means and differences from the baseline as HTML, smallest p first."""
        labels = {arm.id: arm.label for arm in self.arms}
        tested = ("from", "to", "p, corrected") if self.paired else ()
        head = ("measure", *labels.values(), "arm", f"less {labels[self.baseline]}", *tested)
        tests = sorted(
            ((one, c) for one in self.measures for c in one.contrasts),
            key=lambda test: (test[0].family, test[1].rank()),
        )
        rows: list[tuple[object, ...]] = []
        for one, c in tests:
            means = (values.mean.value for values in one.arms)
            numbers = (c.difference.value, c.difference.low, c.difference.high, c.adjusted.value)
            rows.append((one.measure, *means, labels[c.arm], *numbers[: 1 + len(tested)]))
        if len(self.arms) == 1:
            head, rows = head[:2], [(one.measure, one.arms[0].mean.value) for one in self.measures]
        warnings = "".join(f"<p>Note: {escape(words)}</p>" for words in (*self.warnings, *self.left_out))
        return warnings + notebook_table(head, rows, len(rows))


def comparison_text(found: Comparison) -> str:
    """Render a comparison as plain text; control characters are kept."""
    return draw_text(partial(draw_comparison, found), WIDTH)


def draw_comparison(found: Comparison, console: Console) -> None:
    """Print a comparison: how arms differ, left-out runs, confirmatory measures, and all others briefly."""
    _print_head(found, console)
    for one in found.measures:
        if one.family == "confirmatory":
            _print_confirmatory(found, one, console)
    _print_exploratory(found, console)
    console.print()
    for note in (wording.describe_tests(found), *wording.NOTES):
        if note:
            console.print(Text(note, style="dim"))


def _print_head(found: Comparison, console: Console) -> None:
    console.print(Text(wording.comparison_title(found), style="bold underline"))
    for warning in found.warnings:
        console.print(Text.assemble(("Note: ", "bold yellow"), (warning, "yellow")))
    for words in found.left_out:
        console.print(Text.assemble(("Left out: ", "bold yellow"), (words, "yellow")))
    grid = Grid(box=None, pad_edge=False, header_style="bold")
    for column in ("arm", "", "runs", "seeds", ""):
        grid.add_column(column, justify="right" if column == "runs" else "left")
    for arm in found.arms[: MANY * 2]:
        mark = "baseline" if arm.id == found.baseline else ""
        grid.add_row(arm.id, Text(arm.label), str(len(arm.runs)), seed_range(arm), mark)
    console.print(grid)
    if len(found.arms) > MANY * 2:
        console.print(Text(f"... and {len(found.arms) - MANY * 2} more arms", style="dim"))
    for key, row in list(found.differs.items())[:MANY]:
        values = ", ".join(f"{arm} {value_text(value)[:40]}" for arm, value in list(row.items())[:MANY])
        console.print(Text(f"differs: {key}: {values}", style="dim"))
    if len(found.differs) > MANY:
        console.print(Text(f"differs: {len(found.differs) - MANY} more keys; see --format json", style="dim"))


def seed_range(arm: ComparedArm) -> str:
    """Format an arm's seeds as short text, such as `1 to 20`."""
    seeds = arm.seeds
    if len(seeds) > 2 and seeds[-1] - seeds[0] == len(seeds) - 1:
        return f"{seeds[0]} to {seeds[-1]}"
    shown = ", ".join(map(str, seeds[:6]))
    return shown if len(seeds) <= 6 else f"{shown}, ... ({len(seeds)})"


def _print_confirmatory(found: Comparison, one: ComparedMeasure, console: Console) -> None:
    console.print()
    console.print(Text(one.measure, style="bold"))
    grid = Grid(box=None, pad_edge=False, header_style="dim")
    for column in ("", "mean", "95 % interval", "least", "most", "seeds"):
        grid.add_column(column, justify="left" if column in ("", "95 % interval") else "right")
    for values in one.arms[: MANY * 2]:
        grid.add_row(Text(found.arm(values.arm).label), *wording.format_arm(values))
    console.print(Padding(grid, (0, 0, 0, 2), expand=False))
    if len(one.contrasts) > MANY:
        ranked = sorted(((one, c) for c in one.contrasts), key=lambda row: row[1].rank())
        _print_contrasts(found, ranked[:SHOWN], console)
        if len(ranked) > SHOWN:
            console.print(
                Text(f"{len(ranked) - SHOWN} more arms with larger p: see --format json or html", style="dim")
            )
        return
    for c in one.contrasts:
        lines = [(wording.describe_contrast(found, one, c), 2, "bold green" if c.is_significant else "")]
        if c.p.value is not None and (c.higher or c.lower):
            words = (
                wording.describe_effect(c),
                wording.describe_pairing(c),
                wording.describe_equivalence(c),
                wording.describe_seeds_needed(c),
            )
            lines += [(line, 4, "dim") for line in words if line]
        if c.undefined:
            lines.append((f"{c.undefined} shared seeds dropped: no value in one of the two", 4, "yellow"))
        for line, indent, style in lines:
            console.print(Padding(Text(line, style=style), (0, 0, 0, indent), expand=False))


def _print_exploratory(found: Comparison, console: Console) -> None:
    rows = [(one, c) for one in found.measures if one.family == "exploratory" for c in one.contrasts]
    if not rows:
        return
    valued = [(one, c) for one, c in rows if all(_mean(one, arm) is not None for arm in (c.arm, c.baseline))]
    telling = [(one, c) for one, c in valued if c.higher or c.lower or not c.seeds]
    if found.paired:
        telling.sort(key=lambda row: row[1].rank())
    console.print()
    named = any(one.family == "confirmatory" for one in found.measures)
    hint = "not named by --measure" if named else "none was named by --measure"
    by = "; corrected by Benjamini-Hochberg" if found.paired else ""
    console.print(Text(f"Exploratory ({hint}{by})", style="bold"))
    most = SHOWN if found.paired else len(telling)
    if telling:
        _print_contrasts(found, telling[:most], console)
    same = int_sum(1 for _, c in valued if c.seeds and not (c.higher or c.lower))
    none = len(rows) - len(valued)
    rest = [f"{len(telling) - most} more with larger p" if len(telling) > most else ""]
    rest += [
        f"{same} the same in every shared seed" if same else "",
        f"{none} without a value" if none else "",
    ]
    if any(rest):
        console.print(Text(f"{'; '.join(filter(None, rest))}: see --format json or html", style="dim"))


def _mean(one: ComparedMeasure, arm: str) -> float | None:
    return next(values.mean.value for values in one.arms if values.arm == arm)


def _print_contrasts(
    found: Comparison, rows: Sequence[tuple[ComparedMeasure, Contrast]], console: Console
) -> None:
    """Print a line for each contrast with the baseline; only the means where nothing was tested."""
    several = len(found.arms) > 2
    columns = ["measure", *(["arm"] if several else []), "baseline", "arm's mean" if several else "other arm"]
    if found.paired:
        columns += TESTED
    grid = Grid(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        left = column in ("measure", "arm", "95 % interval")
        flow: Any = {"overflow": "fold"} if column == "measure" else {"no_wrap": True}
        grid.add_column(column, justify="left" if left else "right", **flow)
    for one, c in rows:
        means = [wording.format_number(_mean(one, arm), digits=3) for arm in (c.baseline, c.arm)]
        told = wording.format_contrast(c, digits=3)
        tested = [told[name] for name in TESTED.values()] if found.paired else []
        cells = [*([c.arm] if several else []), *means, *tested]
        grid.add_row(one.measure, *cells, style="bold" if c.is_significant else "")
    console.print(grid)
    if found.paired:
        legend = (
            "p: sign flip. corr.: p corrected. d_z: difference in SDs of itself. rho: correlation. S: seeds."
        )
        console.print(Text(legend, style="dim"))
