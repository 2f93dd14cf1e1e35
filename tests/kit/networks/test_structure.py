"""Measures of structure beside networkx, and random-walk controversy beside linear algebra."""

import networkx as nx
import numpy as np
import pytest

from openiir.core.errors import InputError
from openiir.core.seeds import Draw
from openiir.kit.networks import (
    block_graph,
    build_graph,
    degree_assortativity,
    find_communities,
    from_networkx,
    influence_rank,
    label_assortativity,
    power_law_graph,
    random_walk_controversy,
    to_networkx,
)

DRAW = Draw(8, "test.structure")
LABELS = np.array(["a", "b", "b", "c"])[np.arange(400) % 4]
GRAPHS = {
    "power law": power_law_graph(400, DRAW),
    "mutual": power_law_graph(400, DRAW, directed=False),
    "blocks": block_graph(LABELS, DRAW, 6, 0.7),
}
each_graph = pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)


@each_graph
def test_degrees_and_their_assortativity_are_those_of_networkx(graph):
    theirs = to_networkx(graph)
    assert graph.followers.degrees.tolist() == [d for _, d in theirs.in_degree()]
    assert graph.following.degrees.tolist() == [d for _, d in theirs.out_degree()]
    names = {"out": "following", "in": "followers"}
    for x, a in names.items():
        for y, b in names.items():
            wanted = nx.degree_assortativity_coefficient(theirs, x, y)
            assert degree_assortativity(graph, a, b) == pytest.approx(wanted, abs=1e-9)


@each_graph
def test_assortativity_of_labels_is_that_of_networkx(graph):
    theirs = to_networkx(graph, columns={"label": LABELS})
    wanted = nx.attribute_assortativity_coefficient(theirs, "label")
    assert label_assortativity(graph, LABELS) == pytest.approx(wanted, abs=1e-12)


@each_graph
def test_influence_rank_is_networkx_pagerank(graph):
    wanted = nx.pagerank(to_networkx(graph), tol=1e-14)
    assert np.abs(influence_rank(graph) - [wanted[n] for n in range(400)]).max() < 1e-10


def test_influence_rank_knows_weights_and_members_who_follow_nobody():
    graph = build_graph(4, [0, 0, 1], [1, 2, 2]).graph
    weight = np.array([3.0, 1.0, 2.0])  # followers of 1: 0; of 2: 0 and 1
    theirs = nx.DiGraph()
    theirs.add_nodes_from(range(4))
    theirs.add_weighted_edges_from([(0, 1, 3.0), (0, 2, 1.0), (1, 2, 2.0)])
    wanted = nx.pagerank(theirs, alpha=0.6, tol=1e-14)
    found = influence_rank(graph, 0.6, weight)
    assert np.abs(found - [wanted[n] for n in range(4)]).max() < 1e-10
    with pytest.raises(InputError, match="one a follow"):
        influence_rank(graph, weight=weight[:2])
    with pytest.raises(InputError, match="below 1"):
        influence_rank(graph, 1.0)


def test_communities_are_those_of_networkx_and_find_planted_blocks():
    labels = np.arange(300) % 3
    graph = block_graph(labels, DRAW, 12, 0.95)
    found = find_communities(graph, DRAW)
    assert len(set(zip(found.tolist(), labels.tolist(), strict=True))) == 3
    assert np.array_equal(found, find_communities(graph, DRAW))
    theirs = nx.community.louvain_communities(to_networkx(graph), weight=None, seed=DRAW.below(2**32))
    assert {frozenset(np.flatnonzero(found == c).tolist()) for c in range(3)} == set(map(frozenset, theirs))


