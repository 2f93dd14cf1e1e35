"""Independent cascades on directed configuration graphs beside published figures, with their spread over
graphs.

    python benchmarks/cascade_targets.py [--graphs 200]

Each graph has 20,000 members (exponent 2.3, at least 2 followers) and 6,000 cascades. A target is one such
graph of an independent implementation; it is met if it lies in the interval that holds 95 % of the graphs
here, and its share of graphs with a value at most as large is printed beside it.
"""

import argparse

import numpy as np

from lab.cascades.spreading import Contagion, spread_items
from openiir.core.seeds import Draw
from openiir.kit.networks import power_law_graph
from openiir.scenarios.social_media.model.cascades import p_for_reproduction

MEMBERS, CASCADES = 20_000, 6_000
TARGETS = {
    0.5: {"mean size": 2.02, "one share alone": 0.723, "more than 100 shares": 0.0008, "largest depth": 9},
    0.8: {"mean size": 4.48, "one share alone": 0.612, "more than 100 shares": 0.0062, "largest depth": 22},
}


def measure(number: int, reproduction: float) -> list[float]:
    """Measure the cascades of one graph, in the order of the targets."""
    draw = Draw(number, "benchmark.cascades")
    graph = power_law_graph(MEMBERS, draw, 2.3, 2)
    seeds = draw.at("seed").below(MEMBERS, item=np.arange(CASCADES))
    trees = spread_items(graph, seeds, Contagion(p_for_reproduction(graph, reproduction)), draw).trees()
    n = trees.size
    return [n.mean(), (n == 1).mean(), (n > 100).mean(), trees.max_depth.max()]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--graphs", type=int, default=200)
    graphs = parser.parse_args().graphs
    print(
        "| R | | mean | 95 % of the graphs | target | share at most the target |\n|---|---|---|---|---|---|"
    )
    for reproduction, targets in TARGETS.items():
        found = np.array([measure(number, reproduction) for number in range(graphs)])
        for (name, target), values in zip(targets.items(), found.T, strict=True):
            low, high = np.quantile(values, [0.025, 0.975], method="inverted_cdf")
            verdict = "" if low <= target <= high else " **not met**"
            print(
                f"| {reproduction} | {name} | {values.mean():.4g} | {low:.4g} to {high:.4g} | "
                f"{target}{verdict} "
                f"| {(values <= target).mean():.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
