"""Items for feeds and recommenders: catalogues, collections with ratings, loaders and splits."""

from openiir.kit.items.catalogue import INJECTED, Catalogue, check_exhaustion, shares, synthetic, weekly
from openiir.kit.items.collection import Collection
from openiir.kit.items.dataset import DataSet
from openiir.kit.items.dataspec import DataSpec, load, load_known_tastes
from openiir.kit.items.enrichment import Enrichment
from openiir.kit.items.guard import Guard, Leak
from openiir.kit.items.item_text import ItemWords, describe, excerpt, headline, page_words, title_of, words_of
from openiir.kit.items.persona_beliefs import belief_of
from openiir.kit.items.published import Download, Published
from openiir.kit.items.ratings import Ratings, Scale
from openiir.kit.items.retrieval import qrels_of_dataset, queries_of, query_of, retrieval_scores
from openiir.kit.items.splits import Split, split
from openiir.kit.items.tastes import KnownTastes, known_tastes
from openiir.kit.items.taxonomy import TOPICS, Topic, taxonomy
from openiir.kit.items.topics import (
    TopicModel,
    catalogue_from_world,
    documents,
    fit_topics,
    named_topics,
    valence,
)

__all__ = [
    "Catalogue",
    "Collection",
    "DataSet",
    "DataSpec",
    "Download",
    "Enrichment",
    "Guard",
    "INJECTED",
    "ItemWords",
    "KnownTastes",
    "Leak",
    "Published",
    "Ratings",
    "Scale",
    "Split",
    "TOPICS",
    "Topic",
    "TopicModel",
    "belief_of",
    "catalogue_from_world",
    "check_exhaustion",
    "describe",
    "documents",
    "excerpt",
    "fit_topics",
    "headline",
    "known_tastes",
    "load",
    "load_known_tastes",
    "named_topics",
    "page_words",
    "qrels_of_dataset",
    "queries_of",
    "query_of",
    "retrieval_scores",
    "shares",
    "split",
    "synthetic",
    "taxonomy",
    "title_of",
    "valence",
    "weekly",
    "words_of",
]
