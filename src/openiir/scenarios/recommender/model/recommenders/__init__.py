"""Recommenders under test, and top-k lists of their items."""

from openiir.scenarios.recommender.model.recommenders.listing import list_top_items
from openiir.scenarios.recommender.model.recommenders.named import recommender

__all__ = ["list_top_items", "recommender"]
