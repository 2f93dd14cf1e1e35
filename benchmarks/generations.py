"""What evolution does on the type's own pairs: landing, judgement and their controls over seeds, and what a
run costs.

    python benchmarks/generations.py seeds [--seeds 10]    # seven minutes on one core
    python benchmarks/generations.py growth       # seconds by generations, agents and pairs, summaries alone
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
from measuring import peak_megabytes, read_clocks, run_command, run_study, since, spend
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


def measure_growth(sizes: list[tuple[int, int, int]]) -> None:
    print(f"{'generations':>12}{'agents a side':>15}{'pairs':>7}{'seconds':>9}{'ns a judgement':>16}")
    for generations, agents, pairs in sizes:
        size = {"generations": generations, "producers": agents, "detectors": agents, "pairs": pairs}
        keys = size | {"controls": [], "log": '"summaries"', "matrix.generations": 0}
        sets = [f"config.{key}={value}" for key, value in keys.items()]
        with TemporaryDirectory() as folder:
            place = Path(folder) / "run"
            seconds = spend(
                lambda place=place, sets=sets: run_study("multi_generational", place, sets=sets)
            ).wall
        each = seconds / (generations * agents * agents * pairs * 2) * 1e9
        print(f"{generations:12}{agents:15}{pairs:7}{seconds:9.1f}{each:16.0f}")
    print(f"{peak_megabytes():.0f} MB at most")


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
            for arm in ARMS:
                own = {row["generation"]: row for row in rows if row["arm"] == arm}
                for name in SHOWN:
                    turn = float(np.mean([own[last - back][name] for back in range(3)]))
                    for when, value in (("0", own[0][name]), (str(last), own[last][name]), ("last 3", turn)):
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
        print(f"\n{name:24}{'generation 0':>20}{f'generation {last}':>20}{'last 3':>20}")
        for arm in ARMS:
            cells = (word_interval(found[arm, name, when]) for when in ("0", str(last), "last 3"))
            print(f"  {arm:22}" + "".join(f"{cell:>20}" for cell in cells))
    print(f"\n{'last 3, less co-evolution of the same seed':42}" + "".join(f"{name:>20}" for name in SHOWN))
    for arm in ARMS[1:]:
        less = [np.subtract(found[arm, name, "last 3"], found[ARMS[0], name, "last 3"]) for name in SHOWN]
        print(f"  {arm:40}" + "".join(f"{word_interval(list(one)):>20}" for one in less))
    print("\nheld out")
    for (group, name), values in held_out.items():
        print(f"  {group:26}{name:26}{word_interval(values):>20}")


def time_growth() -> None:
    measure_growth([(10, 40, 20), (20, 40, 20), (40, 40, 20), (10, 80, 20), (10, 160, 20), (10, 40, 40)])


def time_large(generations: int = 500, agents: int = 200) -> None:
    measure_growth([(generations, agents, 20)])


if __name__ == "__main__":
    run_command(seeds=measure_seeds, growth=time_growth, large=time_large)
