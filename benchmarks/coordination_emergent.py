"""Whether agents who see what others ask form cartels of information, over seeds, with its controls.

    python benchmarks/coordination_emergent.py sweep [--seeds 10] [--out excess.svg]   # seven minutes
    python benchmarks/coordination_emergent.py clusters [--seeds 10]                    # three minutes
    python benchmarks/coordination_emergent.py false [--seeds 200]                       # four minutes
    python benchmarks/coordination_emergent.py planted [--seeds 40] [--overlap cosine]   # eight minutes

`sweep` runs the reference study at several weights of others' accesses (beta_s): means over seeds with 95 %
intervals (Student's t), and with `--out` the picture of the type's page. `clusters` describes those of agents
who see names. `false` counts what is found where nobody sees others' accesses, and `planted` how often a
planted group is found, where all are hidden: shares with Wilson's intervals.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from measuring import print_table, read_seeds, run_command, word_interval
from openiir.kit.statistics import Estimate, mean_interval
from openiir.kit.statistics.proportion import wilson_interval
from openiir.plugin import Series
from openiir.runs.views.plotting import write_picture
from openiir.scenarios.coordination_emergent.model.access import HIDDEN
from openiir.scenarios.coordination_emergent.model.co_access import CoAccessMeasuring
from openiir.scenarios.coordination_emergent.model.record import DEFINITIONS, ArmRecord

WEIGHTS = (0, 1, 2, 4, 6, 8, 12)
ARMS = ("counts", "names")
SHOWN = ("overlap", "expected", "excess", "pairs", "clusters", "lasting", "cartels")
FURTHER = ("uniform", "hhi", "denied", "hoarded", "imposed", "exclusivity", "worth")
GROUPS = (3, 5, 8)


def read_runs(seeds: Sequence[int], **config: Any) -> Iterator[dict[str, ArmRecord]]:
    """Run the reference study under each seed; yields the record of each arm."""
    sets = (f"config.{key}={value}" for key, value in config.items())
    for log in read_seeds("coordination_emergent", seeds, *sets):
        yield ArmRecord.read_all(log)


def measure_sweep(seeds: int = 10, out: Path | None = None) -> None:
    found: dict[tuple[str, int, str], list[float]] = {}
    for weight in WEIGHTS:
        for arms in read_runs(range(1, seeds + 1), **{"choice.social": weight}):
            for arm, record in arms.items():
                for name, measure in {**record.measure_overlap(), **record.measure_access()}.items():
                    found.setdefault((arm, weight, name), []).append(measure.value)
    places = [(HIDDEN, WEIGHTS[0]), *((arm, weight) for arm in ARMS for weight in WEIGHTS)]
    for names in (SHOWN, FURTHER):
        form = {"excess": "+.4f", "pairs": ".4f", "clusters": ".1f", "lasting": ".1f", "cartels": ".1f"}
        rows = (
            (arm, weight, *(word_interval(found[arm, weight, name], form.get(name, ".3f")) for name in names))
            for arm, weight in places
        )
        print_table(" | ".join(("sees", "beta_s", *(DEFINITIONS[name][0] for name in names))), rows)
        print()
    if out:
        means: dict[str, list[tuple[int, Estimate]]] = {}
        for arm in ARMS:
            base = found[HIDDEN, WEIGHTS[0], "excess"]
            means[arm] = [
                (weight, mean_interval(np.subtract(found[arm, weight, "excess"], base))) for weight in WEIGHTS
            ]
        lines = {arm: tuple((weight, one.value) for weight, one in line) for arm, line in means.items()}
        bands = {
            arm: tuple((weight, one.low, one.high) for weight, one in line if one.bounded)
            for arm, line in means.items()
        }
        series = Series(along="beta_s", unit="excess", low=0.0, high=0.025, lines=lines, bands=bands)
        write_picture(f"Excess overlap over that of agents who see nothing, {seeds} seeds", series, out)


def describe_clusters(seeds: int = 10) -> None:
    def rows() -> Iterator[tuple[object, ...]]:
        for weight in WEIGHTS[-3:]:
            found: list[tuple[float, ...]] = []
            config = {"choice.social": weight, "traces": '["names"]'}
            for arms in read_runs(range(1, seeds + 1), **config):
                record = arms["names"]
                goals = np.array(record.record.goals)
                ends = [goals[window.pairs] for window in record.windows if len(window.pairs)]
                if clusters := record.clusters:
                    across = np.concatenate([one[:, 0] != one[:, 1] for one in ends])
                    own = [(len(one.members), one.denies, one.usual) for one in clusters]
                    less = np.mean([one.denies < one.usual for one in clusters])
                    found.append((*np.mean(own, axis=0), less, across.mean()))
            yield weight, len(found), *(word_interval(values) for values in zip(*found, strict=True))

    head = "beta_s | runs with clusters | members | denies | usual | share that denies less than usual"
    print_table(f"{head} | pairs across goals", rows())


def count_false(seeds: int = 200) -> None:
    options = {name: CoAccessMeasuring(overlap=name) for name in ("jaccard", "cosine")}
    found = {name: np.zeros((seeds, 4)) for name in options}
    excess: dict[str, list[float]] = {name: [] for name in options}
    config = {"choice.social": 0, "traces": '["counts"]', "rounds": 20}
    for n, arms in enumerate(read_runs(range(1, seeds + 1), **config)):
        for name, how in options.items():
            record = ArmRecord(**{**vars(arms[HIDDEN]), "options": how})
            pairs = any(len(window.pairs) for window in record.windows)
            measures = record.measure_overlap()
            found[name][n] = [pairs, *(measures[key].value > 0 for key in ("clusters", "lasting", "cartels"))]
            excess[name].append(measures["excess"].value)

    def rows() -> Iterator[tuple[object, ...]]:
        for name, counts in found.items():
            shares = (wilson_interval(int(count), seeds) for count in counts.sum(axis=0))
            words = [f"{one.value:.3f} ({one.low:.3f} to {one.high:.3f})" for one in shares]
            yield name, word_interval(excess[name], "+.5f"), *words

    head = "overlap | excess | runs with a pair in excess | with a cluster | a lasting one | a cartel"
    print_table(head, rows())


def find_planted(seeds: int = 40, overlap: str = "jaccard") -> None:
    options = CoAccessMeasuring.model_validate({"overlap": overlap})

    def rows() -> Iterator[tuple[object, ...]]:
        for size in GROUPS:
            config = {"choice.social": 0, "traces": '["counts"]', "planted": size}
            counts = np.zeros((seeds, 4), dtype=np.int64)
            mixed = without = 0
            for n, arms in enumerate(read_runs(range(1, seeds + 1), **config)):
                record = ArmRecord(**{**vars(arms[HIDDEN]), "options": options})
                first = record.requests.shape[1] - size
                own = [one for one in record.clusters if 2 * (one.members >= first).sum() > len(one.members)]
                cartels = [one for one in record.clusters if one.is_cartel(record.options)]
                mixed += sum(one not in own for one in cartels)
                without += sum(one.members.max() < first for one in cartels)
                counts[n] = [
                    bool(own),
                    any(one.lasts(record.options) for one in own),
                    any(one.is_cartel(record.options) for one in own),
                    max([0, *((one.members >= first).sum() for one in own)]),
                ]
            shares = [wilson_interval(int(count), seeds) for count in counts[:, :3].sum(axis=0)]
            words = [f"{one.value:.3f} ({one.low:.3f} to {one.high:.3f})" for one in shares]
            yield size, *words, f"{counts[:, 3].mean():.1f}", f"{mixed / seeds:.2f}", f"{without / seeds:.2f}"

    head = "planted | found as a cluster | lasting | as a cartel | members of it in the cluster"
    print_table(f"{head} | cartels of mostly others | of others alone", rows())


if __name__ == "__main__":
    run_command(sweep=measure_sweep, clusters=describe_clusters, false=count_false, planted=find_planted)
