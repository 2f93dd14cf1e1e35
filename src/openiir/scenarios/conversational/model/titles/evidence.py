"""Classifier of whether words in a text are meant as a title, by features of the words and their context.

A logistic regression over the signs below. Its weights were fitted to the development part of INSPIRED
(Hayati et al., EMNLP 2020) against the titles of MovieLens 25M; `benchmarks/entity_linking.py --fit` prints
them.
"""

import re
from collections.abc import Mapping
from math import exp, fsum
from typing import Literal, NamedTuple

from openiir.scenarios.conversational.model.titles.title_index import ARTICLES, Name

_QUOTES = "\"'“”‘’«»*"
_SEEN = frozenset(
    """
    saw see seen seeing watch watched watching watches rewatched rewatching called titled named entitled
    caught finished read reading reread play played playing try tried check heard recommend recommended
    recommending recommendation suggest suggested suggesting about trailer
    """.split()
)
_LIKED = frozenset(
    """
    love loved loves like liked likes enjoy enjoyed enjoying enjoys prefer adore adored hate hated favorite
    favourite favorites favourites was is are were in from and or than include including includes
    """.split()
)
_PERSON = frozenset(
    "with stars star starring starred by actor actress director directed character played as mr mrs "
    "dr".split()
)
_NEWEST = frozenset("new newest latest original old remake last first second live whole entire".split())
_KIND = frozenset(
    """
    movie movies film films trailer trailers flick flicks show series franchise sequel sequels trilogy saga
    remake book books novel novels game games
    """.split()
)
_BEFORE = {"kind": _KIND, "seen": _SEEN, "liked": _LIKED, "person": _PERSON, "newest": _NEWEST}
"""Cue words before a title, by feature name."""
_SAYS = frozenset(
    "is was with starring stars has had by looks starred by are were sounds seems because".split()
)
_ON = frozenset("part chapter episode volume vol season 2 3 4 5 6 7 8 9 ii iii iv".split())
_SMALL = frozenset("the a an of in on at to and or for with from by vs v is".split())
_LONGER = frozenset(("goes on", "subtitle", "numbered on", "capital after"))
"""Features that suggest that the span is only part of a longer title; they override features for a title."""
_LEADS = frozenset("for of the to on at vs v".split())
_BREAK = re.compile(r"[.!?,;:()\"“”]|\s[-–—]\s|--|\n")
_SUBTITLE = re.compile(r"\s?:\s?\w|, (?:the|chapter|part)\b|\s+&\s", re.IGNORECASE)
YEAR = re.compile(r"[\s\"”'’,(\[]*(?:(?:from|in|of) )?((?:18|19|20)\d\d)\b")
"""Pattern of a year after a title."""


Capitals = Literal["all", "some", "none"]
"""Capitalisation of a text: all capitals, some words after the first capitalised ("I" aside), or none."""


def capitals_of(text: str, words: list[tuple[int, int]]) -> Capitals:
    """Classify the capitalisation of a text with these word offsets."""
    if text.isupper():
        return "all"
    others = (text[start] for start, _ in words[1:] if text[start : start + 2].strip("'’") != "I")
    return "some" if any(sign.isupper() for sign in others) else "none"


class Span(NamedTuple):
    """A sequence of words in a text that matches an item's name."""

    text: str
    words: list[tuple[int, int]]
    """Start and end offset of each word of the text."""
    keys: list[str]
    """Normalised key of each word."""
    capitals: Capitals
    """Capitalisation of the whole text."""
    begin: int
    """Index of the first word, including a preceding article."""
    first: int
    """Index of the first word of the name's key."""
    last: int
    """Index after the last word."""
    name: Name


