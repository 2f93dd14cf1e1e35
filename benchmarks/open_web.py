"""What funds an open web with agents in it, and from which share of agents on people leave: over seeds.

    python benchmarks/open_web.py seeds [--seeds 10] [--picture docs/pictures/open-web.svg]
    python benchmarks/open_web.py anchors [--seeds 10]
    python benchmarks/open_web.py prototype [--seeds 10]

`seeds` is the reference study, and the tipping point under other thresholds: four minutes on one core; the
picture is the one of the type's README. `anchors` sweeps what is taken from measurements of people, and
`prototype` sets the figures of MODELS beside those of the type. Means over seeds with 95 % intervals
(Student's t under 20 seeds); differences to the arm without agents are paired by seed.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure

import openiir
from measuring import print_table, run_command, show
from openiir.kit.arrays import Floats
from openiir.kit.statistics import Estimate, mean_interval
from openiir.plugin.definitions import bound_measure
from openiir.scenarios.open_web.config import HUMAN
from openiir.scenarios.open_web.model.outcomes import DEFINITIONS
from openiir.scenarios.open_web.model.retreat import RetreatRule

Found = Mapping[str, Floats]
THRESHOLDS, FIRMNESS = (0.3, 0.4, 0.5, 0.6, 0.7), (4.0, 10.0, 40.0)
FINE = [n / 10 for n in range(1, 10)]
"""Shares of agents among which a tipping point is looked for."""
PROTOTYPE = {
    HUMAN: (0.83, 0.95),
    "40% at 1%": (0.72, 0.91),
    "80% at 1%": (0.42, 0.80),
    "100% at 1%": (0.12, 0.61),
    "40% at 8%": (0.78, 0.94),
    "80% at 8%": (0.72, 0.91),
    "100% at 8%": (0.67, 0.90),
}
"""Survivors and quality mass in the prototype of MODELS, section 6.5."""
RETREAT: Mapping[str, Mapping[str, Any]] = {
    "as in the reference study": {},
    "everybody can tell": {"retreat.detection": 1.0, "retreat.false_alarms": 0.0},
    "hardly anybody can tell": {"retreat.detection": 0.55, "retreat.false_alarms": 0.45},
    "followers do not show": {"trust.influence": 0.0},
    "followers show more": {"trust.influence": 1.0},
    "agents write as well as people": {"trust.agents": 0.7},
    "agents write worse": {"trust.agents": 0.4},
    "one round is enough": {"retreat.rounds": 1},
}
ANCHORS: Mapping[str, Mapping[str, Any]] = {
    "as in the reference study": {},
    "no summaries": {"visits.summaries": 0.0},
    "summaries on half of all visits": {"visits.summaries": 0.5},
    "summaries everywhere": {"visits.summaries": 1.0},
    "who leaves a space leaves the web": {"visits.away": 0.0},
    "no feedback on demand": {"economy.feedback": 0.0},
    "an entrant in ten rounds": {"economy.entry": 0.1},
    "half the earnings": {"economy.rate": 25.0},
    "twice the earnings": {"economy.rate": 100.0},
    "a heavier tail (1.05)": {"economy.tail": 1.05},
    "a lighter tail (2)": {"economy.tail": 2.0},
    "alike costs (sd .3)": {"economy.costs": 0.3},
}


def run_seeds(seeds: int, **keys: Any) -> Found:
    """Run the reference study with these keys of its configuration; returns measures by name, (seeds,)."""
    runs: list[dict[str, float]] = []
    for seed in range(1, seeds + 1):
        with TemporaryDirectory() as folder:
            sets = {"seed": seed, **{f"config.{key}": value for key, value in keys.items()}}
            run = openiir.run("open_web", out=Path(folder) / "run", set=sets, progress=False)
            runs.append({name: one.value for name, one in run.measures().items()})
    return {name: np.array([one.get(name, np.nan) for one in runs]) for name in runs[0]}


def word(values: Floats, name: str = "survivors", less: bool = False) -> str:
    """Write a mean over seeds with its interval, within the bounds of the measure or its differences.

    Seeds without a value are left out and counted.
    """
    low, high = bound_measure(DEFINITIONS, name)
    there = values[np.isfinite(values)]
    if not len(there):
        return "undefined"
    made = mean_interval(there, bounds=(low - high, high - low) if less else (low, high))
    missing = f", {len(values) - len(there)} seeds without" if len(there) < len(values) else ""
    return (show(made) if made.bounded else format(made.value, ".3f")) + missing


def list_arms(found: Found) -> list[str]:
    """List the arms of runs, the one without agents first."""
    return list(dict.fromkeys(name.rpartition("/")[0] for name in found if "/" in name))


def print_arms(found: Found, less: Sequence[str], plain: Sequence[str]) -> None:
    """Print a row for each arm: measures as they are, and differences to the arm without agents."""

    def cells(arm: str) -> list[str]:
        values = {name: found.get(f"{arm}/{name}", np.array([np.nan])) for name in (*plain, *less)}
        return [
            *(word(values[name], name) for name in plain),
            *(word_less(found, arm, name) if arm != HUMAN else word(values[name], name) for name in less),
        ]

    head = " | ".join(["arm", *plain, *(f"{name}, less human" for name in less)])
    print_table(head, ([arm, *cells(arm)] for arm in list_arms(found)))


def word_less(found: Found, arm: str, name: str) -> str:
    """Write the difference of an arm to the one without agents."""
    return word(found[f"{arm}/{name}"] - found[f"{HUMAN}/{name}"], name, less=True)


def measure_tipping(seeds: int) -> dict[tuple[float, float], Floats]:
    """Measure the tipping point of each seed under each mean and concentration of thresholds."""
    found = {}
    for mean in THRESHOLDS:
        for firmness in FIRMNESS:
            keys = {"retreat.threshold": mean, "retreat.firmness": firmness}
            found[mean, firmness] = find_tipping(seeds, keys)
    return found


def find_tipping(seeds: int, keys: Mapping[str, Any]) -> Floats:
    """Find the tipping point of each seed among finely spaced shares, without an economy."""
    fine = {"shares": FINE, "prices": [0.01], "economy.publishers": 0}
    return run_seeds(seeds, **fine, **keys)["tipping_point"]


def assume(keys: Mapping[str, Any]) -> str:
    """Write the tipping point that thresholds alone imply."""
    own = {key.removeprefix("retreat."): value for key, value in keys.items() if key.startswith("retreat.")}
    return format(RetreatRule(**own).find_tipping(), ".3f")


def measure_seeds(seeds: int = 10, picture: Path | None = None) -> None:
    found = run_seeds(seeds)
    print(f"{seeds} seeds of the reference study\n")
    print_arms(found, ("survivors", "tail", "mass", "coverage"), ("paid", "elasticity"))
    print()
    print_arms(found, ("gini", "hhi"), ("stayed", "human_share", "contamination", "trust_gap"))
    print(f"\ntipping point of the reference study: {word(found['tipping_point'])}\n")
    tipping = measure_tipping(seeds)
    rows = (
        (mean, *(f"{word(tipping[mean, one])}; {assume_of(mean, one)}" for one in FIRMNESS))
        for mean in THRESHOLDS
    )
    print_table(f"mean threshold | {' | '.join(f'firmness {one:g}' for one in FIRMNESS)}", rows)
    print()
    others = ((name, word(find_tipping(seeds, keys)), assume(keys)) for name, keys in RETREAT.items())
    print_table("what people do | tipping point | by thresholds alone", others)
    if picture:
        draw_picture(found, tipping, picture)


def assume_of(mean: float, firmness: float) -> str:
    return assume({"retreat.threshold": mean, "retreat.firmness": firmness})


def draw_picture(found: Found, tipping: Mapping[tuple[float, float], Floats], out: Path) -> None:
    """Draw survivors over shares of agents for both prices, and tipping points over thresholds."""
    matplotlib.rcParams.update({"svg.hashsalt": "openiir", "svg.fonttype": "none", "font.size": 8})
    figure = Figure(figsize=(8, 2.9), layout="constrained")
    left, right = figure.subplots(1, 2)
    for price, colour in (("1%", "tab:red"), ("8%", "tab:blue")):
        arms = {0.0: HUMAN, **{n / 100: f"{n}% at {price}" for n in (20, 40, 60, 80, 100)}}
        for name, style in (("survivors", "-"), ("mass", ":")):
            less = [mean_interval(found[f"{arm}/{name}"] - found[f"{HUMAN}/{name}"]) for arm in arms.values()]
            draw_line(left, list(arms), less, colour, style, f"{name}, {price} of agents' visits paid")
    left.set(xlabel="agents' share of visits", ylabel="difference to no agents")
    for firmness, colour in zip(FIRMNESS, ("tab:green", "tab:orange", "tab:purple"), strict=True):
        made = [mean_interval(tipping[mean, firmness]) for mean in THRESHOLDS]
        draw_line(right, THRESHOLDS, made, colour, "-", f"firmness {firmness:g}")
        alone = [RetreatRule(threshold=mean, firmness=firmness).find_tipping() for mean in THRESHOLDS]
        right.plot(THRESHOLDS, alone, color=colour, ls=":", lw=1)
    right.set(xlabel="mean share of agents that people bear", ylabel="tipping point")
    for axis in (left, right):
        axis.legend(fontsize=7, frameon=False)
        axis.spines[["top", "right"]].set_visible(False)
    figure.savefig(out, metadata={"Date": None})


def draw_line(
    axis: Any, x: Sequence[float], made: Sequence[Estimate], colour: str, style: str, label: str
) -> None:
    """Draw a line with its intervals; a value without spread has none."""
    low, high = (np.array([getattr(one, end) for one in made]) for end in ("low", "high"))
    values = np.array([one.value for one in made])
    ends = np.nan_to_num([values - low, high - values])
    axis.errorbar(x, values, yerr=ends, fmt=f"o{style}", ms=2.5, lw=1, color=colour, label=label)


def sweep_anchors(seeds: int = 10) -> None:
    few = {"shares": [0.4, 0.8], "prices": [0.01, 0.08, "as people"], "rounds": 30}
    arms = ("40% at 1%", "80% at 1%", "80% at 8%", "80% as people")
    rows = []
    for name, keys in ANCHORS.items():
        found = run_seeds(seeds, **few, **keys)
        less = [word_less(found, arm, "survivors") for arm in arms]
        elastic = word(found["80% at 1%/elasticity"], "elasticity")
        rows.append([name, word(found[f"{HUMAN}/views"]), word(found[f"{HUMAN}/survivors"]), *less, elastic])
    head = (
        f"what is changed | views | human | {' | '.join(f'{arm}, less human' for arm in arms)} | elasticity"
    )
    print_table(head, rows)


def check_prototype(seeds: int = 10) -> None:
    keys = {"visits.summaries": 0.0, "spaces.writing": 0.0, "shares": [0.4, 0.8, 1.0]}
    found = run_seeds(seeds, **keys)

    def cells(arm: str, name: str, wanted: float) -> tuple[str, str]:
        values = found[f"{arm}/{name}"]
        return f"{wanted:.2f}", f"{word(values, name)}, sd {values.std(ddof=1):.3f}"

    rows = (
        (arm, *cells(arm, "survivors", survivors), *cells(arm, "mass", mass))
        for arm, (survivors, mass) in PROTOTYPE.items()
    )
    print_table("arm | prototype: survivors | here | prototype: quality mass | here", rows)


if __name__ == "__main__":
    run_command(seeds=measure_seeds, anchors=sweep_anchors, prototype=check_prototype)
