"""How likely it is that a run of words is meant as a title, from its words and those around it.

A logistic regression over the signs below. Its weights were fitted to the development part of INSPIRED (Hayati et
al., EMNLP 2020) against the titles of MovieLens 25M; `benchmarks/entity_linking.py --fit` prints them.
"""

import re
from math import exp
from typing import NamedTuple

from openiir.kit.items.everyday import EVERYDAY
from openiir.kit.items.names import Name
from openiir.kit.items.titling import ARTICLES

_QUOTES = "\"'“”‘’«»*"
_SEEN = frozenset(
    """saw see seen seeing watch watched watching watches rewatched rewatching called titled named entitled caught finished
    read reading reread play played playing try tried check heard recommend recommended recommending suggest suggested
    about""".split()
)
_LIKED = frozenset(
    """love loved loves like liked likes enjoy enjoyed enjoying enjoys prefer adore adored hate hated favorite favourite
    favorites favourites was is in from and or than include including includes"""
    .split()
)
_KIND = frozenset(
    """movie movies film films trailer trailers flick flicks show series franchise sequel sequels trilogy saga remake
    book books novel novels game games""".split()
)
_ON = frozenset("part chapter episode volume vol season 2 3 4 5 6 7 8 9 ii iii iv".split())
_SMALL = frozenset("the a an of in on at to and or for with from by vs v is".split())
_BREAK = re.compile(r"[.!?,;:()\"“”]|\s[-–—]\s|\n")


class Span(NamedTuple):
    """A run of words that is a name, in its text."""

    text: str
    words: list[tuple[int, int]]
    """Where each word of the text begins and ends."""
    keys: list[str]
    """The key of each word."""
    begin: int
    """The first word, an article in front included."""
    first: int
    """The first word of the name's key."""
    last: int
    """The word after its last."""
    name: Name


def signs(span: Span, known: bool) -> dict[str, float]:
    """What speaks for and against a title, by name; a sign that is absent is left out."""
    text, words, keys = span.text, span.words, span.keys
    begin, first, last = span.begin, span.first, span.last
    before = _gap(span, begin - 1) if begin else "."
    after = _gap(span, last - 1) if last < len(words) else "."
    found = dict.fromkeys(_shape(span), 1.0)
    found |= dict.fromkeys(_looks(span, before), 1.0)
    start, end = words[begin][0], words[last - 1][1]
    if text[start - 1 : start] and text[start - 1] in _QUOTES and any(sign in _QUOTES for sign in text[end : end + 2]):
        found["quoted"] = 1.0
    if re.match(r"\s*[(\[,]*\s*(?:18|19|20)\d\d\b", text[end:]):
        found["year"] = 1.0
    if known:
        found["known"] = 1.0
    if begin == 0 and all(key in _KIND or key in EVERYDAY - _KIND and len(words) - last == 1 for key in keys[last:]):
        found["alone"] = 1.0
    previous = keys[begin - 1] if begin and not _BREAK.search(before) else ""
    following = keys[last] if last < len(words) and not _BREAK.search(after) else ""
    if previous in _KIND and begin == first:
        found["movie before"] = 1.0
    elif previous in _SEEN:
        found["seen before"] = 1.0
    elif previous in _LIKED:
        found["liked before"] = 1.0
    if following in _KIND:
        found["movie after"] = 1.0
    if following in _ON or following.isdigit() and len(following) < 3:
        found["numbered on"] = 1.0
    if following and text[words[last][0]].isupper() and following not in _SMALL and following not in _KIND:
        found["capital after"] = 1.0
    if previous and begin > 1 and text[words[begin - 1][0]].isupper() and previous not in {"i", "im", "ive", *ARTICLES}:
        found["capital before"] = 1.0
    if begin and keys[begin - 1] and "," in before or last < len(words) and "," in after:
        found["listed"] = 1.0
    return found


def probability(span: Span, known: bool) -> float:
    """How likely a title is meant, 0 to 1."""
    total = WEIGHTS["bias"] + sum(WEIGHTS.get(sign, 0.0) * value for sign, value in signs(span, known).items())
    return 1 / (1 + exp(-total))


def _shape(span: Span) -> list[str]:
    """Signs of the name itself."""
    name = span.name
    count = name.key.count(" ") + 1
    found = [f"{min(count, 3)} words, {min(name.rare, 2)} rare"]
    if name.person:
        found.append("given name")
    if name.short:
        found.append("short")
    written = span.last - span.first
    if written != count:
        found.append("other spaces")
    with_article = span.begin < span.first
    if with_article and name.article:
        found.append("its article")
    elif with_article:
        found.append("an article")
    elif not name.bare:
        found.append("no article")
    return found


def _looks(span: Span, before: str) -> list[str]:
    """Signs of how it is written."""
    text, words = span.text, span.words
    own = [text[start:end] for start, end in words[span.first : span.last]]
    telling = [word for word in own if word.lower() not in _SMALL] or own
    if not text.isupper() and all(word.isupper() and len(word) > 1 for word in telling):
        return ["all capitals"]
    opening = _BREAK.search(before) is not None and span.begin == span.first
    if all(word[0].isupper() or word[0].isdigit() for word in telling):
        return ["capital at the start"] if opening and len(telling) == 1 else ["capitals"]
    if telling[0][0].isupper():
        return ["first capital"]
    others = (text[start] for at, (start, _) in enumerate(words) if at and text[start : start + 2].strip("'’") != "I")
    return ["small among capitals"] if any(sign.isupper() for sign in others) else ["small"]


def _gap(span: Span, word: int) -> str:
    """What stands between a word and the next."""
    return span.text[span.words[word][1] : span.words[word + 1][0]]


WEIGHTS = {'1 words, 0 rare': -2.41,
 '1 words, 1 rare': 0.02,
 '2 words, 0 rare': -0.01,
 '2 words, 1 rare': 0.87,
 '2 words, 2 rare': 0.5,
 '3 words, 0 rare': 0.16,
 '3 words, 1 rare': 0.43,
 '3 words, 2 rare': -0.14,
 'all capitals': 0.63,
 'alone': 0.25,
 'an article': 0.1,
 'bias': -1.37,
 'capital after': -1.75,
 'capital at the start': 0.33,
 'capital before': -1.87,
 'capitals': 1.11,
 'first capital': -0.16,
 'given name': 0.29,
 'its article': 0.26,
 'known': 1.34,
 'liked before': 0.38,
 'listed': 0.07,
 'movie after': 0.72,
 'movie before': 1.33,
 'no article': -0.22,
 'numbered on': -1.31,
 'other spaces': -0.29,
 'quoted': 1.73,
 'seen before': 1.13,
 'short': -1.39,
 'small': -0.92,
 'small among capitals': -1.56,
 'year': -0.09}
"""The weights of the signs."""
