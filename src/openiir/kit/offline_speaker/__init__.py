"""Utterances of offline agents, made of sentences quoted from passages: extraction, ranking and wording."""

from openiir.kit.offline_speaker.key_phrases import key_phrase, lower_opening, touched_interests
from openiir.kit.offline_speaker.passages import Passage, Quote, quotes
from openiir.kit.offline_speaker.ranking import (
    LEANS,
    QuoteCandidate,
    nearest_text,
    rank_quotes,
    reports_particulars,
    side_of,
)

__all__ = [
    "LEANS",
    "Passage",
    "Quote",
    "QuoteCandidate",
    "key_phrase",
    "lower_opening",
    "nearest_text",
    "quotes",
    "rank_quotes",
    "reports_particulars",
    "side_of",
    "touched_interests",
]
