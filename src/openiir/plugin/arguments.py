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
from openiir.core.claims.similarity import Vector, containment, cosine, tf_idf
from openiir.core.retrieval.sentences import sentences
from openiir.core.retrieval.tokens import content_words, tokens, words

__all__ = [
    "CLAIM_THRESHOLD",
    "Vector",
    "balance",
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
    "stance",
    "strengths",
    "tf_idf",
    "tokens",
    "unanswered_edges",
    "words",
]
