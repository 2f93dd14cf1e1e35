"""What one word does to a proposition: carries a valence, raises or cuts its object, turns or lessens the rest."""

from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from openiir.core.claims import lexicons
from openiir.core.retrieval.tokens import STOP_WORDS

if TYPE_CHECKING:
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

Kind = Literal["plain", "valence", "effect", "negator", "lessener"]
VADER_SPAN = 4.0
"""VADER's lexicon rates words from -4 to 4."""
VADER_FLOOR = 0.5
"""Words that VADER rates closer to neutral than this are left to our lists."""
_SUFFIXES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("ies", ("y",)),
    ("es", ("", "e")),
    ("s", ("",)),
    ("ied", ("y",)),
    ("ed", ("", "e")),
    ("ing", ("", "e")),
    ("ily", ("y",)),
    ("ly", ("", "le")),
    ("er", ("", "e")),
    ("est", ("", "e")),
    ("ment", ("",)),
    ("ments", ("",)),
    ("ation", ("", "e")),
    ("ions", ("", "e")),
    ("ion", ("", "e")),
)
"""Suffixes and what may stand in their place in the base form."""


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
    """The part of a lower-case word; our lists come before VADER's, exact forms before inflected ones."""
    if word in lexicons.NEGATORS:
        return Entry("negator")
    if word in lexicons.LESSENERS:
        return Entry("lessener")
    if word in lexicons.NEUTRAL:
        return PLAIN
    found = _listed(word)
    if found is not None or word in STOP_WORDS:
        return found or PLAIN
    for base in bases(word):
        found = found or _listed(base)
    return found or _rated(word) or _negated_form(word)


def _rated(word: str) -> Entry | None:
    rating = vader().lexicon.get(word, 0.0)
    return Entry("valence", max(-1.0, min(1.0, rating / VADER_SPAN))) if abs(rating) >= VADER_FLOOR else None


def bases(word: str) -> list[str]:
    """What an English word may be an inflection of (plural, verb form, adverb, comparative, -ment, -ion)."""
    found: list[str] = []
    for suffix, endings in _SUFFIXES:
        rest = word.removesuffix(suffix)
        if rest != word and len(rest) >= 3:
            found += [rest + ending for ending in endings]
            if suffix in ("ed", "ing", "er") and rest[-1] == rest[-2]:
                found.append(rest[:-1])
    return found


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
            found = _listed(rest) or _rated(rest)
            if found is not None and found.kind == "valence":
                return Entry("valence", -found.value)
            if found is not None and found.value > 0:
                return Entry("valence", -2 * found.value)
    return PLAIN
