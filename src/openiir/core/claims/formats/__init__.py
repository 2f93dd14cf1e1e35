"""Claim graphs in exchange formats: AIF (AIFdb's JSON), GraphML, GEXF, Cypher."""

from openiir.core.claims.formats.aif_read import ImportedClaims, from_aif, read_aif
from openiir.core.claims.formats.aif_write import to_aif
from openiir.core.claims.formats.cypher import to_cypher
from openiir.core.claims.formats.graphml import GraphForm, graph_text

__all__ = [
    "GraphForm",
    "ImportedClaims",
    "from_aif",
    "graph_text",
    "read_aif",
    "to_aif",
    "to_cypher",
]
