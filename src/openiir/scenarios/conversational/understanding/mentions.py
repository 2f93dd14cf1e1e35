"""Titles and values that a text names, and the text with them masked, so that no pattern reads inside them."""

import re
from collections.abc import Collection as Some
from collections.abc import Sequence
from typing import NamedTuple

from openiir.kit.dialogue import Slot
from openiir.kit.items import Collection
from openiir.kit.items.gazetteer import Gazetteer
from openiir.kit.items.linking import Linker
from openiir.scenarios.conversational.understanding.cues import FILL, MOST, TITLE_SIGN, VALUE_SIGN
from openiir.scenarios.conversational.understanding.slotting import Slots

_NAMED = re.compile(
    r"(?:\b(?:[Hh]ow about|[Ww]hat about|[Rr]ecommend(?: you)?|[Ss]uggest(?: you)?|[Tt]ry|named|[Cc]heck out|[Ss]een|[Ww]atched|titled)\s+"
    r"|[Dd]o you like:\s*|^\s*|(?:^|[\n:] *|\s)\d+[:.)]\s+)"
    r"(?P<title>[\"“']?[^\n?!]{1,120}?)"
    r"(?=\s*(?:\(\d{4}\))?\s*(?:[\"”']?\s*(?:[?!\n]|\.(?:\s|$)|$)|\s\d+[:.)]\s|\s\d+(?:\.\d+)? \d+ min))"
)
"""Where systems put titles: behind words that recommend, in a numbered list, on a card, or alone in a line."""

_BRACKETED = re.compile(r"\s*[(\[](?:18|19|20)\d\d[)\]]")


class Mention(NamedTuple):
    """A title or value, and where it stands."""

    slot: str
    value: str
    """As the catalogue spells it."""
    start: int
    end: int
    items: tuple[int, ...] = ()
    """Of a title: the items that have it."""

    def as_slot(self) -> Slot:
        """The mention as a slot of an act."""
        return Slot.of_own(slot=self.slot, value=self.value, start=self.start, end=self.end)


class Masked(NamedTuple):
    """A text in lower case with a sign in place of each mention, of the same length as the text."""

    text: str
    mentions: Sequence[Mention]

    def within(self, start: int, end: int) -> list[Mention]:
        """The mentions that begin between two places."""
        return [mention for mention in self.mentions if start <= mention.start < end]


class Spotter:
    """Finds the mentions of a catalogue's titles and values."""

    def __init__(self, collection: Collection, slots: Slots) -> None:
        self.collection, self._title_slot = collection, slots.title
        self.linker = Linker(collection)
        by_role = sorted(
            collection.attributes, key=lambda name: name.lower().startswith(("direct", "writ", "author"))
        )
        self.gazetteer = Gazetteer(collection, by_role)  # people are actors where nothing says what else

    def spot(self, text: str, known: Some[int] = (), named: bool = False) -> Masked:
        """The mentions in a text, titles before values where they overlap.

        `named` looks a system's way of naming items up too, for titles that are common words.
        """
        mentions = self._named(text) if named else []
        taken = [(mention.start, mention.end) for mention in mentions]
        for link in self.linker.link(text, known):
            end = self._year_end(text, link.end)
            if _apart(link.start, end, taken):
                mentions.append(self._title(link.items, link.start, end))
                taken.append((link.start, end))
        for value in self.gazetteer.find(text):
            if _apart(value.start, value.end, taken):
                mentions.append(Mention(value.slot, value.value, value.start, value.end))
        mentions.sort(key=lambda mention: mention.start)
        return Masked(_mask(_lower(text), mentions[:MOST]), mentions[:MOST])

    def _named(self, text: str) -> list[Mention]:
        found = []
        for match in _NAMED.finditer(text):
            start, end = match.span("title")
            quoted = text[start] in "\"“'" and end - start > 1
            start += quoted
            last = self._year_end(text, end)
            if items := self.linker.titles.exact(text[start:last]):
                found.append(self._title(items, start, last))
        return found

    def _year_end(self, text: str, end: int) -> int:
        """Where a year in brackets ends that stands behind a title; else where the title does."""
        year = _BRACKETED.match(text, end)
        return year.end() if year else end

    def _title(self, items: tuple[int, ...], start: int, end: int) -> Mention:
        return Mention(self._title_slot, self.collection.titles[items[0]], start, end, items)


def _apart(start: int, end: int, taken: Sequence[tuple[int, int]]) -> bool:
    return all(end <= other or start >= last for other, last in taken)


def _lower(text: str) -> str:
    """In lower case with straight quotes, of the same length."""
    lower = text.lower()
    if len(lower) != len(text):
        lower = "".join(sign.lower() if len(sign.lower()) == 1 else sign for sign in text)
    return lower.translate(_STRAIGHT)


_STRAIGHT = {0x2019: "'", 0x2018: "'", 0x201C: '"', 0x201D: '"'} | dict.fromkeys(range(0xE000, 0xF001), " ")


def _mask(lower: str, mentions: Sequence[Mention]) -> str:
    parts, at = [], 0
    for n, mention in enumerate(mentions):
        sign = chr((TITLE_SIGN if mention.items else VALUE_SIGN) + n)
        parts += [lower[at : mention.start], sign, FILL * (mention.end - mention.start - 1)]
        at = mention.end
    return "".join([*parts, lower[at:]])
