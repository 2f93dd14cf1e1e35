"""Knowledge-graph memory: who rated what and what items have in common, and the similar items it brings to mind."""

from openiir.scenarios.recommender.graph.embedding import embed
from openiir.scenarios.recommender.graph.knowledge import Graph
from openiir.scenarios.recommender.graph.memory import Memory, Similar
from openiir.scenarios.recommender.graph.paths import PathCounts
from openiir.scenarios.recommender.graph.retrieval import Retriever
from openiir.scenarios.recommender.graph.schema import Edge, MetaPath, Node, Schema, schema_of
from openiir.scenarios.recommender.graph.similarity import Similarity

__all__ = [
    "Edge",
    "Graph",
    "Memory",
    "MetaPath",
    "Node",
    "PathCounts",
    "Retriever",
    "Schema",
    "Similar",
    "Similarity",
    "embed",
    "schema_of",
]
