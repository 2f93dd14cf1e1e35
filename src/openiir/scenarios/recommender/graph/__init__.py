"""Knowledge-graph memory: a graph of ratings and item attributes, and retrieval of similar items from it."""

from openiir.scenarios.recommender.graph.embeddings import embed
from openiir.scenarios.recommender.graph.knowledge import KnowledgeGraph
from openiir.scenarios.recommender.graph.memory import GraphMemory, Similar
from openiir.scenarios.recommender.graph.paths import PathCounts
from openiir.scenarios.recommender.graph.retrieval import Retriever
from openiir.scenarios.recommender.graph.schema import EdgeType, MetaPath, NodeType, Schema, schema_of
from openiir.scenarios.recommender.graph.similarity import Similarity

__all__ = [
    "EdgeType",
    "GraphMemory",
    "KnowledgeGraph",
    "MetaPath",
    "NodeType",
    "PathCounts",
    "Retriever",
    "Schema",
    "Similar",
    "Similarity",
    "embed",
    "schema_of",
]
