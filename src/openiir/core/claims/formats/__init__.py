"""Claim graphs in exchange formats: AIF (AIFdb's JSON), GraphML, GEXF, Cypher."""

from openiir.core.claims.formats.aif_read import from_aif, read_aif
from openiir.core.claims.formats.aif_write import to_aif
from openiir.core.claims.formats.cypher import argument_rows, chunk_rows, to_cypher
from openiir.core.claims.formats.graphml import GraphForm, graph_text
