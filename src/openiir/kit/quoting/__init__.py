"""Speaking in quotations: sentences that stand on their own, ranked for an argument, and what they are about."""

from openiir.kit.quoting.key_phrases import inside, matter_of, touched
from openiir.kit.quoting.passages import Passage, PassageId, Quote, quotes
from openiir.kit.quoting.ranking import LEANS, Candidate, nearest, rank, reports, side_of

__all__ = [
    "LEANS",
    "Candidate",
    "Passage",
    "PassageId",
    "Quote",
    "inside",
    "matter_of",
    "nearest",
    "quotes",
    "rank",
    "reports",
    "side_of",
    "touched",
]
