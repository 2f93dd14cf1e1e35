"""Claim graphs in exchange formats: AIF (AIFdb's JSON), GraphML, Cypher."""

from openiir.core.claims.formats.aif_read import ImportedClaims, from_aif, read_aif
from openiir.core.claims.formats.aif_write import to_aif
from openiir.core.claims.formats.cypher import to_cypher
from openiir.core.claims.formats.graphml import to_graphml

__all__ = ["ImportedClaims", "from_aif", "read_aif", "to_aif", "to_cypher", "to_graphml"]
