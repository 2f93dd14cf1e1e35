"""Sentences of passages that serve as a reason or as a proposal, where no claim of another is addressed."""

import re
from collections.abc import Callable, Sequence

from openiir.plugin import quantise
from openiir.plugin.arguments import claimhood, cosine, specificity, stance, tf_idf
from openiir.scenarios.panel.utterances import Passage, quotable

SAID_ALREADY = 0.6
_PROPOSES = re.compile(
    r"\b(can|could|should|must|ought to|needs? to|would help|deserves?|requires?|is worth|are worth)\b", re.IGNORECASE
)
_REPORTS = re.compile(r"\b(1[89]\d\d|20\d\d|showed|found|reported|described|demonstrated|was|were)\b")


def quote_for(
    topic: str, concern: str, leaning: float, passages: Sequence[Passage]
) -> tuple[str, tuple[str, ...]] | None:
    """The sentence that best gives the reason for a stance, marked with its passage; None where none fits."""
    return _best(topic, concern, passages, (), lambda text: 0.5 * leaning * stance(text, topic))


def proposal_for(
    topic: str, goal: str, leaning: float, passages: Sequence[Passage], pool: Sequence[str]
) -> tuple[str, tuple[str, ...]] | None:
    """The sentence that best says what to do and was not pitched yet, marked with its passage."""

    def worth(text: str) -> float:
        says_what_to_do = bool(_PROPOSES.search(text)) - bool(_REPORTS.search(text))
        return 0.5 * says_what_to_do + 0.25 * leaning * stance(text, topic)

    return _best(topic, goal, passages, pool, worth)


def _best(
    topic: str,
    goal: str,
    passages: Sequence[Passage],
    said: Sequence[str],
    worth: Callable[[str], float],
) -> tuple[str, tuple[str, ...]] | None:
    """By relevance, claimhood, specificity and `worth` (weights of the talk's utterances); ties by passage."""
    found = list(dict.fromkeys((p.id, text) for p in passages for text in quotable(p.text)))
    vectors = tf_idf([f"{topic} {goal}", *said, *(text for _, text in found)])
    target, before, own = vectors[0], vectors[1 : len(said) + 1], vectors[len(said) + 1 :]
    scored = []
    for (passage, text), vector in zip(found, own, strict=True):
        if max((cosine(vector, other) for other in before), default=0.0) < SAID_ALREADY:
            score = 0.4 * cosine(vector, target) + 0.2 * min(1.0, claimhood(text)) + 0.15 * specificity(text)
            scored.append((-float(quantise(score + worth(text), 2.0)), passage, text))
    if not scored:
        return None
    _, passage, text = min(scored)
    return f"{text[:-1]} [{passage}]{text[-1]}", (passage,)
