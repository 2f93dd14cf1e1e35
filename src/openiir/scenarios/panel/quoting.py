"""Sentences of passages that serve as a reason or as a proposal, where no claim of another is addressed."""

import re
from collections.abc import Sequence

from openiir.kit.quoting import Candidate, Passage, rank, reports, side_of

_PROPOSES = re.compile(
    r"\b(can|could|should|must|ought to|needs? to|would help|deserves?|requires?|is worth|are worth)\b",
    re.IGNORECASE,
)
_WORTH = 0.5
"""What it weighs in a pitch that a sentence says what to do, and against it that it reports an event; our design."""


def quote_for(
    topic: str, concern: str, leaning: float, passages: Sequence[Passage]
) -> tuple[str, tuple[str, ...]] | None:
    """The best-ranked sentence that leans the speaker's way, marked with its passage; None where none does."""
    ranked = rank(f"{topic} {concern}", topic, leaning, passages, ())
    side = side_of(leaning)
    return _marked(next((c for c in ranked if side == 0 or side_of(c.stance) == side), None))


def proposal_for(
    topic: str, goal: str, leaning: float, passages: Sequence[Passage], pool: Sequence[str]
) -> tuple[str, tuple[str, ...]] | None:
    """The sentence that best says what to do and was not pitched yet, marked with its passage."""
    ranked = rank(f"{topic} {goal}", topic, leaning, passages, pool)
    best = min(ranked, key=lambda c: (-c.score - _worth(c.text), c.quote.passage, c.text), default=None)
    return _marked(best)


def _worth(text: str) -> float:
    return _WORTH * (bool(_PROPOSES.search(text)) - reports(text))


def _marked(found: Candidate | None) -> tuple[str, tuple[str, ...]] | None:
    if found is None:
        return None
    passage = found.quote.passage
    return f"{found.text[:-1]} [{passage}]{found.text[-1]}", (passage,)
