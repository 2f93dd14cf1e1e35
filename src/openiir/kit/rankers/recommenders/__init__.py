"""Recommenders under test, and the lists that they show."""

from openiir.kit.rankers.recommenders.listing import TopItems, lists, top_items
from openiir.kit.rankers.recommenders.named import RECOMMENDERS, RecommenderName, file_in, recommender
from openiir.kit.rankers.recommenders.recommender import Recommender, RecommenderKind

__all__ = [
    "RecommenderKind",
    "TopItems",
    "RECOMMENDERS",
    "Recommender",
    "RecommenderName",
    "file_in",
    "lists",
    "recommender",
    "top_items",
]
