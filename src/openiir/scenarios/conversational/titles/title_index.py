"""Index of a collection's items by every spelling of their titles."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from openiir.kit.items.collection import Collection
from openiir.scenarios.conversational.titles.title_text import (
    ARTICLES,
    Title,
    key,
    key_of,
    normalise,
    read_title,
)


class TitleName(NamedTuple):
    """One name of an item, taken from its title."""

    key: str
    item: int
    main: bool
    """Whether it is the main name; alternative names stand in parentheses."""
    article: bool
    """Whether the name begins with an article."""


class Titles:
    """Index of a collection's titles by normalised key; parts are built on first use.

    Names are compared by their key (`title_text.key`): case, accents, quotes, punctuation, articles in front or behind a
    comma, "&" or "and", and how numbers are written make no difference. A year in parentheses is no part of a name:
    where a text has one, items of other years are left out as long as one of this year is there.
    """

    def __init__(self, collection: Collection) -> None:
        self.collection = collection

    def exact(self, text: str, year: str = "") -> tuple[int, ...]:
        """Find items that have a name with the text's key, matches of main names first, then by index."""
        names, year_in_text = read_title(text)
        return self.of_year(self.by_key.get(key(names[0]), ()), year or year_in_text)

    def of_year(self, items: Sequence[int], year: str) -> tuple[int, ...]:
        """Select the items of this year; all items if none is of it or no year is given."""
        return tuple(item for item in items if year and year == self.years[item]) or tuple(items)

    @cached_property
    def by_key(self) -> Mapping[str, tuple[int, ...]]:
        """Key to items, those with it as main name first."""
        items: dict[str, dict[int, None]] = {}
        for name in sorted(self.names, key=lambda name: not name.main):
            items.setdefault(name.key, {})[name.item] = None
        return {key: tuple(found) for key, found in items.items()}

    @cached_property
    def names(self) -> Sequence[TitleName]:
        """Names in all titles, in item order."""
        found = []
        for item, title in enumerate(self._read):
            for n, name in enumerate(title.names):
                words = normalise(name)
                first, _, rest = words.partition(" ")
                found.append(TitleName(key_of(words), item, n == 0, first in ARTICLES and rest != ""))
        return found

    @cached_property
    def short_names(self) -> Sequence[str]:
        """For each item, the key of its main name up to a colon; empty without a colon."""
        heads = (title.names[0].partition(": ") for title in self._read)
        return [key_of(normalise(head)) if colon else "" for head, colon, _ in heads]

    @cached_property
    def years(self) -> Sequence[str]:
        """Year of each item, from its title or else its attribute `year`; empty if unknown."""
        known = self.collection.attributes.get("year", ())
        attribute = [values[0] if values else "" for values in known] or [""] * len(self.collection)
        return [title.year or other for title, other in zip(self._read, attribute, strict=True)]

    @cached_property
    def _read(self) -> Sequence[Title]:
        return [read_title(title) for title in self.collection.titles]
