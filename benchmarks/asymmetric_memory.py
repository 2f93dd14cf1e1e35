"""What memory does to those who have it and to those who have not, over seeds; and how fast nulls are.

    python benchmarks/asymmetric_memory.py seeds [--seeds 10] [--out effects.svg]   # three minutes
    python benchmarks/asymmetric_memory.py speed

`seeds` runs the reference study under each condition: means over seeds with 95 % intervals (Student's t), and
with `--out` the picture of the type's page. `speed` times `permute_within`, `curveball` and `grant_access`
beside plain programs that do the same: CPU time, each the median of five turns.
"""

from pathlib import Path

import numpy as np

from measuring import median_spent, print_table, read_seeds, run_command, spend
from openiir.kit.access import grant_access
from openiir.kit.statistics import Estimate, curveball, mean_interval, permute_within
from openiir.plugin import Draw, Table, interval_ends
from openiir.runs.views.plotting import write_picture
from openiir.scenarios.asymmetric_memory.measures import EFFECTS, memory_measures

CONDITIONS = {
    "congestion (the reference study)": {},
    "no congestion": {"capacity": 0},
    "random goals, no congestion": {"capacity": 0, "new_goal": 1},
    "null: exchanged memories": {"exchanged": True},
    "null: the same, no congestion": {"exchanged": True, "capacity": 0},
    "positive control": {"capacity": 0, "answer_noise": 0, "cue_noise": 0.4, "rounds": 60},
    "congestion, 120 rounds": {"rounds": 120},
    "no congestion, 120 rounds": {"rounds": 120, "capacity": 0},
    "congestion, one in ten remembers": {"share": 0.1},
    "congestion, nine in ten remember": {"share": 0.9},
    "congestion, the last three answers": {"memory": "window:3"},
    "congestion, fading (decayed:5)": {"memory": "decayed:5"},
    "congestion, one memory for all": {"memory": "shared:town"},
    "sources change, congestion": {"drift": 0.5},
}
"""Keys of the configuration that each condition sets."""
HUGE = "congestion, one memory for all"
"""Condition whose effects would leave no room for the others in a picture."""
SHOWN = ("advantage", "spillover", "total", "hazard_ratio")
READS = ("useful", "harmful", "stale")


def measure_condition(seeds: range, **config: object) -> dict[str, list[float]]:
    """Run the reference study under each seed; returns its measures by name."""
    found: dict[str, list[float]] = {}
    sets = [f"config.{key}={str(value).lower()}" for key, value in config.items()]
    for log in read_seeds("asymmetric_memory", seeds, *sets):
        for name, measure in memory_measures(log).items():
            found.setdefault(name, []).append(measure.value)
    return found


def word_interval(one: Estimate, form: str = "+.3f") -> str:
    """Write a mean over seeds and half the width of its interval; a value alike in all seeds has none."""
    half = (one.high - one.low) / 2
    return f"{one.value:{form}}" + (f" +- {half:.3f}" if one.bounded else "")


def compare_conditions(seeds: int = 10, out: Path | None = None) -> None:
    means: dict[str, dict[str, Estimate]] = {}

    def rows():
        for label, config in CONDITIONS.items():
            found = measure_condition(range(1, seeds + 1), **config)
            means[label] = {name: mean_interval(values) for name, values in found.items()}
            effects = [
                word_interval(means[label][name], ".3f" if name == "hazard_ratio" else "+.3f")
                for name in SHOWN
            ]
            reads = [f"{means[label][f'{name}[mixed, with memory]'].value:.2f}" for name in READS]
            yield label, *effects, *reads

    print_table(" | ".join(("", *(EFFECTS[name][0] for name in SHOWN), *READS)), rows())
    if out:
        columns = [
            part for _, (label, _) in list(EFFECTS.items())[:3] for part in (label, *interval_ends(label))
        ]
        cells = [(label, *(end for name in SHOWN[:3] for end in means[label][name][:3])) for label in means]
        table = Table(columns=("", *columns), rows=tuple(row for row in cells if row[0] != HUGE))
        write_picture(f"What memory does, {seeds} seeds", table, out)


def permute_plainly(strata: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    found = np.empty(len(strata), dtype=np.int64)
    for stratum in np.unique(strata):
        places = np.flatnonzero(strata == stratum)
        found[places] = rng.permutation(places)
    return found


def trade_plainly(uses: np.ndarray, rng: np.random.Generator) -> list[set[int]]:
    """Trade as Strona et al. (2014) write it down, over sets."""
    rows = [set(np.flatnonzero(row).tolist()) for row in uses]
    for _ in range(5 * len(rows)):
        a, b = rng.choice(len(rows), 2, replace=False)
        both, pool = rows[a] & rows[b], list(rows[a] ^ rows[b])
        rng.shuffle(pool)
        own = len(rows[a]) - len(both)
        rows[a], rows[b] = both | set(pool[:own]), both | set(pool[own:])
    return rows


def grant_plainly(wanted: np.ndarray, capacity: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    granted = np.zeros(len(wanted), dtype=np.bool_)
    for source in range(len(capacity)):
        granted[rng.permutation(np.flatnonzero(wanted == source))[: capacity[source]]] = True
    return granted


def time_primitives() -> None:
    rng, draw = np.random.default_rng(1), Draw(1, "speed")
    strata, wanted = rng.integers(100, size=1_000_000), rng.integers(100, size=1_000_000)
    capacity = np.full(100, 8_000)
    uses = rng.random((1_000, 200)) < 0.1
    works = {
        "permute_within, 1,000,000 places in 100 strata": (
            1_000_000,
            lambda: permute_within(strata, draw),
            lambda: permute_plainly(strata, rng),
        ),
        "grant_access, 1,000,000 requests to 100 sources": (
            1_000_000,
            lambda: grant_access(wanted, capacity, draw),
            lambda: grant_plainly(wanted, capacity, rng),
        ),
        "curveball, 5,000 trades of 1,000 agents with 20 of 200 sources each": (
            5_000,
            lambda: curveball(uses, draw),
            lambda: trade_plainly(uses, rng),
        ),
    }

    def rows():
        for label, (units, ours, plain) in works.items():
            one, other = (median_spent([spend(work) for _ in range(5)]).cpu for work in (ours, plain))
            yield label, f"{one:.3f} s", f"{1e6 * one / units:.2f} us", f"{other:.3f} s", f"{one / other:.2f}"

    print_table("what | CPU time | each | plain program | ratio", rows())


if __name__ == "__main__":
    run_command(seeds=compare_conditions, speed=time_primitives)
