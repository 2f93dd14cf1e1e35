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
