"""Follower graphs from and to networkx, which reads and writes files and has further generators."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from openiir.core.errors import InputError
from openiir.kit.arrays import Floats
from openiir.kit.networks.follower_graph import FollowerGraph, build_graph


class ImportedGraph(NamedTuple):
    """A follower graph made from a networkx graph, with its members' ids."""

    graph: FollowerGraph
    ids: tuple[Any, ...]
    """Node of each member."""
    weight: Floats | None
    """Weight of each follow in the order of `graph.followers`, where an attribute was named."""


def from_networkx(network: Any, since: str = "", weight: str = "") -> ImportedGraph:
    """Convert a networkx graph with edges from follower to followee; undirected edges go both ways.

    `since` (step) and `weight` name attributes of edges. Raises InputError for an edge without one.
    """
    number = {node: n for n, node in enumerate(network.nodes)}
    edges = list(network.to_directed(as_view=True).edges(data=True))
    follower, followee = (np.array([number[edge[end]] for edge in edges], dtype=np.int64) for end in (0, 1))

    def attribute(name: str) -> Any:
        for a, b, fields in edges:
            if name not in fields:
                raise InputError(f"the edge from {a!r} to {b!r} has no attribute {name!r}; give it one")
        return np.array([fields[name] for *_, fields in edges])

    steps = attribute(since) if since and edges else 0
    graph = build_graph(len(number), follower, followee, steps).graph
    aligned = None
    if weight:
        aligned = np.zeros(graph.links)
        place, there = graph.followers.find(followee, follower)
        aligned[place[there][::-1]] = attribute(weight)[there][::-1]  # of parallel edges, the first one's
    return ImportedGraph(graph, tuple(number), aligned)


def to_networkx(
    graph: FollowerGraph, ids: Sequence[str] | None = None, columns: Mapping[str, Sequence[Any]] | None = None
) -> Any:
    """Convert to a networkx `DiGraph` with an edge from follower to followee and its step as `since`.

    Nodes are the members' numbers, or their ids; `columns` give them attributes, a value a member.
    """
    import networkx as nx

    for name, column in {"ids": ids, **(columns or {})}.items():
        if column is not None and len(column) != graph.members:
            raise InputError(
                f"{name} has {len(column)} values for {graph.members} members; give one a member"
            )
    nodes = list(range(graph.members)) if ids is None else list(ids)
    network = nx.DiGraph()
    network.add_nodes_from(nodes)
    for name, column in (columns or {}).items():
        nx.set_node_attributes(network, dict(zip(nodes, np.asarray(column).tolist(), strict=True)), name)
    links = graph.following
    rows = zip(links.owners().tolist(), links.member.tolist(), links.since.tolist(), strict=True)
    network.add_edges_from((nodes[a], nodes[b], {"since": step}) for a, b, step in rows)
    return network
