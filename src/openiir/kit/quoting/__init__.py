"""Speaking in quotations: sentences that stand on their own, ranked for an argument, and what they are about."""

from openiir.kit.quoting.key_phrases import key_phrase, lower_opening, touched_interests
from openiir.kit.quoting.passages import Passage, PassageId, Quote, quotes
from openiir.kit.quoting.ranking import LEANS, QuoteCandidate, nearest_text, rank, reports, side_of

__all__ = [
    "LEANS",
    "QuoteCandidate",
    "Passage",
    "PassageId",
    "Quote",
    "lower_opening",
    "key_phrase",
    "nearest_text",
    "quotes",
    "rank",
    "reports",
    "side_of",
    "touched_interests",
]
