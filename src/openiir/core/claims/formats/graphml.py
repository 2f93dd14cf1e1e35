"""Claims as GraphML, by networkx: for Gephi, yEd, igraph and the like."""

import json
from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

from openiir.core.claims.formats.xml_text import xml_safe
from openiir.core.claims.graph import claim_graph
from openiir.core.errors import InputError
from openiir.core.records import Claim, Edge


def to_graphml(claims: Sequence[Claim], edges: Sequence[Edge]) -> str:
    """A GraphML document: claims as nodes, edges with their type; citations as JSON text.

    Characters that XML cannot hold become U+FFFD.
    """
    import networkx as nx

    plain = nx.MultiDiGraph()
    full = claim_graph(claims, edges)
    for identity, fields in full.nodes(data=True):
        plain.add_node(xml_safe(identity), **_attributes(fields))
    for source, target, fields in full.edges(data=True):
        plain.add_edge(xml_safe(source), xml_safe(target), **_attributes(fields))
    return "\n".join(nx.generate_graphml(plain, named_key_ids=True)) + "\n"


def _attributes(fields: dict[str, Any]) -> dict[str, str | int | float]:
    return {
        key: value if isinstance(value, (int, float)) else xml_safe(_text(value))
        for key, value in fields.items()
    }


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def from_graphml(document: str) -> tuple[tuple[Claim, ...], tuple[Edge, ...]]:
    """The claims and edges of a document that `to_graphml` wrote. Raises InputError for any other."""
    from xml.etree.ElementTree import ParseError

    import networkx as nx

    try:
        graph = nx.parse_graphml(document, force_multigraph=True)
        claims = tuple(
            Claim.model_validate({"id": identity, **fields, "cites": json.loads(fields.get("cites", "[]"))})
            for identity, fields in graph.nodes(data=True)
        )
        edges = tuple(
            Edge.model_validate({"source": source, "target": target, **_typed(fields)})
            for source, target, fields in graph.edges(data=True)
        )
    except (ParseError, nx.NetworkXError, ValidationError, ValueError, TypeError) as error:
        raise InputError(f"this is no GraphML document that openiir wrote: {error}") from error
    return claims, edges


def _typed(fields: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if key not in ("id", "key")}
