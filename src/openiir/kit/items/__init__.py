"""Items that a feed or a recommender shows: catalogues in columns, synthetic or made from a world."""

from openiir.kit.items.catalogue import Catalogue, shares, synthetic
from openiir.kit.items.taxonomy import TOPICS, Topic, taxonomy
from openiir.kit.items.wording import describe, title

__all__ = ["TOPICS", "Catalogue", "Topic", "describe", "shares", "synthetic", "taxonomy", "title"]
