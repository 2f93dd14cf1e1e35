"""What one word does to a proposition: carries a valence, raises or cuts its object, turns or lessens the rest."""

from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from openiir.core.claims import lexicons
from openiir.core.claims.text import stem_of
from openiir.core.retrieval.tokens import STOP_WORDS

if TYPE_CHECKING:
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

Kind = Literal["plain", "valence", "effect", "negator", "lessener"]
VADER_SPAN = 4.0
"""VADER's lexicon rates words from -4 to 4."""
VADER_FLOOR = 0.5
"""Words that VADER rates closer to neutral than this are left to our lists."""
_ADJECTIVE = ("ful", "less", "ive", "ous", "able", "ible", "ing")
"""Endings with which a word judges by itself, whatever its stem does as a verb."""


class Entry(NamedTuple):
    """A word's part in the composition."""

    kind: Kind
    value: float = 0.0
    """A valence in [-1, 1]; for an effect, what it says of its doer when its object is neutral."""
    transfer: int = 1
    """For an effect: +1 when its object is raised or brought about, -1 when it is cut or harmed."""


PLAIN = Entry("plain")


@lru_cache(maxsize=1)
def vader() -> "SentimentIntensityAnalyzer":
    """VADER's analyser (Hutto & Gilbert, ICWSM 2014), loaded once."""
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    return SentimentIntensityAnalyzer()


def vader_compound(sentence: str) -> float:
    """VADER's own compound score of a sentence, in [-1, 1]: the baseline ours is measured against."""
    return float(vader().polarity_scores(sentence)["compound"])


@lru_cache(maxsize=65_536)
def entry(word: str) -> Entry:
    """The part of a lower-case word; our lists come before VADER's, exact forms before stems."""
    if word in lexicons.NEGATORS:
        return Entry("negator")
    if word in lexicons.LESSENERS:
        return Entry("lessener")
    found = _listed(word)
    if found is None and word in STOP_WORDS:
        return PLAIN
    rated = vader().lexicon.get(word, 0.0)
    rating = Entry("valence", max(-1.0, min(1.0, rated / VADER_SPAN))) if abs(rated) >= VADER_FLOOR else None
    if rating and word.endswith(_ADJECTIVE):
        return found or rating
    return found or _listed(stem_of(word)) or rating or _negated_form(word)


def _listed(form: str) -> Entry | None:
    for table, transfer in ((lexicons.RAISE, 1), (lexicons.CUT, -1)):
        if form in table:
            return Entry("effect", table[form], transfer)
    for table in (lexicons.GOOD, lexicons.BAD):
        if form in table:
            return Entry("valence", table[form])
    return None


def _negated_form(word: str) -> Entry:
    """`unreliable` is to `reliable` as minus to plus."""
    for prefix in ("un", "in", "non", "dis", "im", "ir"):
        rest = word.removeprefix(prefix)
        if rest != word and len(rest) > 4:
            found = _listed(rest)
            if found is not None and found.kind == "valence":
                return Entry("valence", -found.value)
    return PLAIN
