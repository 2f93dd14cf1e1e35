"""Follower graphs: columns in both directions, generators, networkx, and measures of their structure."""

from openiir.kit.networks.exchange import ImportedGraph, from_networkx, to_networkx
from openiir.kit.networks.follower_graph import BuiltGraph, FollowerGraph, LinkColumns, build_graph
from openiir.kit.networks.generators import attraction_graph, block_graph, power_law_graph
from openiir.kit.networks.structure import (
    degree_assortativity,
    find_communities,
    influence_rank,
    label_assortativity,
    random_walk_controversy,
)

__all__ = [
    "BuiltGraph",
    "FollowerGraph",
    "LinkColumns",
    "ImportedGraph",
    "attraction_graph",
    "block_graph",
    "build_graph",
    "degree_assortativity",
    "find_communities",
    "from_networkx",
    "influence_rank",
    "label_assortativity",
    "power_law_graph",
    "random_walk_controversy",
    "to_networkx",
]