def walk_by_algebra(graph, sides, number):
    """Absorption probabilities from the fundamental matrix of the walk."""
    links = nx.to_numpy_array(nx.Graph(to_networkx(graph)), nodelist=range(graph.members))
    walk = links / links.sum(axis=1, keepdims=True)
    order = sorted(range(graph.members), key=lambda m: (-graph.followers.degrees[m], m))
    ends = [[m for m in order if sides[m] == s][:number] for s in (0, 1)]
    stop = np.isin(np.arange(graph.members), ends[0] + ends[1])
    reach = np.zeros((graph.members, 2))
    for s in (0, 1):
        reach[ends[s], s] = 1
    inside = np.linalg.inv(np.eye((~stop).sum()) - walk[np.ix_(~stop, ~stop)])
    reach[~stop] = inside @ walk[np.ix_(~stop, stop)] @ reach[stop]
    ended = np.array([reach[(sides == s) & ~stop].mean(axis=0) for s in (0, 1)])
    share = ended / ended.sum(axis=0)
    return share[0, 0] * share[1, 1] - share[0, 1] * share[1, 0]


@pytest.mark.parametrize("within", [0.5, 0.7, 0.95])
def test_controversy_is_that_of_absorbing_walks(within):
    sides = np.where(np.arange(150) % 5 < 2, 0, 1)
    graph = block_graph(sides, DRAW, 8, within)
    for number in (1, 10):
        wanted = walk_by_algebra(graph, sides, number)
        assert random_walk_controversy(graph, sides, number) == pytest.approx(wanted, abs=1e-9)


def test_controversy_tells_two_camps_from_one_crowd():
    sides = np.arange(2_000) % 2
    graphs = [block_graph(sides, DRAW, 10, within) for within in (0.5, 0.8, 0.95, 1.0)]
    found = [random_walk_controversy(graph, sides, 200) for graph in graphs]
    assert abs(found[0]) < 0.02 < 0.2 < found[1] < found[2] < found[3] == pytest.approx(1.0)


def test_controversy_leaves_out_whom_no_walk_leads_anywhere():
    graph = build_graph(7, [0, 1, 3, 5], [1, 2, 2, 6]).graph
    sides = np.array([0, 0, 1, 1, 0, 1, 1])
    wanted = random_walk_controversy(build_graph(4, [0, 1, 3], [1, 2, 2]).graph, sides[:4], 1)
    assert random_walk_controversy(graph, sides, 1) == pytest.approx(wanted)


def test_what_is_undefined_says_why():
    ring = build_graph(3, [0, 1, 2], [1, 2, 0]).graph
    none = build_graph(3, [0], [0]).graph
    assert degree_assortativity.measure(ring).reason == "no two follows have different degrees at both ends"
    assert "no follows" in (label_assortativity.measure(none, [1, 2, 3]).reason or "")
    assert "one label" in (label_assortativity.measure(ring, [1, 1, 1]).reason or "")
    assert "a side has no authority" in (random_walk_controversy.measure(ring, [0, 0, 0]).reason or "")
    with pytest.raises(InputError, match="one a member"):
        random_walk_controversy(ring, [0, 1])
    with pytest.raises(InputError, match="one a member"):
        label_assortativity(ring, [0, 1])


def test_the_network_of_congress_measures_as_in_networkx(congress):
    theirs = nx.read_edgelist(congress, create_using=nx.DiGraph, nodetype=int).reverse()
    found = from_networkx(theirs, weight="weight")
    assert degree_assortativity(found.graph) == pytest.approx(
        nx.degree_assortativity_coefficient(theirs), abs=1e-9
    )
    wanted = nx.pagerank(theirs, tol=1e-14)
    rank = influence_rank(found.graph, weight=found.weight)
    assert np.abs(rank - [wanted[id] for id in found.ids]).max() < 1e-10
    community = find_communities(found.graph, DRAW)
    groups = [{found.ids[n] for n in np.flatnonzero(community == c)} for c in range(community.max() + 1)]
    ours = nx.community.modularity(theirs, groups, weight=None)
    best = [nx.community.louvain_communities(theirs, weight=None, seed=seed) for seed in range(2)]
    scores = [nx.community.modularity(theirs, groups, weight=None) for groups in best]
    assert ours == pytest.approx(np.mean(scores), abs=0.03)
