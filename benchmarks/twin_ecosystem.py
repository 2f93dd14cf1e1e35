"""Whether each policy helps, in which outcome, at once and once the world has responded: over seeds.

    python benchmarks/twin_ecosystem.py [--seeds 10] [--picture docs/pictures/twin-ecosystem.svg]

Each seed is the reference study under each policy, with its own free world beside it. Means over seeds with
95 % intervals (Student's t under 20 seeds) and, within the study's margins, two one-sided tests at .05. Two
minutes on one core; the picture is the one of the type's README.
"""

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure

import openiir
from measuring import print_table, run_command, show
from openiir.kit.arrays import Floats
from openiir.kit.statistics import mean_interval, tost
from openiir.scenarios.twin_ecosystem.model.outcomes import DEFINITIONS, MARGINS, PARTS

POLICIES: Mapping[str, Mapping[str, Any]] = {
    "none": {"by": "none"},
    "county-clinic's x 0": {"by": "down_rank", "provider": "county-clinic", "factor": 0.0},
    "diversity (mmr, .5)": {"by": "mmr", "weight": 0.5},
    "one place a provider": {"by": "cap", "most": 1},
    "a fifth for home-weekly": {"by": "quota", "provider": "home-weekly", "share": 0.2},
    "the portal's own x .3": {"by": "down_rank", "provider": "portal", "factor": 0.3},
    "checked publishers x 1.5": {"by": "provenance", "factor": 1.5},
    "harmful x .3": {"by": "down_rank", "factor": 0.3},
}
SIGNS = {"equivalent": "=", "larger": "!", "undecided": "?", "undefined": ""}
"""Verdicts of the tests: within the margin, beyond it, neither shown."""
DRAWN = ("utility", "harm", "help_harm", "gini", "coverage", "cost")


def measure_policies(folder: Path, seeds: int) -> dict[str, dict[str, Floats]]:
    """Run each policy with each seed; returns the measures by policy and name, (seeds,)."""
    found: dict[str, dict[str, Floats]] = {}
    for policy, keys in POLICIES.items():
        runs = []
        for seed in range(1, seeds + 1):
            sets = {"seed": seed, "config.policy": dict(keys)}
            run = openiir.run("twin_ecosystem", out=folder / f"{len(found)}-{seed}", set=sets, progress=False)
            runs.append({name: one.value for name, one in run.measures().items()})
        found[policy] = {name: np.array([one[name] for one in runs]) for name in runs[0]}
    return found


def draw_picture(found: Mapping[str, Mapping[str, Floats]], out: Path) -> None:
    """Draw the direct and the total difference of some outcomes under each policy, with intervals."""
    matplotlib.rcParams.update({"svg.hashsalt": "openiir", "svg.fonttype": "none", "font.size": 8})
    figure, rows = Figure(figsize=(10, 2.9), layout="constrained"), np.arange(len(found))[::-1]
    axes = figure.subplots(1, len(DRAWN), sharey=True)
    for axis, outcome in zip(axes, DRAWN, strict=True):
        axis.axvspan(-MARGINS[outcome], MARGINS[outcome], color="0.9")
        for part, shift, colour in (("direct", 0.15, "tab:orange"), ("total", -0.15, "tab:blue")):
            made = [mean_interval(one[f"{part}/{outcome}"]) for one in found.values()]
            ends = np.nan_to_num([[one.value - one.low, one.high - one.value] for one in made]).T
            values = [one.value for one in made]
            axis.errorbar(values, rows + shift, xerr=ends, fmt="o", ms=3, lw=1, color=colour, label=part)
        axis.set_title(DEFINITIONS[outcome][0])
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].set_yticks(rows, list(found))
    axes[0].legend(loc="upper right", fontsize=7)
    figure.savefig(out, metadata={"Date": None})


def word_difference(values: Floats, margin: float) -> str:
    """Write the mean difference over seeds with its interval and the verdict of the test."""
    made = mean_interval(values)
    return (
        f"{show(made) if made.bounded else format(made.value, '.3f')} {SIGNS[tost(values, margin).verdict]}"
    )


def measure_seeds(seeds: int = 10, picture: Path | None = None) -> None:
    with TemporaryDirectory() as folder:
        found = measure_policies(Path(folder), seeds)
    names = {name: DEFINITIONS[name][0] for name in MARGINS}
    free = found["none"]
    print(
        f"{seeds} seeds. Differences to the free world: = within the margin, ! beyond it, ? neither shown\n"
    )
    levels = ((names[name], word_difference(free[f"free/{name}"], at), at) for name, at in MARGINS.items())
    print_table("outcome | free world, against 0 | margin", levels)
    for policy, measures in found.items():
        print(f"\n{policy}\n")
        rows = (
            (names[name], *(word_difference(measures[f"{part}/{name}"], at) for part in PARTS))
            for name, at in MARGINS.items()
        )
        print_table(f"outcome | {' | '.join(PARTS)}", rows)
    print()
    totals = (
        (policy, *(word_difference(one[f"total/{name}"], MARGINS[name]) for name in DRAWN))
        for policy, one in found.items()
    )
    print_table(f"total | {' | '.join(names[name] for name in DRAWN)}", totals)
    if picture:
        draw_picture(found, picture)


if __name__ == "__main__":
    run_command(measure_seeds)
