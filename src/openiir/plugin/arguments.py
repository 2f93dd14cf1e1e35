"""Argument mining for scenario types: claims, stance, relations, strength, and basic text functions."""

from openiir.core.claims import (
    CLAIM_THRESHOLD,
    balance,
    claimhood,
    graph_measures,
    influence,
    is_question,
    relate,
    specificity,
    stance,
    strengths,
    unanswered_edges,
)
from openiir.core.claims.lexicons import NEGATORS
from openiir.core.claims.similarity import Vector, containment, cosine, tf_idf
from openiir.core.claims.text import split_words, stem_word
from openiir.core.claims.valence import base_forms, vader_compound
from openiir.core.retrieval.sentences import sentences
from openiir.core.retrieval.tokens import STOP_WORDS, content_words, tokens, words

__all__ = [
    "CLAIM_THRESHOLD",
    "NEGATORS",
    "STOP_WORDS",
    "Vector",
    "balance",
    "base_forms",
    "claimhood",
    "containment",
    "content_words",
    "cosine",
    "graph_measures",
    "influence",
    "is_question",
    "relate",
    "sentences",
    "specificity",
    "split_words",
    "stance",
    "stem_word",
    "strengths",
    "tf_idf",
    "tokens",
    "unanswered_edges",
    "vader_compound",
    "words",
]
