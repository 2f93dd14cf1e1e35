"""Time and memory of follower graphs and of spreading over them, at the scale of a large platform.

    python benchmarks/networks.py [--members 1000000] [--following 20]

Builds a graph of a million members who follow twenty others each, both directions with the step of each
follow, from columns in random order, in a process of its own. Times stand beside the reference: SciPy's
coo_matrix to CSR and CSC of the same columns. Resident memory is that after the build, with the interpreter
and the libraries, when the input columns are gone. Then a batch of follows and unfollows, each generator,
independent cascades, and cascade trees.

Goals: built in 30 s, at most 500 MB resident.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import coo_matrix

from lab.cascades.branching import branching_cascades
from lab.cascades.spreading import Contagion, spread_items
from openiir.core.seeds import Draw
from openiir.kit.networks import (
    FollowerGraph,
    block_graph,
    build_graph,
    power_law_graph,
    preferential_graph,
    small_world_graph,
)
from openiir.scenarios.social_media.model.cascades import ExposureColumns, build_trees, p_for_reproduction

DRAW = Draw(1, "benchmark.networks")
GENERATORS = ("power_law", "preferential", "blocks", "small_world")


def resident() -> float:
    """Read the resident memory of this process in MB."""
    status = Path("/proc/self/status").read_text("utf-8")
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def draw_follows(members: int, following: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw columns of follows in random order: follower, followee, step."""
    link = np.arange(members * following)
    followers, followees = (
        DRAW.at(end).below(members, item=link).astype(np.int32) for end in ("follower", "followee")
    )
    return followers, followees, DRAW.at("step").below(100, item=link).astype(np.int32)


def timed(work: Callable[[], Any]) -> tuple[Any, float, float]:
    """Do something; return its result, wall seconds and CPU seconds."""
    wall, cpu = time.perf_counter(), time.process_time()
    found = work()
    return found, time.perf_counter() - wall, time.process_time() - cpu


def time_build(members: int, following: int) -> tuple[FollowerGraph, dict[str, float]]:
    """Build the graph, and SciPy's matrices of the same columns, whose memory is free again afterwards."""
    follower, followee, step = draw_follows(members, following)
    built, wall, cpu = timed(lambda: build_graph(members, follower, followee, step))
    shape = members, members
    _, other, other_cpu = timed(lambda: coo_matrix((step, (follower, followee)), shape=shape).tocsr().tocsc())
    return built.graph, {"build": wall, "cpu": cpu, "scipy": other, "scipy_cpu": other_cpu}


def print_build(members: int, following: int) -> None:
    """Print the figures of building the graph and of a batch, as JSON."""
    before = resident()
    graph, figures = time_build(members, following)
    figures |= {"links": graph.links, "before": before, "after": resident()}
    batch = np.arange(members // 10)
    ends = [DRAW.at(end, step=1).below(members, item=batch) for end in ("follower", "followee")]
    proper = ends[0] != ends[1]
    more, figures["follow"], _ = timed(lambda: graph.follow(ends[0][proper], ends[1][proper], 7))
    _, figures["unfollow"], _ = timed(lambda: more.unfollow(ends[0][proper], ends[1][proper]))
    print(json.dumps(figures))


def print_trees() -> None:
    """Print seconds of CPU time per million shares to build and measure trees, by the number of shares, as
    JSON."""
    figures = {}
    for shares in (10_000, 100_000, 1_000_000):
        forest = branching_cascades(shares // 5, 0.8, DRAW, 10 * shares)
        _, _, cpu = timed(lambda columns=forest.shares: measure_trees(columns))
        figures[str(len(forest.parent))] = cpu / len(forest.parent) * 1e6
    print(json.dumps(figures))


def measure_trees(columns: ExposureColumns) -> None:
    trees = build_trees(*columns)
    assert len(trees.virality) == len(trees.max_breadth) == len(trees.max_depth)


def print_generator(name: str, members: int, following: int) -> None:
    """Print the figures of a generator, and of cascades on what it makes, as JSON."""
    makers: dict[str, Callable[[], FollowerGraph]] = {
        "power_law": lambda: power_law_graph(members, DRAW, 2.3, 7),
        "preferential": lambda: preferential_graph(members, DRAW, following),
        "blocks": lambda: block_graph(np.arange(members) % 4, DRAW, following, 0.7),
        "small_world": lambda: small_world_graph(members, DRAW, following),
    }
    graph, wall, cpu = timed(makers[name])
    seeds = DRAW.at("seeds").below(members, item=np.arange(1000))
    rule = Contagion(p_for_reproduction(graph, 0.8))
    found, spreading, _ = timed(lambda: spread_items(graph, seeds, rule, DRAW))
    exposed = len(found.first_exposures.item)
    print(
        json.dumps(
            {
                "links": graph.links,
                "build": wall,
                "cpu": cpu,
                "after": resident(),
                "spreading": spreading,
                "shares": len(found.shares.item),
                "exposed": exposed,
            }
        )
    )


def run_child(*words: object) -> dict[str, float]:
    done = subprocess.run([sys.executable, __file__, *map(str, words)], check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--members", type=int, default=1_000_000)
    parser.add_argument("--following", type=int, default=20)
    parser.add_argument("--part", default="", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part == "build":
        print_build(options.members, options.following)
        return
    if options.part == "trees":
        print_trees()
        return
    if options.part:
        print_generator(options.part, options.members, options.following)
        return
    size = "--members", options.members, "--following", options.following
    found = run_child("--part", "build", *size)
    print(f"{options.members:,} members, {found['links']:,.0f} follows, both directions with steps\n")
    print(
        f"built in {found['build']:.1f} s (CPU {found['cpu']:.1f}); goal 30; "
        f"{found['cpu'] / found['scipy_cpu']:.2f} times SciPy's {found['scipy_cpu']:.1f} s of CPU"
    )
    print(
        f"resident after the build: {found['after']:.0f} MB, {found['after'] - found['before']:.0f} of them "
        f"the "
        "graph's; goal 500"
    )
    print(
        f"a batch of {options.members // 10:,} follows: {found['follow']:.2f} s, as many unfollows: "
        f"{found['unfollow']:.2f} s\n"
    )
    print("| generator | follows | built in, s (CPU) | 1,000 cascades of R = .8, s | shares | exposed |")
    print("|---|---|---|---|---|---|")
    for name in GENERATORS:
        found = run_child("--part", name, *size)
        print(
            f"| {name} | {found['links']:,.0f} | {found['build']:.1f} ({found['cpu']:.1f}) "
            f"| {found['spreading']:.1f} | {found['shares']:,.0f} | {found['exposed']:,.0f} |",
            flush=True,
        )
    found = run_child("--part", "trees", *size)
    print(
        "\nbuilding and measuring trees, CPU us a share: "
        + ", ".join(f"{cpu:.2f} of {int(shares):,} shares" for shares, cpu in found.items())
    )


if __name__ == "__main__":
    main()
