"""Extract quotable sentences from passages: short claims that stand on their own."""

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from openiir.plugin import Record
from openiir.plugin.arguments import CLAIM_THRESHOLD, claimhood, is_question, sentences, words

LONGEST, SHORTEST = 45, 6
TOGETHER = 55
"""Largest number of words of two sentences quoted together."""
_ASIDE = re.compile(r"(?<!\s)\s*+[\(\[][^()\[\]]*[\)\]]")
_LEAD = re.compile(
    r"^(however|moreover|furthermore|in addition|additionally|therefore|thus|hence|also|for example|"
    r"for instance|"
    r"in contrast|by contrast|on the other hand|consequently|nevertheless|similarly|finally|indeed|in fact|"
    r"as a result|likewise|instead|and|but|so|yet|still)\b,?\s+",
    re.IGNORECASE,
)
_INNER = re.compile(
    r",?\s+(?:for example|for instance|however|moreover|therefore|of course|on the other hand),(?=\s)|"
    r"\s+(?:therefore|thus|also|hence)(?=\s)"
)
_POINTING = re.compile(
    r"^(whether|how|why|what|which|who|same|it|its|they|their|he|his|she|her|such|both|here|there|one such|"
    r"another|others?|most|some|many|either)\b|"
    r"^(the (?:latter|former|same|second|third|other|two|report|study|authors?|findings?|results?|"
    r"experiment))\b|"
    r"\b(this|these|aforementioned|above|below|following|former|latter)\b|"
    r"\b(those|that|such an?) (?!who|that|of|with|in|is|are|was|were|has|have|can|the|a|an|which|could|would|"
    r"may)"
    r"(?:idea|approach|method|work|property|reason|practice|way|case|cases|company|report|study|result|problem|"
    r"kind|sort|question|criticism|argument|view|claim|finding|setting|stability|discipline|habit|sense|track|group|period|time)s?\b|"
    r"^in response\b|\bthe (?:next|previous|same) (?:day|night|week|month|year|time|period)\b|"
    r"\bat the time\b|"
    r"^[^,]{1,60}, (?:it|they|he|she)\b|"
    r"^(?:during|in|at|for|with|by|on|after|before|since|when|despite|under|apart)\b[^,]{0,40} (?:they|it|"
    r"that)\b|"
    r"\b(as (?:described|mentioned|noted|shown|discussed)|see also|respectively)\b",
    re.IGNORECASE,
)
# Where an article lost a template or a unit: "to range from per GWh", "homes .", "sites or more from".
_TORN = re.compile(
    r"\b(?:of|from|to|at|about|than|by|between|over|least|around|approximately|some|up to)\s+(?:per|or|and|"
    r"of|to)\b|"
    r"\s[.,;]|\bor more from\b|[|={}<>]|\.\.\.|^[a-z]|[a-z]{3}\. [a-z]| [-–] |\bCO $"
)


_PERSON = re.compile(r"\b(?:he|she|him|his|her|hers)\b")
_NAME = re.compile(r"\w[ ,]+[A-Z][a-z]")


class Passage(Record):
    """A retrieved passage with its id."""

    id: str
    text: str


@dataclass(frozen=True)
class Quote:
    """A quotable sentence of a passage, with the sentence after it if that can be quoted too."""

    passage: str
    text: str
    then: str = ""


def quotes(passages: Sequence[Passage]) -> list[Quote]:
    """Extract the quotable sentences of passages, in order, each once."""
    found: dict[str, Quote] = {}
    for passage in passages:
        spoken = _spoken_sentences(passage.text)
        for n, text in enumerate(spoken):
            if text and text not in found:
                after = spoken[n + 1] if n + 1 < len(spoken) else ""
                short = len(words(text)) + len(words(after)) <= TOGETHER
                found[text] = Quote(passage.id, text, after if short else "")
    return list(found.values())


@lru_cache(maxsize=1_024)
def _spoken_sentences(text: str) -> tuple[str, ...]:
    """Convert a passage to sentences fit for speech, empty for unfit ones; cached."""
    return tuple(_speakable(text[start:end]) for start, end in sentences(text))


def _speakable(raw: str) -> str:
    """Convert a sentence to speech; empty where it does not stand on its own or makes no claim."""
    sentence = _compress(raw)
    count = len(words(sentence))
    if not SHORTEST <= count <= LONGEST or sentence[-1] not in ".!":
        return ""
    person = _PERSON.search(sentence)
    if sentence[0] in "\"“‘'" or (person and not _NAME.search(sentence[: person.start()])):
        return ""
    if _POINTING.search(sentence) or _TORN.search(sentence) or sentence.count('"') % 2:
        return ""
    if is_question(sentence) or claimhood(sentence) < CLAIM_THRESHOLD:
        return ""
    return sentence


def _compress(sentence: str) -> str:
    """Put a sentence on one line, without bracketed asides and connectives to earlier text."""
    flat = " ".join(_ASIDE.sub("", html.unescape(sentence)).split())
    bare = _INNER.sub("", _LEAD.sub("", flat))
    return bare[:1].upper() + bare[1:]
