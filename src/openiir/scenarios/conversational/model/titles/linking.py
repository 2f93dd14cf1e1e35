"""Entity linking: find the titles of a collection's items in free text."""

import re
from collections.abc import Collection as Some
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from openiir.kit.items.collection import Collection
from openiir.scenarios.conversational.model.titles.evidence import YEAR, Span, capitals_of, probability
from openiir.scenarios.conversational.model.titles.title_index import (
    ARTICLES,
    HEAD,
    TitleNameIndex,
    Titles,
    word_key,
)

LEAST = 0.75
"""Decision threshold: the lowest probability of an accepted mention."""
LISTED = 0.4
"""Factor that lowers the threshold next to another title in a list."""
_LONGEST = 14
"""Maximum number of words of a title that is searched for."""
_TELLING = 7
"""Minimum number of letters of a name that is recognised despite different spaces."""
_KEPT = 4_096
"""Number of cached texts."""
_PASSES = 3
"""Number of passes over lists; each extends the lowered threshold to further titles of a list."""
_LIST = re.compile(r"[\s\"”]*(?:,|,? (?:and|or|&) )[\s\"“]*(?:(?:and|or) )?", re.IGNORECASE)
_POSSESSIVE = ("'s", "’s")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*|&")


@dataclass(frozen=True)
class TitleMention:
    """A mention of an item's title in a text."""

    start: int
    end: int
    """Character offset of the end, without a following year; `start` is that of the beginning."""
    text: str
    """Words of the mention."""
    title: str
    """Normalised key of the matched name."""
    items: tuple[int, ...]
    """Items with this name; only those of a following year, if there are any."""
    score: float
    """Probability that a title is meant."""


class Linker:
    """Links titles in free text to the items of a collection.

    A name is found in any spelling that has its key (`title_index.key`), with or without spaces. Whether it
    is meant as a title is judged by the words around it (`evidence.probability`). Of spans that overlap, the
    longer one is kept, then the more likely, then the first. Beside a title in a list ("Saw and The Purge")
    less is enough.
    """

    def __init__(self, collection: Collection, titles: Titles | None = None, least: float = LEAST) -> None:
        self.titles = titles or Titles(collection)
        self.least = least
        self.spans = lru_cache(_KEPT)(self._find_spans)
        """Function from a text to its candidate spans; cached, since utterances are read again as context."""

    def link(self, text: str, known: Some[int] = ()) -> tuple[TitleMention, ...]:
        """Find the mentions in a text, in order; `known` are items already named in the dialogue."""
        seen = frozenset(known)
        scored = [
            (probability(span, not seen.isdisjoint(span.name.items)), span) for span in self.spans(text)
        ]
        scored.sort(key=lambda one: (one[1].begin - one[1].last, -one[0], one[1].begin))
        kept = [*_select_spans(scored, self.least)]
        for _ in range(_PASSES):
            kept += _select_spans(scored, self.least * LISTED, kept)
        return tuple(
            sorted((self._mention(span, score) for score, span in kept), key=lambda mention: mention.start)
        )

    def _find_spans(self, text: str) -> list[Span]:
        """Find all word sequences that match a name, with a preceding article."""
        words = [(found.start(), found.end()) for found in _WORD.finditer(text)]
        keys = [word_key(text[start:end]) for start, end in words]
        capitals = capitals_of(text, words)
        found = []
        names, heads = self.names, self.names.longest_by_head
        for first in range(len(words)):
            key = letters = ""
            for last in range(first + 1, min(first + _LONGEST, len(words)) + 1):
                word = keys[last - 1]
                key = f"{key} {word}" if key else word
                letters += word.replace(" ", "")
                # A letter more than the longest: a possessive loses its last one.
                if len(letters) >= HEAD + 1 and heads.get(letters[:HEAD], 0) + 1 < len(letters):
                    break
                name = names.get(key, letters)
                if name is None and text[words[last - 1][1] - 2 : words[last - 1][1]] in _POSSESSIVE:
                    name = names.get(key[:-1])
                if name is not None and (
                    last - first == name.key.count(" ") + 1 or len(key) - key.count(" ") >= _TELLING
                ):
                    begin = first - 1 if first and keys[first - 1] in ARTICLES else first
                    found.append(Span(text, words, keys, capitals, begin, first, last, name))
        return found

    @cached_property
    def names(self) -> TitleNameIndex:
        """Index of the names that are searched for."""
        return TitleNameIndex(self.titles)

    def _mention(self, span: Span, score: float) -> TitleMention:
        start, end = span.words[span.begin][0], span.words[span.last - 1][1]
        year = YEAR.match(span.text, end)
        items = self.titles.of_year(span.name.items, year[1] if year else "")
        return TitleMention(start, end, span.text[start:end], span.name.key, items, score)


def _select_spans(
    scored: Sequence[tuple[float, Span]], least: float, beside: Sequence[tuple[float, Span]] | None = None
) -> Iterator[tuple[float, Span]]:
    """Yield spans above a threshold that do not overlap; with `beside`, only those adjacent to it in a
    list."""
    taken = {word for _, span in beside or () for word in range(span.begin, span.last)}
    begins = {span.begin: span for _, span in beside or ()}
    ends = {span.last: span for _, span in beside or ()}
    for score, span in scored:
        if score < least or not taken.isdisjoint(range(span.begin, span.last)):
            continue
        near: list[tuple[Span | None, Span | None]] = [(ends.get(span.begin - n), span) for n in (0, 1)]
        near += [(span, begins.get(span.last + n)) for n in (0, 1)]
        if beside is None or any(one and other and _are_listed(one, other) for one, other in near):
            taken.update(range(span.begin, span.last))
            if beside is not None:
                begins[span.begin], ends[span.last] = span, span
            yield score, span


def _are_listed(one: Span, other: Span) -> bool:
    """Whether nothing but a comma, "and" or "or" stands between two spans."""
    return bool(_LIST.fullmatch(one.text, one.words[one.last - 1][1], one.words[other.begin][0]))
