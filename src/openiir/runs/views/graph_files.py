"""Trees and graphs among the views as networkx graphs, for export as GraphML and GEXF."""

from typing import Any

from openiir.core.claims.graph import claim_graph
from openiir.plugin import Graph, Network, Tree


def build_graph(view: Graph | Network | Tree) -> Any:
    """Build the networkx graph of a view, with the fields of its nodes and links as attributes.

    Claims have their strength as well; the links of a tree lead from parents to children.
    """
    import networkx as nx

    if isinstance(view, Graph):
        claims = claim_graph(view.claims, view.edges)
        nx.set_node_attributes(claims, view.strengths, "strength")
        return claims
    if isinstance(view, Tree):
        tree = nx.DiGraph()
        for node in view.nodes:
            tree.add_node(node.id, **node.model_dump(exclude={"id", "parent", "refs"}))
        tree.add_edges_from((node.parent, node.id) for node in view.nodes if node.parent)
        return tree
    network = nx.MultiDiGraph()
    for point in view.nodes:
        network.add_node(point.id, **point.model_dump(exclude={"id", "cites"}))
    for link in view.edges:
        network.add_edge(link.source, link.target, **link.model_dump(exclude={"source", "target"}))
    return network
