"""Follower graphs and spreading over them: time, memory, and cascades beside published figures.

    python benchmarks/networks.py scale [--members 1000000] [--following 20]
    python benchmarks/networks.py cascades [--graphs 200]

`scale` builds a graph of a million members who follow twenty others each, both directions with the step of
each follow, from columns in random order, in a process of its own. Times stand beside SciPy's coo_matrix to
CSR and CSC of the same columns. Resident memory is that after the build, with the interpreter and the
libraries, when the input columns are gone. Then a batch of follows and unfollows, each generator, independent
cascades, and cascade trees. Goals: built in 30 s, at most 500 MB resident.

`cascades`: independent cascades on directed configuration graphs of 20,000 members (exponent 2.3, at least 2
followers), 6,000 a graph. A target is one such graph of an independent implementation; it is met if it lies
in the interval that holds 95 % of the graphs here, and its share of graphs with a value at most as large is
beside.
"""

import numpy as np
from scipy.sparse import coo_matrix

from lab.cascades.branching import branching_cascades
from lab.cascades.spreading import Contagion, spread_items
from measuring import (
    in_new_process,
    print_table,
    read_clocks,
    resident_megabytes,
    run_command,
    since,
    spend,
)
from openiir.core.seeds import Draw
from openiir.kit.networks import (
    FollowerGraph,
    block_graph,
    build_graph,
    power_law_graph,
)
from openiir.scenarios.social_media.model.cascades import build_trees, p_for_reproduction

DRAW = Draw(1, "benchmark.networks")
GENERATORS = {
    "power_law": lambda members, following: power_law_graph(members, DRAW, 2.3, 7),
    "blocks": lambda members, following: block_graph(np.arange(members) % 4, DRAW, following, 0.7),
}
MEMBERS, CASCADES = 20_000, 6_000
TARGETS = {
    0.5: {"mean size": 2.02, "one share alone": 0.723, "more than 100 shares": 0.0008, "largest depth": 9},
    0.8: {"mean size": 4.48, "one share alone": 0.612, "more than 100 shares": 0.0062, "largest depth": 22},
}


def draw_follows(members: int, following: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw columns of follows in random order: follower, followee, step."""
    link = np.arange(members * following)
    followers, followees = (
        DRAW.at(end).below(members, item=link).astype(np.int32) for end in ("follower", "followee")
    )
    return followers, followees, DRAW.at("step").below(100, item=link).astype(np.int32)


def time_build(members: int, following: int) -> tuple[FollowerGraph, dict[str, float]]:
    """Build the graph, and SciPy's matrices of the same columns, whose memory is free again afterwards."""
    follower, followee, step = draw_follows(members, following)
    start = read_clocks()
    graph = build_graph(members, follower, followee, step).graph
    wall, cpu = since(start)
    columns = (step, (follower, followee))
    reference = spend(lambda: coo_matrix(columns, shape=(members, members)).tocsr().tocsc()).cpu
    return graph, {"wall": wall, "cpu": cpu, "scipy": reference}


def measure_build(members: int, following: int) -> dict[str, float]:
    """Measure building the graph, and a batch of follows and unfollows."""
    before = resident_megabytes()
    graph, figures = time_build(members, following)
    figures |= {"links": graph.links, "before": before, "after": resident_megabytes()}
    batch = np.arange(members // 10)
    ends = [DRAW.at(end, step=1).below(members, item=batch) for end in ("follower", "followee")]
    proper = ends[0] != ends[1]
    start = read_clocks()
    more = graph.follow(ends[0][proper], ends[1][proper], 7)
    figures["follow"] = since(start).wall
    figures["unfollow"] = spend(lambda: more.unfollow(ends[0][proper], ends[1][proper])).wall
    return figures


def measure_trees() -> str:
    """Measure CPU time a share to build and measure trees, by the number of shares."""
    figures = []
    for shares in (10_000, 100_000, 1_000_000):
        forest = branching_cascades(shares // 5, 0.8, DRAW, 10 * shares)
        start = read_clocks()
        trees = build_trees(*forest.shares)
        assert len(trees.virality) == len(trees.max_breadth) == len(trees.max_depth)
        figures.append(f"{1e6 * since(start).cpu / len(forest.parent):.2f} of {len(forest.parent):,} shares")
    return ", ".join(figures)


def measure_generator(name: str, members: int, following: int) -> tuple[str, ...]:
    """Measure a generator, and cascades on what it makes."""
    start = read_clocks()
    graph = GENERATORS[name](members, following)
    wall, cpu = since(start)
    seeds = DRAW.at("seeds").below(members, item=np.arange(1000))
    rule = Contagion(p_for_reproduction(graph, 0.8))
    start = read_clocks()
    found = spread_items(graph, seeds, rule, DRAW)
    counts = (f"{len(columns.item):,}" for columns in (found.shares, found.first_exposures))
    return name, f"{graph.links:,}", f"{wall:.1f} ({cpu:.1f})", f"{since(start).wall:.1f}", *counts


def measure_scale(members: int = 1_000_000, following: int = 20) -> None:
    found = in_new_process(measure_build, members, following)
    print(
        f"{members:,} members, {found['links']:,} follows, both directions with steps: built in",
        f"{found['wall']:.1f} s (CPU {found['cpu']:.1f}; goal 30), {found['cpu'] / found['scipy']:.2f} times",
        f"SciPy's {found['scipy']:.1f} s of CPU; resident after the build {found['after']:.0f} MB,",
        f"{found['after'] - found['before']:.0f} the graph's (goal 500); a batch of {members // 10:,}",
        f"follows {found['follow']:.2f} s, as many unfollows {found['unfollow']:.2f} s\n",
    )
    rows = (in_new_process(measure_generator, name, members, following) for name in GENERATORS)
    print_table(
        "generator | follows | built in, s (CPU) | 1,000 cascades, R = .8, s | shares | exposed", rows
    )
    print("\nbuilding and measuring trees, CPU us a share:", in_new_process(measure_trees))


def measure_cascades(number: int, reproduction: float) -> list[float]:
    """Measure the cascades of one graph, in the order of the targets."""
    draw = Draw(number, "benchmark.cascades")
    graph = power_law_graph(MEMBERS, draw, 2.3, 2)
    seeds = draw.at("seed").below(MEMBERS, item=np.arange(CASCADES))
    trees = spread_items(graph, seeds, Contagion(p_for_reproduction(graph, reproduction)), draw).trees()
    n = trees.size
    return [n.mean(), (n == 1).mean(), (n > 100).mean(), trees.max_depth.max()]


def compare_cascades(graphs: int = 200) -> None:
    print_table("R | | mean | 95 % of the graphs | target | share at most the target", target_rows(graphs))


def target_rows(graphs: int):
    for reproduction, targets in TARGETS.items():
        found = np.array([measure_cascades(number, reproduction) for number in range(graphs)])
        for (name, target), values in zip(targets.items(), found.T, strict=True):
            low, high = np.quantile(values, [0.025, 0.975], method="inverted_cdf")
            verdict = target if low <= target <= high else f"{target} **not met**"
            ends, share = f"{low:.4g} to {high:.4g}", f"{(values <= target).mean():.2f}"
            yield reproduction, name, f"{values.mean():.4g}", ends, verdict, share


if __name__ == "__main__":
    run_command(scale=measure_scale, cascades=compare_cascades)
