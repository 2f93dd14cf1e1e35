"""Sentences of passages that serve as a reason or as a proposal, where no claim of another is addressed."""

import re
from collections.abc import Sequence

from openiir.kit.offline_speaker import Passage, QuoteCandidate, rank, reports, side_of
from openiir.kit.offline_speaker.citations import mark_sentence

_PROPOSES = re.compile(
    r"\b(can|could|should|must|ought to|needs? to|would help|deserves?|requires?|is worth|are worth)\b",
    re.IGNORECASE,
)
_WORTH = 0.5
"""What it weighs in a pitch that a sentence says what to do, and against it that it reports an event; our design."""


def choose_reason(topic: str, concern: str, leaning: float, passages: Sequence[Passage]) -> str:
    """The best-ranked sentence that leans the speaker's way, marked with its passage; empty where none does."""
    ranked = rank(f"{topic} {concern}", topic, leaning, passages, ())
    side = side_of(leaning)
    return _mark(next((c for c in ranked if side == 0 or side_of(c.stance) == side), None))


def choose_proposal(
    topic: str, goal: str, leaning: float, passages: Sequence[Passage], pool: Sequence[str]
) -> str:
    """The sentence that best says what to do and was not pitched yet, marked with its passage; empty without one."""
    ranked = rank(f"{topic} {goal}", topic, leaning, passages, pool)
    best = min(ranked, key=lambda c: (-c.score - _worth(c.text), c.quote.passage, c.text), default=None)
    return _mark(best)


def _worth(text: str) -> float:
    return _WORTH * (bool(_PROPOSES.search(text)) - reports(text))


def _mark(found: QuoteCandidate | None) -> str:
    return mark_sentence(found.text, found.quote.passage) if found else ""
