"""Recommenders under test, and the lists that they show."""

from openiir.kit.rankers.recommenders.listing import Lists, lists, top
from openiir.kit.rankers.recommenders.named import RECOMMENDERS, RecommenderName, file_in, recommender
from openiir.kit.rankers.recommenders.recommender import Kind, Recommender

__all__ = [
    "Kind",
    "Lists",
    "RECOMMENDERS",
    "Recommender",
    "RecommenderName",
    "file_in",
    "lists",
    "recommender",
    "top",
]
