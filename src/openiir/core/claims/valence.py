"""Role of a word in a clause's stance: valence, effect, negator or lessener."""

from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from openiir.core.claims import lexicons
from openiir.core.retrieval.tokens import STOP_WORDS

if TYPE_CHECKING:
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

Kind = Literal["plain", "valence", "effect", "negator", "lessener"]
VADER_SPAN = 4.0
"""Largest absolute rating in VADER's lexicon, which rates words from -4 to 4."""
VADER_FLOOR = 0.5
"""Smallest absolute VADER rating that is used."""
_PAIRS = (
    "ies>y es> es>e s> ied>y ed> ed>e ing> ing>e ily>y ly> ly>le er> er>e est> est>e ment> ments> ation> "
    "ation>e ions> ions>e ion> ion>e"
)
_SUFFIXES = [pair.split(">") for pair in _PAIRS.split()]
"""Inflectional suffixes and what replaces them in base forms."""


class WordRole(NamedTuple):
    """Role of a word in the stance of a clause, with its valence."""

    kind: Kind
    value: float = 0.0
    """Valence in [-1, 1]; of an effect word, the valence implied for its agent when the object is neutral."""
    transfer: int = 1
    """For an effect word: +1 if its object is increased or brought about, -1 if it is reduced or harmed."""


PLAIN_WORD = WordRole("plain")


@lru_cache(maxsize=1)
def vader() -> "SentimentIntensityAnalyzer":
    """Load VADER's sentiment analyser (Hutto & Gilbert, ICWSM 2014) once."""
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    return SentimentIntensityAnalyzer()


def vader_compound(sentence: str) -> float:
    """Compute VADER's own compound score of a sentence, in [-1, 1], as a baseline for `stance`."""
    return float(vader().polarity_scores(sentence)["compound"])


@lru_cache(maxsize=65_536)
def word_role(word: str) -> WordRole:
    """Look up the role of a lower-case word: own lists before VADER's, exact forms before inflected ones."""
    if word in lexicons.NEGATORS:
        return WordRole("negator")
    if word in lexicons.LESSENERS:
        return WordRole("lessener")
    if word in lexicons.NEUTRAL:
        return PLAIN_WORD
    found = _lexicon_role(word)
    if found is not None or word in STOP_WORDS:
        return found or PLAIN_WORD
    for base in base_forms(word):
        found = found or _lexicon_role(base)
    return found or _vader_role(word) or _prefixed_role(word)


def _vader_role(word: str) -> WordRole | None:
    rating = vader().lexicon.get(word, 0.0)
    return (
        WordRole("valence", max(-1.0, min(1.0, rating / VADER_SPAN))) if abs(rating) >= VADER_FLOOR else None
    )


def base_forms(word: str) -> list[str]:
    """List possible base forms of an English word (plural, verb form, adverb, comparative, -ment, -ion)."""
    found: list[str] = []
    for suffix, ending in _SUFFIXES:
        rest = word.removesuffix(suffix)
        if rest != word and len(rest) >= 3:
            found.append(rest + ending)
            if suffix in ("ed", "ing", "er") and ending and rest[-1] == rest[-2]:
                found.append(rest[:-1])  # after both endings
    return found


def _lexicon_role(form: str) -> WordRole | None:
    for table, transfer in ((lexicons.RAISE, 1), (lexicons.CUT, -1)):
        if form in table:
            return WordRole("effect", table[form], transfer)
    for table in (lexicons.GOOD, lexicons.BAD):
        if form in table:
            return WordRole("valence", table[form])
    return None


def _prefixed_role(word: str) -> WordRole:
    """Look up a word with a negating prefix: `unreliable` has the opposite valence of `reliable`."""
    for prefix in ("un", "in", "non", "dis", "im", "ir"):
        rest = word.removeprefix(prefix)
        if rest != word and len(rest) > 4:
            found = _lexicon_role(rest) or _vader_role(rest)
            if found is not None and found.kind == "valence":
                return WordRole("valence", -found.value)
            if found is not None and found.value > 0:
                return WordRole("valence", -2 * found.value)
    return PLAIN_WORD
