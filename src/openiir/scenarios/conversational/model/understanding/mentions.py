"""Detection of titles and values in a text, and masking, so that no pattern matches inside them."""

import re
from collections.abc import Collection as Some
from collections.abc import Sequence
from typing import NamedTuple

from openiir.kit.items import Collection
from openiir.scenarios.conversational.model.titles.gazetteer import Gazetteer, ValueMention
from openiir.scenarios.conversational.model.titles.linking import Linker
from openiir.scenarios.conversational.model.understanding.cues import (
    FILL,
    MOST,
    TITLE_SIGN,
    VALUE_SIGN,
    SlotLexicon,
)

_NAMED = re.compile(
    r"(?:(?P<sure>\bnamed\s+|\b[Dd]o you like:\s*|(?:^|[\n:] *|\s)\d{1,2}[:.)]\s+|\n\d{1,2}\s{2,})"
    r"|\b(?:[Hh]ow about|[Ww]hat about|[Rr]ecommend(?: you)?|[Ss]uggest(?: you)?|[Tt]ry|[Cc]heck out|[Ss]een"
    r"|[Ww]atched|titled)\s+)(?P<title>[\"“']?[^\n?!]{1,120}?)(?=\s*(?:\(\d{4}\))?\s*(?:[\"”']?\s*(?:[?!\n]"
    r"|(?<!\b[A-Z])\.(?:\s|$)|$)|\s\d{1,2}[:.)]\s|\s\d+(?:\.\d+)? \d+ min))"
)
"""Pattern of the places where systems put titles: after recommending words, in numbered lists, or on cards.

Where it is `sure`, or a year in brackets follows, what stands there is a title even if no item has it.
"""
_DASH = re.compile(r"\s+[-–—]\s+")
_NO_TITLE = frozenset(
    {"it", "this", "that", "one", "this one", "that one", "them", "these", "those", "any", "something"}
)
_BRACKETED = re.compile(r"\s*[(\[]((?:18|19|20)\d\d)[)\]]")
_STARTS = re.compile(r"(?<!\S)\S")


class MaskedText(NamedTuple):
    """A lower-case text in which private-use characters replace each mention, at unchanged length."""

    text: str
    mentions: Sequence[ValueMention]


class MentionFinder:
    """Finds mentions of a catalogue's titles and values in a text."""

    def __init__(self, collection: Collection, slots: SlotLexicon) -> None:
        self.collection, self._title_slot = collection, slots.title
        self.linker = Linker(collection)
        by_role = sorted(
            collection.attributes, key=lambda name: name.lower().startswith(("direct", "writ", "author"))
        )
        self.gazetteer = Gazetteer(collection, by_role)  # people are actors where nothing says what else

    def find_masked(self, text: str, known: Some[int] = (), named: bool = False) -> MaskedText:
        """Find and mask the mentions in a text; titles take precedence over values where they overlap.

        `named` looks a system's way of naming items up too, for titles that are common words.
        """
        mentions = self._find_named(text) if named else []
        taken = [(mention.start, mention.end) for mention in mentions]
        for link in self.linker.link(text, known):
            end = _year_end(text, link.end)
            letter = link.end - link.start == 1 and end == link.end and text[link.start] in "AaIi"
            if _is_free(link.start, end, taken) and not letter:
                items = self._exact(text, link.start, end) if end > link.end else link.items
                mentions.append(self._title(items, link.start, end, text[link.start : end]))
                taken.append((link.start, end))
        mentions += self._find_dated(text, taken)
        for value in self.gazetteer.find(text):
            contracted = text.startswith(("I'", "I’"), value.start)
            if _is_free(value.start, value.end, taken) and not contracted:
                mentions.append(value)
        mentions.sort(key=lambda mention: mention.start)
        return MaskedText(_mask(_lower(text), mentions[:MOST]), mentions[:MOST])

    def _find_named(self, text: str) -> list[ValueMention]:
        whole = len(text) - len(text.lstrip()), len(text.rstrip(" .\n"))
        if items := self._exact(text, *whole):
            return [self._title(items, *whole)]
        found = []
        for match in _NAMED.finditer(text):
            start, end = match.span("title")
            quoted = text[start] in "\"“'" and end - start > 1
            start += quoted
            if text[start:end].lower() in _NO_TITLE and not match["sure"] and text[end : end + 2] != " (":
                continue
            last = _year_end(text, end)
            items = self._exact(text, start, last)
            if not items and (dash := _DASH.search(text, start, end)):
                items = self._exact(text, start, dash.start())
                last = dash.start() if items else last
            dated = last > end and not text[start].islower() and not _BRACKETED.search(text, start, end)
            if items or match["sure"] or dated:
                found.append(self._title(items, start, last, text[start:last]))
        return found

    def _exact(self, text: str, start: int, end: int) -> tuple[int, ...]:
        """Find the items with the title at this place; none if a bracketed year differs by more than one."""
        titles = self.linker.titles
        items = titles.exact(text[start:end])
        year = _BRACKETED.search(text, max(start, end - 8), end)
        if items and year and titles.years[items[0]] and abs(int(titles.years[items[0]]) - int(year[1])) > 1:
            return ()
        return items

    def _find_dated(self, text: str, taken: list[tuple[int, int]]) -> list[ValueMention]:
        """Find the longest titles before a bracketed year that an item of this year has; add them to
        `taken`."""
        found = []
        for year in _BRACKETED.finditer(text):
            end, titles = year.end(), self.linker.titles
            words = [*_STARTS.finditer(text, max(0, year.start() - 80), year.start())][-10:]
            for start in (word.start() for word in words):
                items = titles.exact(text[start:end]) if _is_free(start, end, taken) else ()
                if items and titles.years[items[0]] == year[1]:
                    found.append(self._title(items, start, end))
                    taken.append((start, end))
                    break
        return found

    def _title(self, items: tuple[int, ...], start: int, end: int, unknown: str = "") -> ValueMention:
        title = self.collection.titles[items[0]] if items else unknown.strip()
        return ValueMention(self._title_slot, title, start, end, items, True)


def _year_end(text: str, end: int) -> int:
    """Return the end of a bracketed year after a title, or else the end of the title."""
    year = _BRACKETED.match(text, end)
    return year.end() if year else end


def _is_free(start: int, end: int, taken: Sequence[tuple[int, int]]) -> bool:
    return all(end <= other or start >= last for other, last in taken)


def _lower(text: str) -> str:
    """Convert to lower case and straight quotes without changing the length."""
    lower = text.lower()
    if len(lower) != len(text):
        lower = "".join(sign.lower() if len(sign.lower()) == 1 else sign for sign in text)
    return lower.translate(_STRAIGHT)


_STRAIGHT = {0x2019: "'", 0x2018: "'", 0x201C: '"', 0x201D: '"'} | dict.fromkeys(range(0xE000, 0xF001), " ")


def _mask(lower: str, mentions: Sequence[ValueMention]) -> str:
    parts, at = [], 0
    for n, mention in enumerate(mentions):
        sign = chr((TITLE_SIGN if mention.title else VALUE_SIGN) + n)
        parts += [lower[at : mention.start], sign, FILL * (mention.end - mention.start - 1)]
        at = mention.end
    return "".join([*parts, lower[at:]])
