"""What evolution does on the type's own pairs: landing, judgement and their controls over seeds, and what a
run costs.

    python benchmarks/generations.py              # ten seeds, seven minutes on one core
    python benchmarks/generations.py 3            # three seeds
    python benchmarks/generations.py growth       # seconds by generations, agents and pairs, summaries alone
    python benchmarks/generations.py large        # 500 generations of 200 and 200: twenty minutes

Each seed is the reference study with every control; means over seeds with 95 % intervals (Student's t).
Generation 0 and the last are single generations on 20 pairs each; `last 3` is one whole turn of the training
pairs, so that all arms have met the same ones. `held out` are topics that no generation met, judged by the
last generation's own detectors.
"""

import resource
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np
from scipy.stats import t

import openiir
from openiir.kit.measures.judgements import roc_auc
from openiir.scenarios.multi_generational.measures.judgements import score_versions
from openiir.scenarios.multi_generational.run.setup import INVENTED

SHOWN = ("landing", "landing_true", "brier", "auc", "discrimination")
ARMS = ("coevolution", "frozen_detectors", "frozen_producers", "neutral", "random_genomes")


def word_interval(values: list[float]) -> str:
    """Write the mean of values over seeds and half the width of its 95 % interval."""
    half = (
        t.ppf(0.975, len(values) - 1) * np.std(values, ddof=1) / np.sqrt(len(values))
        if len(values) > 1
        else np.nan
    )
    return f"{np.mean(values):.3f} +- {half:.3f}"


def measure_growth(sizes: list[tuple[int, int, int]]) -> None:
    print(f"{'generations':>12}{'agents a side':>15}{'pairs':>7}{'seconds':>9}{'ns a judgement':>16}")
    for generations, agents, pairs in sizes:
        size = {"generations": generations, "producers": agents, "detectors": agents, "pairs": pairs}
        keys = {**size, "controls": [], "log": "summaries", "matrix.generations": 0}
        with tempfile.TemporaryDirectory() as folder:
            began = perf_counter()
            openiir.run(
                "multi_generational",
                out=Path(folder) / "run",
                set={f"config.{k}": v for k, v in keys.items()},
            )
            seconds = perf_counter() - began
        judgements = generations * agents * agents * pairs * 2
        print(f"{generations:12}{agents:15}{pairs:7}{seconds:9.1f}{seconds / judgements * 1e9:16.0f}")
    print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB at most")


def main(seeds: int) -> None:
    found: dict[tuple[str, str, str], list[float]] = {}
    held_out: dict[tuple[str, str], list[float]] = {}
    seconds = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(1, seeds + 1):
            began = perf_counter()
            run = openiir.run("multi_generational", out=Path(folder) / str(seed), set={"seed": seed})
            seconds.append(perf_counter() - began)
            rows = run.table("generations").to_pylist()
            last = max(row["generation"] for row in rows)
            for arm in ARMS:
                own = {row["generation"]: row for row in rows if row["arm"] == arm}
                for name in SHOWN:
                    turn = float(np.mean([own[last - back][name] for back in range(3)]))
                    for when, value in (("0", own[0][name]), (str(last), own[last][name]), ("last 3", turn)):
                        found.setdefault((arm, name, when), []).append(value)
            (met,) = run.events("multi_generational.matrix").to_pylist()
            topics = {
                row["pair"]: row["topic"] for row in run.events("multi_generational.matched").to_pylist()
            }
            tables = [np.array(met[name]).reshape(len(met["p"]), -1, 2) for name in ("p", "most", "words")]
            made_up = np.array([topics[pair] in INVENTED for pair in met["pairs"]])
            for group, chosen in (("settled", ~made_up), ("invented", made_up)):
                for when, at in (("0", 0), (str(last), -1)):
                    some = [one[at][chosen] for one in tables]
                    auc = float(roc_auc(some[0].ravel(), np.tile((False, True), len(some[0]))))
                    for name, value in {"auc": auc, **score_versions(*some)}.items():
                        held_out.setdefault((f"{group}, generation {when}", name), []).append(value)
    print(
        f"{seeds} seeds; {np.mean(seconds):.0f} s a run, "
        f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB at most"
    )
    for name in SHOWN:
        print(f"\n{name:24}{'generation 0':>20}{f'generation {last}':>20}{'last 3':>20}")
        for arm in ARMS:
            print(
                f"  {arm:22}"
                + "".join(
                    f"{word_interval(found[arm, name, when]):>20}" for when in ("0", str(last), "last 3")
                )
            )
    print(f"\n{'last 3, less co-evolution of the same seed':42}" + "".join(f"{name:>20}" for name in SHOWN))
    for arm in ARMS[1:]:
        less = [np.subtract(found[arm, name, "last 3"], found[ARMS[0], name, "last 3"]) for name in SHOWN]
        print(f"  {arm:40}" + "".join(f"{word_interval(list(one)):>20}" for one in less))
    print("\nheld out")
    for (group, name), values in held_out.items():
        print(f"  {group:26}{name:26}{word_interval(values):>20}")


if __name__ == "__main__":
    if sys.argv[1:] == ["growth"]:
        measure_growth([(10, 40, 20), (20, 40, 20), (40, 40, 20), (10, 80, 20), (10, 160, 20), (10, 40, 40)])
    elif sys.argv[1:] == ["large"]:
        measure_growth([(500, 200, 20)])
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
