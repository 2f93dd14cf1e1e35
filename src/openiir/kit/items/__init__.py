"""Items for feeds and recommenders: catalogues, collections with ratings, loaders and splits."""

from openiir.kit.items.catalogue import (
    INJECTED,
    Catalogue,
    arrival_weeks,
    check_exhaustion,
    share_rows,
    synthetic,
)
from openiir.kit.items.collection import Collection
from openiir.kit.items.dataset import DataSet
from openiir.kit.items.dataspec import DataSpec, load, load_known_tastes
from openiir.kit.items.enrichment import Enrichment
from openiir.kit.items.published import Download, Published
from openiir.kit.items.ratings import Ratings, Scale
from openiir.kit.items.splits import Split, split
from openiir.kit.items.tastes import KnownTastes, known_tastes

__all__ = [
    "Catalogue",
    "Collection",
    "DataSet",
    "DataSpec",
    "Download",
    "Enrichment",
    "INJECTED",
    "KnownTastes",
    "Published",
    "Ratings",
    "Scale",
    "Split",
    "check_exhaustion",
    "known_tastes",
    "load",
    "load_known_tastes",
    "share_rows",
    "split",
    "synthetic",
    "arrival_weeks",
]