def signs(span: Span, known: bool) -> list[str]:
    """Extract a span's features for the classifier of titles."""
    name = span.name
    before = _text_between(span, span.begin - 1) if span.begin else "."
    after = _text_between(span, span.last - 1) if span.last < len(span.words) else "."
    count = name.key.count(" ") + 1
    shape = f"{min(count, 3)} words, {min(name.rare, 2)} rare"
    looks = _describe_capitals(span, before)
    said = _article_signs(span)
    found = [shape, looks, f"{shape}, {looks}", *said, *_context_signs(span, before, after)]
    found += _true_signs(
        {
            "digits": name.key.isdigit(),
            "given name": name.person,
            f"given name, {looks}": name.person,
            "short": name.short,
            "other spaces": span.last - span.first != count,
            "known": known,
            f"known, {shape}": known,
        }
    )
    if _LONGER.isdisjoint(found):
        return found
    return [
        "longer",
        *(sign for sign in found if not sign.startswith(("known", "kind after", "seen before"))),
    ]


def probability(span: Span, known: bool) -> float:
    """Compute the probability that a span is meant as a title."""
    return 1 / (1 + exp(-WEIGHTS["bias"] - fsum(WEIGHTS.get(sign, 0.0) for sign in signs(span, known))))


def _article_signs(span: Span) -> list[str]:
    """List the features of the article, quotes, year and subtitle."""
    text, article = span.text, span.begin < span.first
    start, end = span.words[span.begin][0], span.words[span.last - 1][1]
    opened = start and text[start - 1] in _QUOTES
    return _true_signs(
        {
            "its article": article and span.name.article,
            "an article": article and not span.name.article,
            "no article": not article and not span.name.bare,
            "quoted": opened and any(sign in _QUOTES for sign in text[end : end + 2]),
            "year": YEAR.match(text, end),
            "subtitle": _SUBTITLE.match(text, end),
        }
    )


def _true_signs(conditions: Mapping[str, object]) -> list[str]:
    """List the names of the conditions that hold, in order."""
    return [sign for sign, holds in conditions.items() if holds]


def _context_signs(span: Span, before: str, after: str) -> list[str]:
    """List the features of the surrounding words."""
    text, words, keys, begin, last = span.text, span.words, span.keys, span.begin, span.last
    previous = keys[begin - 1] if begin and not _BREAK.search(before.strip(_QUOTES)) else ""
    following = keys[last] if last < len(words) and not _BREAK.search(after.strip(_QUOTES)) else ""
    if previous == "as" and "such" in keys[max(0, begin - 2) : begin]:
        previous = "like"
    nothing_else = last == len(words) or last == len(words) - 1 and keys[last] in _KIND

    def has_capital(word: int) -> bool:
        return word < len(words) and text[words[word][0]].isupper()

    return _true_signs(
        {
            "alone": begin == 0 and nothing_else,
            **{f"{sign} before": previous in cues for sign, cues in _BEFORE.items()},
            "seen near": not _SEEN.isdisjoint(keys[max(0, begin - 4) : begin]),
            "seen before, nothing after": not following
            and not _SEEN.isdisjoint(keys[max(0, begin - 3) : begin]),
            "kind after": following in _KIND,
            "says after": following in _SAYS and following not in _KIND,
            "numbered on": following in _ON or following.isdigit() and len(following) < 3,
            "capital after": following and has_capital(last) and following not in _SMALL | _KIND,
            "goes on": following in _LEADS and has_capital(last + 1),
            "capital before": previous
            and begin > 1
            and has_capital(begin - 1)
            and previous not in {"i", "im", "ive", *ARTICLES},
            "listed": begin and "," in before or last < len(words) and "," in after,
        }
    )


def _describe_capitals(span: Span, before: str) -> str:
    """Classify the capitalisation of the span."""
    text, words = span.text, span.words
    own = [text[start:end] for start, end in words[span.first : span.last]]
    telling = [word for word in own if word.lower() not in _SMALL] or own
    if span.capitals != "all" and all(word.isupper() and len(word) > 1 for word in telling):
        return "all capitals"
    opening = (
        _BREAK.search(before) is not None
        and span.begin == span.first
        and before.strip(" ,")[-1:] not in _QUOTES
    )
    if all(word[0].isupper() or word[0].isdigit() for word in telling):
        return "capital at the start" if opening and len(telling) == 1 else "capitals"
    if telling[0][0].isupper():
        return "first capital"
    return "small among capitals" if span.capitals == "some" else "small"


