"""Export of graphs as GraphML and GEXF with networkx, for Gephi, yEd, igraph and the like."""

import json
import re
from typing import Any, Literal

GraphForm = Literal["graphml", "gexf"]
_GEXF_OWN = frozenset({"id", "type", "start", "end", "pid", "parents", "slices", "spells", "viz"})
_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def graph_text(graph: Any, form: GraphForm) -> str:
    """Write a networkx graph as GraphML or GEXF; other attributes than numbers and texts become JSON.

    Names of attributes that GEXF keeps for itself, such as `type` and `start`, end in _ there. Characters
    that XML cannot hold become U+FFFD.
    """
    import networkx as nx

    plain = graph.__class__()
    taken = _GEXF_OWN if form == "gexf" else frozenset()
    for identity, fields in graph.nodes(data=True):
        plain.add_node(_xml_safe(str(identity)), **_attributes(fields, taken))
    for source, target, fields in graph.edges(data=True):
        plain.add_edge(_xml_safe(str(source)), _xml_safe(str(target)), **_attributes(fields, taken))
    lines = nx.generate_graphml(plain, named_key_ids=True) if form == "graphml" else nx.generate_gexf(plain)
    return "\n".join(lines) + "\n"


def _attributes(fields: dict[str, Any], taken: frozenset[str]) -> dict[str, str | int | float]:
    plain: dict[str, str | int | float] = {}
    for key, value in fields.items():
        if value is not None:
            if not isinstance(value, (int, float)):
                text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
                value = _xml_safe(text)
            plain[f"{key}_" if key in taken else key] = value
    return plain


def _xml_safe(text: str) -> str:
    """Replace characters that XML 1.0 forbids by U+FFFD, and normalise line breaks to line feeds."""
    return _ILLEGAL.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))
