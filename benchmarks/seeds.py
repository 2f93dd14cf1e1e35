"""Cost of a named random draw compared with NumPy's Philox.

    python benchmarks/seeds.py

Prints nanoseconds a draw (the best of several repeats, all in this process) and two ratios: arrays of named
draws against one Philox stream filling an array, and a single named draw against the other way of naming it,
a Philox generator built for each decision.
"""

import time
from collections.abc import Callable
from itertools import count

import numpy as np

from openiir.core.seeds import Draw

DRAWS, CALLS, REPEATS = 1_000_000, 5_000, 9
KEYS = np.arange(DRAWS)
SIDE = np.arange(int(DRAWS**0.5))
USERS, SLOTS = SIDE[:, None], SIDE
DRAW = Draw(1, "benchmark", agent="ada", item="k001")


def time_draws(work: Callable[[], object], draws: int) -> float:
    """Measure nanoseconds per draw, the best of several repeats."""
    times = []
    for _ in range(REPEATS):
        begin = time.perf_counter_ns()
        work()
        times.append(time.perf_counter_ns() - begin)
    return min(times) / draws


def repeat_draws(decide: Callable[[int], object]) -> Callable[[], None]:
    """Return a function that calls `decide` on many new indices."""
    index = count()

    def work() -> None:
        for _ in range(CALLS):
            decide(next(index))

    return work


def main() -> None:
    stream = np.random.Generator(np.random.Philox(1))
    arrays = {
        "uniform, 1,000,000 agents": lambda: DRAW.uniform(agent=KEYS),
        "uniform, 1,000 agents x 1,000 items": lambda: DRAW.uniform(agent=USERS, item=SLOTS),
        "bits, 1,000 agents x 1,000 items": lambda: DRAW.bits(agent=USERS, item=SLOTS),
        "normal, 1,000 agents x 1,000 items": lambda: DRAW.normal(agent=USERS, item=SLOTS),
        "Philox.random(1,000,000), one stream": lambda: stream.random(DRAWS),
    }
    scalars = {
        "uniform, one at a time": lambda i: DRAW.uniform(step=i),
        "choose among five": lambda i: DRAW.choose(("a", "b", "c", "d", "e"), step=i),
        "Philox built for each decision, .random()": lambda i: np.random.Generator(
            np.random.Philox(key=np.array([1, i], dtype=np.uint64))
        ).random(),
    }
    cost = {name: time_draws(work, DRAWS) for name, work in arrays.items()}
    cost |= {name: time_draws(repeat_draws(decide), CALLS) for name, decide in scalars.items()}
    print("| draws | ns a draw |\n|---|---|")
    for name, ns in cost.items():
        print(f"| {name} | {ns:,.1f} |")
    array = cost["uniform, 1,000 agents x 1,000 items"] / cost["Philox.random(1,000,000), one stream"]
    single = cost["Philox built for each decision, .random()"] / cost["uniform, one at a time"]
    print(f"\nan array of named draws costs {array:.1f} times one Philox stream")
    print(f"a single named draw is {single:.1f} times as fast as a Philox generator built for it")


if __name__ == "__main__":
    main()
