"""Items by their titles: an index of every spelling of a collection's titles."""

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
    """A name of an item, as its title gives it."""

    key: str
    item: int
    main: bool
    """Whether it is the item's main name; others stand in parentheses."""
    article: bool
    """Whether it begins with an article."""


class Titles:
    """The titles of a collection's items, indexed by key; each index is built on first use.

    Names are compared by their key (`title_text.key`): case, accents, quotes, punctuation, articles in front or behind a
    comma, "&" or "and", and how numbers are written make no difference. A year in parentheses is no part of a name:
    where a text has one, items of other years are left out as long as one of this year is there.
    """

    def __init__(self, collection: Collection) -> None:
        self.collection = collection

    def exact(self, text: str, year: str = "") -> tuple[int, ...]:
        """Items that have a name with the text's key: those whose main name it is first, then by index."""
        names, year_in_text = read_title(text)
        return self.of_year(self.by_key.get(key(names[0]), ()), year or year_in_text)

    def of_year(self, items: Sequence[int], year: str) -> tuple[int, ...]:
        """The items of this year; all of them where none is of it or no year is given."""
        return tuple(item for item in items if year and year == self.years[item]) or tuple(items)

    @cached_property
    def by_key(self) -> Mapping[str, tuple[int, ...]]:
        """Items by the keys of their names, those whose main name it is first."""
        items: dict[str, dict[int, None]] = {}
        for name in sorted(self.names, key=lambda name: not name.main):
            items.setdefault(name.key, {})[name.item] = None
        return {key: tuple(found) for key, found in items.items()}

    @cached_property
    def names(self) -> Sequence[TitleName]:
        """The names in all titles, in order of item."""
        found = []
        for item, title in enumerate(self._read):
            for n, name in enumerate(title.names):
                words = normalise(name)
                first, _, rest = words.partition(" ")
                found.append(TitleName(key_of(words), item, n == 0, first in ARTICLES and rest != ""))
        return found

    @cached_property
    def short_names(self) -> Sequence[str]:
        """For each item the key of what stands before a colon in its main name; empty without."""
        heads = (title.names[0].partition(": ") for title in self._read)
        return [key_of(normalise(head)) if colon else "" for head, colon, _ in heads]

    @cached_property
    def years(self) -> Sequence[str]:
        """Each item's year: of its title, or else the first of its attribute `year`; empty where neither has one."""
        known = self.collection.attributes.get("year", ())
        attribute = [values[0] if values else "" for values in known] or [""] * len(self.collection)
        return [title.year or other for title, other in zip(self._read, attribute, strict=True)]

    @cached_property
    def _read(self) -> Sequence[Title]:
        return [read_title(title) for title in self.collection.titles]
