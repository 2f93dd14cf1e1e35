"""Claim graphs in the formats of other programs: AIF (AIFdb's JSON), GraphML, Cypher."""

from openiir.core.claims.formats.aif_read import Imported, from_aif, read_aif
from openiir.core.claims.formats.aif_write import to_aif
from openiir.core.claims.formats.cypher import to_cypher
from openiir.core.claims.formats.graphml import from_graphml, to_graphml

__all__ = ["Imported", "from_aif", "from_graphml", "read_aif", "to_aif", "to_cypher", "to_graphml"]
