"""How a later claim bears on an earlier one: ordered rules over cues, polarity, negation and numbers.

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
from openiir.core.claims.text import content_stems, has_cue, is_question, pieces, stem_of
from openiir.core.records import EdgeType
from openiir.core.seeds import quantise
from openiir.core.sums import int_sum

SIMILAR = 0.25
"""Overlap from which a contrast cue is taken to be about the earlier claim."""
SAME_SUBJECT, CONTAINED, NEW_TERMS = 0.5, 0.6, 2
POLAR = 0.05
"""Product of both stances beyond which they agree or disagree."""
NUMBER_GAP = 0.2
_FIRST_WORDS, _OPENING = 14, 48
"""Characters within which a connective opens a sentence, or still speaks for the whole of it."""
_QUANTITY = re.compile(r"(\d+(?:[.,]\d+)*)\s*(%|percent|per cent|[a-z]+)", re.IGNORECASE)
_URGES = re.compile(
    r"\b(?:should|must|ought to|shall|needs? to|has to|have to)\b(\s+(?:not|never)\b)?|\b(shouldn't|mustn't)\b"
)


class Relation(NamedTuple):
    """A typed relation and how sure the rules are of it, in 0..1."""

    type: EdgeType
    confidence: float


class Pair:
    """A later and an earlier claim with the features the rules read."""

    def __init__(self, later: str, earlier: str, topic: str) -> None:
        self.later, self.earlier, self.topic = later, earlier, topic

    @cached_property
    def stems(self) -> tuple[list[str], list[str]]:
        return content_stems(self.later), content_stems(self.earlier)

    @cached_property
    def overlap(self) -> float:
        return overlap(*self.stems)

    @cached_property
    def agreement(self) -> float:
        """Product of both stances to the topic, in [-1, 1]."""
        return stance(self.later, self.topic) * stance(self.earlier, self.topic)

    def opens_with(self, cues: tuple[str, ...]) -> bool:
        return has_cue(self.later[:_OPENING].lower(), cues)

    def contrasts(self, within: int) -> bool:
        """The later one opens with a contrast or a concession, or comes after a concession."""
        return has_cue(self.later[:within].lower(), lexicons.CONTRAST) or has_cue(
            self.earlier[:within].lower(), lexicons.CONCEDING
        )

    def asks(self) -> bool:
        return is_question(self.later) or has_cue(self.later.lower(), lexicons.CHALLENGE)

    def turns(self) -> bool:
        """One is negated and the other is not, and both speak of the same thing."""
        return self.overlap >= SAME_SUBJECT and _negated(self.later) != _negated(self.earlier)

    def numbers_differ(self) -> bool:
        """The same unit with amounts more than a fifth apart, of the same thing."""
        ours, theirs = _quantities(self.later), _quantities(self.earlier)
        return self.overlap >= SAME_SUBJECT and any(
            abs(ours[unit] - theirs[unit]) > NUMBER_GAP * max(abs(ours[unit]), abs(theirs[unit]))
            for unit in ours
            if unit in theirs
        )

    def urges_opposite(self) -> bool:
        ours, theirs = _urged(self.later), _urged(self.earlier)
        return self.overlap >= SIMILAR and ours * theirs < 0

    def narrows(self) -> bool:
        later, earlier = self.stems
        if self.overlap >= SIMILAR and has_cue(self.later.lower(), lexicons.QUALIFIER):
            return True
        return containment(earlier, later) >= CONTAINED and len(set(later) - set(earlier)) >= NEW_TERMS


def relate(later: str, earlier: str, topic: str, replying: bool = False) -> Relation | None:
    """The relation of a later claim to an earlier one in a debate on `topic`; None where no rule speaks.

    Connectives come before what has to be inferred. `replying` says that the later claim is known to answer the
    earlier one: then stances that merely lean the same way or apart are enough.
    """
    pair = Pair(later, earlier, topic)
    polar = 0.0 if replying else POLAR
    if pair.asks():
        return _relation("questions", pair, 1.5)
    if pair.contrasts(within=_FIRST_WORDS) or pair.turns():
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


def dissents(later: str, earlier: str) -> bool:
    """Whether two sentences of much the same words still differ: a negation, a number, or `however`, `only if`."""
    pair = Pair(later, earlier, "")
    said = later.lower()
    return (
        pair.turns()
        or pair.numbers_differ()
        or has_cue(said[:_FIRST_WORDS], lexicons.CONTRAST)
        or (has_cue(said, lexicons.QUALIFIER) and not has_cue(earlier.lower(), lexicons.QUALIFIER))
    )


def _relation(kind: EdgeType, pair: Pair, cue: float) -> Relation:
    """Confidence: the logistic function of the rule's own weight, overlap and agreement (our weights)."""
    score = cue + 2.0 * pair.overlap + 2.0 * abs(pair.agreement) - 1.0
    return Relation(kind, quantise(1.0 / (1.0 + exp(-score))))


def _negated(text: str) -> bool:
    """Whether the negations of a text leave it negative."""
    return int_sum(word in lexicons.NEGATORS for word in pieces(text)) % 2 == 1


def _quantities(text: str) -> dict[str, float]:
    found = ((stem_of(unit), number) for number, unit in _QUANTITY.findall(text))
    return {unit: float(number.replace(",", "")) for unit, number in found if number.count(".") < 2}


def _urged(text: str) -> int:
    """+1 where a text urges something, -1 where it urges against, 0 where it urges nothing."""
    found = _URGES.search(text.lower())
    if not found:
        return 0
    return -1 if found.group(1) or found.group(2) else 1
