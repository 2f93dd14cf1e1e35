"""What evolution does on the type's own pairs: landing, judgement and their controls over seeds, and what a
run costs.

    python benchmarks/generations.py seeds [--seeds 10]    # seven minutes on one core
    python benchmarks/generations.py large        # 500 generations of 200 and 200: twenty minutes

Each seed is the reference study with every control; means over seeds with 95 % intervals (Student's t).
Generation 0 and the last are single generations on 20 pairs each; `last 3` is one whole turn of the training
pairs, so that all arms have met the same ones. `held out` are topics that no generation met, judged by the
last generation's own detectors.
"""

from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory

import numpy as np

import openiir
from measuring import peak_megabytes, print_table, read_clocks, run_command, run_study, since, spend
from openiir.kit.measures.judgements import roc_auc
from openiir.kit.statistics import mean_interval
from openiir.scenarios.multi_generational.measures.judgements import score_versions
from openiir.scenarios.multi_generational.run.setup import INVENTED

SHOWN = ("landing", "landing_true", "brier", "auc", "discrimination")
ARMS = ("coevolution", "frozen_detectors", "frozen_producers", "neutral", "random_genomes")


def word_interval(values: list[float]) -> str:
    """Write the mean of values over seeds and half the width of its 95 % interval."""
    found = mean_interval(values)
    return f"{found.value:.3f} +- {(found.high - found.low) / 2:.3f}"


def measure_seeds(seeds: int = 10) -> None:
    found: dict[tuple[str, str, str], list[float]] = {}
    held_out: dict[tuple[str, str], list[float]] = {}
    seconds = []
    with TemporaryDirectory() as folder:
        for seed in range(1, seeds + 1):
            start = read_clocks()
            run = openiir.run("multi_generational", out=Path(folder) / str(seed), set={"seed": seed})
            seconds.append(since(start).wall)
            rows = run.table("generations").to_pylist()
            last = max(row["generation"] for row in rows)
            whens = "0", str(last), "last 3"
            for arm in ARMS:
                own = {row["generation"]: row for row in rows if row["arm"] == arm}
                for name in SHOWN:
                    turn = float(np.mean([own[last - back][name] for back in range(3)]))
                    for when, value in zip(whens, (own[0][name], own[last][name], turn), strict=True):
                        found.setdefault((arm, name, when), []).append(value)
            (met,) = run.events("multi_generational.matrix").to_pylist()
            matched = run.events("multi_generational.matched").to_pylist()
            topics = {row["pair"]: row["topic"] for row in matched}
            tables = [np.array(met[name]).reshape(len(met["p"]), -1, 2) for name in ("p", "most", "words")]
            made_up = np.array([topics[pair] in INVENTED for pair in met["pairs"]])
            for group, chosen in (("settled", ~made_up), ("invented", made_up)):
                for when, at in (("0", 0), (str(last), -1)):
                    some = [one[at][chosen] for one in tables]
                    auc = float(roc_auc(some[0].ravel(), np.tile((False, True), len(some[0]))))
                    for name, value in {"auc": auc, **score_versions(*some)}.items():
                        held_out.setdefault((f"{group}, generation {when}", name), []).append(value)
    print(f"{seeds} seeds; {mean(seconds):.0f} s a run, {peak_megabytes():.0f} MB at most")
    for name in SHOWN:
        print()
        rows = ((arm, *(word_interval(found[arm, name, when]) for when in whens)) for arm in ARMS)
        print_table(f"{name} | generation 0 | generation {last} | last 3", rows)
    print()
    less = ((arm, *(word_interval(change(found, arm, name)) for name in SHOWN)) for arm in ARMS[1:])
    print_table(f"last 3, less co-evolution of the same seed | {' | '.join(SHOWN)}", less)
    print()
    rows = ((group, name, word_interval(values)) for (group, name), values in held_out.items())
    print_table("held out | measure | ", rows)


def change(found: dict[tuple[str, str, str], list[float]], arm: str, name: str) -> list[float]:
    """Compute an arm's last turn of pairs less that of co-evolution, by seed."""
    return list(np.subtract(found[arm, name, "last 3"], found[ARMS[0], name, "last 3"]))


def time_large(generations: int = 500, agents: int = 200) -> None:
    keys = {"generations": generations, "producers": agents, "detectors": agents, "controls": []}
    keys |= {"log": '"summaries"', "matrix.generations": 0}
    sets = [f"config.{key}={value}" for key, value in keys.items()]
    with TemporaryDirectory() as folder:
        took = spend(lambda: run_study("multi_generational", Path(folder) / "run", sets=sets)).wall
    size = f"{generations} generations of {agents} and {agents}"
    print(f"{size}: {took:.0f} s, {peak_megabytes():.0f} MB at most")


if __name__ == "__main__":
    run_command(seeds=measure_seeds, large=time_large)
