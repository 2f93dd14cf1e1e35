"""Recommenders under test, and top-k lists of their items."""

from openiir.scenarios.recommender.model.recommenders.listing import TopItems, list_top_items, top_items
from openiir.scenarios.recommender.model.recommenders.named import (
    RECOMMENDERS,
    RecommenderName,
    file_in,
    recommender,
)
from openiir.scenarios.recommender.model.recommenders.recommender import Recommender, RecommenderKind

__all__ = [
    "RECOMMENDERS",
    "Recommender",
    "RecommenderKind",
    "RecommenderName",
    "TopItems",
    "file_in",
    "list_top_items",
    "recommender",
    "top_items",
]
