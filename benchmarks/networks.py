"""Time and memory of follower graphs, and time of cascade trees.

    python benchmarks/networks.py [--members 1000000] [--following 20]

A graph of a million members who follow twenty others each is built, both directions with the step of each
follow, from columns in random order, in a process of its own. Times stand beside SciPy's coo_matrix to CSR
and CSC of the same columns. Resident memory is that after the build, with the interpreter and the libraries,
when the input columns are gone. Then a batch of follows and unfollows, and cascade trees. Goals: built in
30 s, at most 500 MB resident.
"""

import numpy as np
from scipy.sparse import coo_matrix

from lab.cascades.branching import branching_cascades
from measuring import in_new_process, read_clocks, resident_megabytes, run_command, since, spend
from openiir.core.seeds import Draw
from openiir.kit.networks import FollowerGraph, build_graph
from openiir.scenarios.social_media.model.cascades import build_trees

DRAW = Draw(1, "benchmark.networks")


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


def main(members: int = 1_000_000, following: int = 20) -> None:
    found = in_new_process(measure_build, members, following)
    print(
        f"{members:,} members, {found['links']:,} follows, both directions with steps: built in",
        f"{found['wall']:.1f} s (CPU {found['cpu']:.1f}; goal 30), {found['cpu'] / found['scipy']:.2f} times",
        f"SciPy's {found['scipy']:.1f} s of CPU; resident after the build {found['after']:.0f} MB,",
        f"{found['after'] - found['before']:.0f} the graph's (goal 500); a batch of {members // 10:,}",
        f"follows {found['follow']:.2f} s, as many unfollows {found['unfollow']:.2f} s",
    )
    print("building and measuring trees, CPU us a share:", in_new_process(measure_trees))


if __name__ == "__main__":
    run_command(main)
