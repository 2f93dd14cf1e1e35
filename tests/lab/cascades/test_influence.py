"""Influence by removal beside reachability over live links, and beside what trees credit."""

from functools import cache

import networkx as nx
import numpy as np
import pytest

from lab.cascades.influence import Influence, measure_influence
from lab.cascades.spreading import Contagion, spread_items
from openiir.core.errors import InputError
from openiir.core.seeds import Draw
from openiir.kit.networks import build_graph, power_law_graph

DRAW = Draw(12, "test.influence")
GRAPH = power_law_graph(200, DRAW, 2.1, 3)
SEEDS = np.arange(30)
P = 0.25


@cache
def live_links(item):
    """The links that move their follower if they are tried, which is all that the draws decide."""
    links = GRAPH.followers
    sharer, member = links.owners().astype(int), links.member.astype(int)
    live = DRAW.at("share").uniform(agent=member, item=item, step=sharer) < P
    graph = nx.DiGraph(list(zip(sharer[live].tolist(), member[live].tolist(), strict=True)))
    graph.add_nodes_from(range(GRAPH.members))
    return graph


def sharers_and_seen(item, seed, without=None):
    live = live_links(item)
    if without is not None:
        live = nx.restricted_view(live, [], list(live.out_edges(without)))
    sharers = nx.descendants(live, seed) | {seed}
    loud = sharers - {without}
    seen = {m for sharer in loud for m in GRAPH.followers.neighbours(sharer).tolist()} - {seed}
    return loud, seen


def test_removal_loses_whom_no_other_way_reaches():
    base = spread_items(GRAPH, SEEDS, Contagion(P), DRAW)
    members, counts = np.unique(base.shares.member, return_counts=True)
    differ = 0
    for member in members[np.argsort(-counts)][:8].tolist():
        items = [
            item for item, seed in enumerate(SEEDS.tolist()) if member in sharers_and_seen(item, seed)[0]
        ]
        lost = np.zeros(2, dtype=int)
        for item in items:
            whole, rest = (
                sharers_and_seen(item, int(SEEDS[item])),
                sharers_and_seen(item, int(SEEDS[item]), member),
            )
            lost += [len(a) - len(b) for a, b in zip(whole, rest, strict=True)]
        found = measure_influence(GRAPH, SEEDS, Contagion(P), DRAW, member)
        assert [found.lost_shares, found.lost_reach] == lost.tolist()
        assert found == measure_influence(GRAPH, SEEDS, Contagion(P), DRAW, member, base=base)
        trees = base.trees()
        rows = [trees.find_rows(np.array([item]), np.array([member]))[0] for item in items]
        assert found.tree_shares == sum(trees.subtree_size[row] for row in rows) >= found.lost_shares
        assert found.tree_reach >= found.lost_reach
        differ += found.tree_shares > found.lost_shares
    assert differ >= 3


def test_a_diamond_is_credited_to_who_came_first_and_lost_by_nobody():
    graph = build_graph(
        5, [1, 2, 3, 3, 4], [0, 0, 1, 2, 3]
    ).graph  # 0 to 1 and 2, both to 3, which leads to 4
    found = {m: measure_influence(graph, [0], Contagion(1.0), DRAW, m) for m in range(5)}
    assert found[0] == Influence(5, 4, 5, 4)
    assert found[3] == Influence(2, 1, 2, 1) and found[4] == Influence(1, 0, 1, 0)
    credited = sorted((found[m].tree_shares, found[m].tree_reach) for m in (1, 2))
    assert credited == [(1, 0), (3, 2)]
    assert all((found[m].lost_shares, found[m].lost_reach) == (1, 0) for m in (1, 2))


def test_one_post_is_told_from_all_of_a_member():
    graph = build_graph(3, [1, 2], [0, 1]).graph
    whole = measure_influence(graph, [0, 1], Contagion(1.0), DRAW, 1, items=[7, 9])
    assert whole == Influence(4, 2, 4, 2)
    assert measure_influence(graph, [0, 1], Contagion(1.0), DRAW, 1, items=[7, 9], item=9) == Influence(
        2, 1, 2, 1
    )
    with pytest.raises(InputError, match="member 2 did not share item 3"):
        measure_influence(graph, [0, 1], Contagion(1.0), DRAW, 2, items=[7, 9], item=3)
    with pytest.raises(InputError, match="member 2 did not share anything"):
        measure_influence(graph, [0], Contagion(0.0), DRAW, 2)