def _text_between(span: Span, word: int) -> str:
    """Return the text between a word and the next."""
    return span.text[span.words[word][1] : span.words[word + 1][0]]


WEIGHTS = {
    "1 words, 0 rare": -4.09,
    "1 words, 0 rare, all capitals": 1.76,
    "1 words, 0 rare, capital at the start": -1.58,
    "1 words, 0 rare, capitals": -0.14,
    "1 words, 0 rare, small": -2.04,
    "1 words, 0 rare, small among capitals": -2.09,
    "1 words, 1 rare": 0.56,
    "1 words, 1 rare, all capitals": 0.52,
    "1 words, 1 rare, capital at the start": 1.3,
    "1 words, 1 rare, capitals": -1.16,
    "1 words, 1 rare, small": 0.41,
    "1 words, 1 rare, small among capitals": -0.51,
    "2 words, 0 rare": -1.18,
    "2 words, 0 rare, capitals": 0.84,
    "2 words, 0 rare, first capital": -1.13,
    "2 words, 0 rare, small": -0.49,
    "2 words, 0 rare, small among capitals": -0.4,
    "2 words, 1 rare": 1.74,
    "2 words, 1 rare, capitals": 0.08,
    "2 words, 1 rare, first capital": 0.22,
    "2 words, 1 rare, small": 0.61,
    "2 words, 1 rare, small among capitals": 0.82,
    "2 words, 2 rare": -0.47,
    "2 words, 2 rare, capitals": -0.05,
    "2 words, 2 rare, first capital": -0.59,
    "2 words, 2 rare, small": 0.26,
    "2 words, 2 rare, small among capitals": -0.09,
    "3 words, 0 rare": 0.51,
    "3 words, 0 rare, capitals": 0.73,
    "3 words, 0 rare, first capital": 0.24,
    "3 words, 0 rare, small": -0.45,
    "3 words, 1 rare": 0.97,
    "3 words, 1 rare, capitals": 1.01,
    "3 words, 1 rare, first capital": 0.84,
    "3 words, 1 rare, small": -0.74,
    "3 words, 1 rare, small among capitals": -0.13,
    "3 words, 2 rare": 1.56,
    "3 words, 2 rare, capitals": 0.75,
    "3 words, 2 rare, small": 0.82,
    "all capitals": 2.28,
    "alone": 0.62,
    "an article": 0.21,
    "bias": -0.74,
    "capital at the start": -0.28,
    "capital before": -3.23,
    "capitals": 2.05,
    "digits": -1.9,
    "first capital": -0.42,
    "given name": -2.42,
    "given name, capital at the start": -0.52,
    "given name, capitals": -1.71,
    "given name, small": -0.18,
    "goes on": -0.43,
    "its article": 0.46,
    "kind after": 3.36,
    "kind before": 1.37,
    "known": 2.35,
    "known, 1 words, 0 rare": 0.12,
    "known, 1 words, 1 rare": 0.94,
    "known, 2 words, 0 rare": 0.39,
    "known, 2 words, 1 rare": 0.68,
    "known, 2 words, 2 rare": -0.19,
    "known, 3 words, 0 rare": 0.28,
    "known, 3 words, 1 rare": -0.09,
    "known, 3 words, 2 rare": 0.22,
    "liked before": 1.14,
    "listed": 0.46,
    "longer": -1.7,
    "newest before": 1.27,
    "no article": -0.67,
    "numbered on": -0.99,
    "person before": -0.98,
    "quoted": 3.48,
    "says after": 1.61,
    "seen before": 2.83,
    "seen before, nothing after": 1.02,
    "seen near": 0.6,
    "short": -2.84,
    "small": -1.63,
    "small among capitals": -2.39,
    "subtitle": -0.26,
    "year": 3.0,
}
"""Weights of the features, in log-odds; the weight of a year is set by hand, since years are rare in the
data."""
