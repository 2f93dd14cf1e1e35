"""Follower graphs from and to networkx."""

import networkx as nx
import numpy as np
import pytest

from openiir.core.errors import InputError
from openiir.kit.networks import build_graph, from_networkx, to_networkx


def follows(found):
    links = found.graph.following
    names = [found.ids[n] for n in links.owners()], [found.ids[n] for n in links.member]
    return dict(zip(zip(*names, strict=True), links.since.tolist(), strict=True))


def test_edges_are_follows_with_their_steps_and_weights():
    network = nx.MultiDiGraph()
    rows = [
        ("ann", "ben", 3, 0.5),
        ("ben", "cleo", 0, 0.25),
        ("ann", "ben", 1, 0.9),
        ("cleo", "cleo", 2, 0.1),
    ]
    for follower, followee, step, trust in rows:
        network.add_edge(follower, followee, step=step, trust=trust)
    found = from_networkx(network, since="step", weight="trust")
    assert found.ids == ("ann", "ben", "cleo")
    assert follows(found) == {("ann", "ben"): 1, ("ben", "cleo"): 0}
    side = found.graph.followers
    ends = zip(side.owners().tolist(), side.member.tolist(), found.weight.tolist(), strict=True)
    assert set(ends) == {(1, 0, 0.5), (2, 1, 0.25)}
    with pytest.raises(InputError, match="from 'ann' to 'ben' has no attribute 'weight'"):
        from_networkx(network, weight="weight")


def test_undirected_edges_are_follows_both_ways():
    assert set(follows(from_networkx(nx.path_graph(3)))) == {(0, 1), (1, 0), (1, 2), (2, 1)}
    alone = nx.empty_graph(2)
    assert from_networkx(alone, since="step", weight="trust").graph.members == 2


def test_a_networkx_graph_has_ids_columns_and_steps(tmp_path):
    graph = build_graph(3, [0, 2], [1, 0], [4, 9]).graph
    plain = to_networkx(graph, ["a", "b", "c"], {"stance": [0.5, -1.0, 0.0]})
    assert list(plain.edges(data="since")) == [("a", "b", 4), ("c", "a", 9)]
    assert plain.nodes["b"] == {"stance": -1.0}
    nx.write_graphml(plain, tmp_path / "net.graphml")
    again = from_networkx(nx.read_graphml(tmp_path / "net.graphml"), since="since")
    assert again.ids == ("a", "b", "c")
    assert np.array_equal(again.graph.following.since, graph.following.since)
    with pytest.raises(InputError, match="stance has 2 values for 3 members"):
        to_networkx(graph, columns={"stance": [1, 2]})
