"""Items that a feed or a recommender shows: catalogues in columns, synthetic or made from a world."""

from openiir.kit.items.catalogue import Catalogue, shares, synthetic

__all__ = ["Catalogue", "shares", "synthetic"]
