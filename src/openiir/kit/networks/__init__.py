"""Follower graphs: columns in both directions, generators, files, and measures of their structure."""

from openiir.kit.networks.exchange import NetworkFile, read_network, to_networkx, write_network
from openiir.kit.networks.follower_graph import BuiltGraph, FollowerGraph, LinkColumns, build_graph
from openiir.kit.networks.generators import (
    attraction_graph,
    block_graph,
    power_law_graph,
    preferential_graph,
    small_world_graph,
)
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
    "NetworkFile",
    "attraction_graph",
    "block_graph",
    "build_graph",
    "degree_assortativity",
    "find_communities",
    "influence_rank",
    "label_assortativity",
    "power_law_graph",
    "preferential_graph",
    "random_walk_controversy",
    "read_network",
    "small_world_graph",
    "to_networkx",
    "write_network",
]
