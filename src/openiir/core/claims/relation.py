"""Rules for the relation between a later and an earlier claim, from cues, polarity, negation and numbers.

The features follow the four mechanisms (factual consistency, sentiment coherence, causal relation, normative
relation) by which Jo, Bang, Reed & Hovy (TACL 2021) tell relations without relation-labelled training.
"""

import re
from functools import cached_property
from math import exp
from typing import NamedTuple

from openiir.core.claims import lexicons
from openiir.core.claims.similarity import containment, overlap
from openiir.core.claims.stance import stance
from openiir.core.claims.text import content_stems, has_cue, is_question, split_words, stem_word
from openiir.core.grid import quantise
from openiir.core.records import EdgeType
from openiir.core.sums import int_sum

SIMILAR = 0.25
"""Least stem overlap for a contrast cue to refer to the earlier claim."""
SAME_SUBJECT, CONTAINED, NEW_TERMS = 0.5, 0.6, 2
POLAR = 0.05
"""Least absolute product of the two stances for claims to count as agreeing or disagreeing."""
NUMBER_GAP = 0.2
_FIRST_WORDS, _OPENING = 14, 48
"""Leading characters searched for an opening connective, and for one that governs the whole sentence."""
_QUANTITY = re.compile(
    r"(?<!\d)(?<!\d[.,])(\d++(?:[.,]\d++)*+)\s*+(%|percent|per cent|[a-z]+)", re.IGNORECASE
)
_URGES = re.compile(
    r"\b(?:should|must|ought to|shall|needs? to|has to|have to)\b(\s+(?:not|never)\b)?"
    r"|\b(shouldn't|mustn't)\b"
)


class Relation(NamedTuple):
    """A relation type with the rules' confidence from 0 to 1."""

    type: EdgeType
    confidence: float


class ComparedClaims:
    """A later and an earlier claim, with the features that the relation rules use."""

    def __init__(self, later: str, earlier: str, topic: str) -> None:
        self.later, self.earlier, self.topic = later, earlier, topic

    @cached_property
    def stems(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return content_stems(self.later), content_stems(self.earlier)

    @cached_property
    def overlap(self) -> float:
        return overlap(*self.stems)

    @cached_property
    def agreement(self) -> float:
        """Product of the two claims' stances on the topic, in [-1, 1]."""
        return stance(self.later, self.topic) * stance(self.earlier, self.topic)

    def opens_with(self, cues: tuple[str, ...]) -> bool:
        return has_cue(self.later[:_OPENING].lower(), cues)

    def contrasts(self, within: int) -> bool:
        """Whether the later claim opens with a contrast or concession, or the earlier with a concession."""
        return has_cue(self.later[:within].lower(), lexicons.CONTRAST) or has_cue(
            self.earlier[:within].lower(), lexicons.CONCEDING
        )

    def asks(self) -> bool:
        return is_question(self.later) or has_cue(self.later.lower(), lexicons.CHALLENGE)

    def differ_in_negation(self) -> bool:
        """Whether the claims share their subject and exactly one of them is negated."""
        return self.overlap >= SAME_SUBJECT and _is_negated(self.later) != _is_negated(self.earlier)

    def numbers_differ(self) -> bool:
        """Whether the claims share their subject and their amounts in one unit differ by over a fifth."""
        ours, theirs = _quantities(self.later), _quantities(self.earlier)
        return self.overlap >= SAME_SUBJECT and any(
            abs(ours[unit] - theirs[unit]) > NUMBER_GAP * max(abs(ours[unit]), abs(theirs[unit]))
            for unit in ours
            if unit in theirs
        )

    def urges_opposite(self) -> bool:
        ours, theirs = _urge_sign(self.later), _urge_sign(self.earlier)
        return self.overlap >= SIMILAR and ours * theirs < 0

    def narrows(self) -> bool:
        later, earlier = self.stems
        if self.overlap >= SIMILAR and has_cue(self.later.lower(), lexicons.QUALIFIER):
            return True
        return containment(earlier, later) >= CONTAINED and len(set(later) - set(earlier)) >= NEW_TERMS


def relate(later: str, earlier: str, topic: str, replying: bool = False) -> Relation | None:
    """Determine the relation of a later claim to an earlier one on `topic`; None if no rule applies.

    Explicit connectives take precedence over inferred features. With `replying`, the later claim is known to
    answer the earlier one, and any agreement or disagreement of stances is enough.
    """
    pair = ComparedClaims(later, earlier, topic)
    polar = 0.0 if replying else POLAR
    if pair.asks():
        return _relation("questions", pair, 1.5)
    if pair.contrasts(within=_FIRST_WORDS) or pair.differ_in_negation():
        return _relation("counters", pair, 1.0)
    if pair.narrows():
        return _relation("refines", pair, 0.5)
    if pair.contrasts(within=_OPENING):
        return _relation("counters", pair, 0.5)
    if pair.opens_with(lexicons.CAUSAL):
        return _relation("supports", pair, 1.0)
    if pair.numbers_differ() or pair.urges_opposite():
        return _relation("counters", pair, 0.5)
    if pair.agreement < -polar:
        return _relation("counters", pair, 0.0)
    if pair.agreement > polar:
        return _relation("supports", pair, 0.0)
    return None


def differ_in_meaning(later: str, earlier: str) -> bool:
    """Whether two similar sentences differ in meaning, by a negation, a number, `however` or `only if`."""
    pair = ComparedClaims(later, earlier, "")
    said = later.lower()
    return (
        pair.differ_in_negation()
        or pair.numbers_differ()
        or has_cue(said[:_FIRST_WORDS], lexicons.CONTRAST)
        or (has_cue(said, lexicons.QUALIFIER) and not has_cue(earlier.lower(), lexicons.QUALIFIER))
    )


def _relation(kind: EdgeType, pair: ComparedClaims, cue: float) -> Relation:
    """Build a relation; its confidence is logistic in the rule's weight, overlap and agreement."""
    score = cue + 2.0 * pair.overlap + 2.0 * abs(pair.agreement) - 1.0
    return Relation(kind, quantise(1.0 / (1.0 + exp(-score))))


def _is_negated(text: str) -> bool:
    """Whether a text contains an odd number of negations."""
    return int_sum(word in lexicons.NEGATORS for word in split_words(text)) % 2 == 1


def _quantities(text: str) -> dict[str, float]:
    found = ((stem_word(unit), number) for number, unit in _QUANTITY.findall(text))
    return {unit: float(number.replace(",", "")) for unit, number in found if number.count(".") < 2}


def _urge_sign(text: str) -> int:
    """Return 1 if a text urges something, -1 if it urges against something, else 0."""
    found = _URGES.search(text.lower())
    if not found:
        return 0
    return -1 if found.group(1) or found.group(2) else 1
