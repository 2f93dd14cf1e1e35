"""Rankers of a feed, the slates they serve, and the propensities of the items shown."""

from openiir.kit.rankers.named import RankerName, check_name, ranker
from openiir.kit.rankers.scores import ORACLES, RANKERS, RETRIEVAL, Ranker
from openiir.kit.rankers.serving import NONE, RankedItems, Slates, propensities, rank_items, serve_slates
from openiir.kit.rankers.view import RandomScores, Shelf, View, row_lengths

__all__ = [
    "NONE",
    "RandomScores",
    "ORACLES",
    "RANKERS",
    "RETRIEVAL",
    "RankedItems",
    "Ranker",
    "RankerName",
    "Shelf",
    "Slates",
    "View",
    "rank_items",
    "check_name",
    "row_lengths",
    "propensities",
    "ranker",
    "serve_slates",
]
