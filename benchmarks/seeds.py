"""Cost of a named random draw compared with NumPy's Philox.

    python benchmarks/seeds.py

Prints nanoseconds a draw (the best of several repeats) and two ratios: arrays of named draws against one
Philox stream filling an array, and a single named draw against a Philox generator built for each decision.
"""

import numpy as np

from measuring import print_table, run_command, spend
from openiir.core.seeds import Draw

DRAWS, CALLS, REPEATS = 1_000_000, 5_000, 9
KEYS = np.arange(DRAWS)
USERS, SLOTS = np.arange(1_000)[:, None], np.arange(1_000)
DRAW = Draw(1, "benchmark", agent="ada", item="k001")
STREAM = np.random.Generator(np.random.Philox(1))
ARRAYS = {
    "uniform, 1,000,000 agents": lambda: DRAW.uniform(agent=KEYS),
    "uniform, 1,000 agents x 1,000 items": lambda: DRAW.uniform(agent=USERS, item=SLOTS),
    "bits, 1,000 agents x 1,000 items": lambda: DRAW.bits(agent=USERS, item=SLOTS),
    "normal, 1,000 agents x 1,000 items": lambda: DRAW.normal(agent=USERS, item=SLOTS),
    "Philox.random(1,000,000), one stream": lambda: STREAM.random(DRAWS),
}
SINGLE = {
    "uniform, one at a time": lambda i: DRAW.uniform(step=i),
    "choose among five": lambda i: DRAW.choose(("a", "b", "c", "d", "e"), step=i),
    "Philox built for each decision, .random()": lambda i: np.random.Generator(
        np.random.Philox(key=np.array([1, i], dtype=np.uint64))
    ).random(),
}


def main() -> None:
    cost = {}
    for name, work in ARRAYS.items():
        cost[name] = min(spend(work).wall for _ in range(REPEATS)) / DRAWS * 1e9
    for name, decide in SINGLE.items():
        turns = (range(n * CALLS, (n + 1) * CALLS) for n in range(REPEATS))
        times = [spend(lambda turn=turn, decide=decide: [decide(i) for i in turn]).wall for turn in turns]
        cost[name] = min(times) / CALLS * 1e9
    print_table("draws | ns a draw", ((name, f"{ns:,.1f}") for name, ns in cost.items()))
    array = cost["uniform, 1,000 agents x 1,000 items"] / cost["Philox.random(1,000,000), one stream"]
    single = cost["Philox built for each decision, .random()"] / cost["uniform, one at a time"]
    print(f"\nan array of named draws costs {array:.1f} times one Philox stream")
    print(f"a single named draw is {single:.1f} times as fast as a Philox generator built for it")


if __name__ == "__main__":
    run_command(main)
