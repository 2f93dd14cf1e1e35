"""Choose sentences of passages as a reason or a proposal, outside a debate of claims."""

import re
from collections.abc import Sequence

from openiir.kit.offline_speaker import Passage, QuoteCandidate, rank_quotes, reports_particulars, side_of
from openiir.scenarios.panel.model.speaking.citations import mark_sentence

_PROPOSES = re.compile(
    r"\b(can|could|should|must|ought to|needs? to|would help|deserves?|requires?|is worth|are worth)\b",
    re.IGNORECASE,
)
_WORTH = 0.5
"""Bonus in a pitch for a sentence that says what to do, and penalty for one that reports an event; our
design."""


def choose_reason(topic: str, concern: str, leaning: float, passages: Sequence[Passage]) -> str:
    """Choose the highest-ranked sentence on the speaker's side, with a citation mark; empty if none."""
    ranked = rank_quotes(f"{topic} {concern}", topic, leaning, passages, ())
    side = side_of(leaning)
    return _mark(next((c for c in ranked if side == 0 or side_of(c.stance) == side), None))


def choose_proposal(
    topic: str, goal: str, leaning: float, passages: Sequence[Passage], pool: Sequence[str]
) -> str:
    """Choose the best sentence for a new proposal, with a citation mark; empty if none.

    Sentences that were pitched before are left out.
    """
    ranked = rank_quotes(f"{topic} {goal}", topic, leaning, passages, pool)

    def place(one: QuoteCandidate) -> tuple[float, str, str]:
        worth = _WORTH * (bool(_PROPOSES.search(one.text)) - reports_particulars(one.text))
        return -one.score - worth, one.quote.passage, one.text

    return _mark(min(ranked, key=place, default=None))


def _mark(found: QuoteCandidate | None) -> str:
    return mark_sentence(found.text, found.quote.passage) if found else ""
