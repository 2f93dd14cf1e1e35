"""Items by what they are called: exact, by the beginning, and with mistakes in it."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from openiir.kit.items.calling import Called, called
from openiir.kit.items.collection import Collection
from openiir.kit.items.titling import key, read_title


class Found(NamedTuple):
    """An item whose name is like a text."""

    item: int
    score: float
    """0 to 1, 1 for a name that is the text."""


class Titles:
    """The names of a collection's items; each part of it is made when first asked for.

    Names are compared by their key (`titling.key`): case, accents, quotes, punctuation, articles in front or behind a
    comma, "&" or "and", and how numbers are written make no difference. A year in parentheses is no part of a name:
    where a text has one, items of other years are left out as long as one of this year is there.
    """

    def __init__(self, collection: Collection) -> None:
        self.collection = collection

    def exact(self, text: str, year: str = "") -> tuple[int, ...]:
        """The items that have a name with the text's key, those whose main name it is first, then by index."""
        names, said = read_title(text)
        found = self.by_key.get(key(names[0]), ())
        return self.of_year(found, year or said)

    def prefix(self, text: str, limit: int = 10) -> tuple[int, ...]:
        """The items with a name whose key begins with the text's, in order of key, each once."""
        start = key(text)
        found: dict[int, None] = {}
        keys = self.sorted_keys
        for at in range(bisect_left(keys, start), len(keys)):
            if len(found) >= limit or not keys[at].startswith(start):
                break
            found.update(dict.fromkeys(self.by_key[keys[at]]))
        return tuple(found)[:limit]

    def fuzzy(self, text: str, limit: int = 5, least: float = 0.7) -> tuple[Found, ...]:
        """The items whose names are most like the text, the most alike first, then by index.

        The score is 1 - d / (m + n) for keys of m and n signs that d insertions and deletions part; `least` is the
        lowest that counts.
        """
        from rapidfuzz import fuzz, process

        names, said = read_title(text)
        wanted = key(names[0])
        alike = process.extract(
            wanted, self.sorted_keys, scorer=fuzz.ratio, score_cutoff=100 * least, limit=4 * limit
        )
        best: dict[int, float] = {}
        for name, score, _ in alike:
            for item in self.of_year(self.by_key[name], said):
                best.setdefault(item, score / 100)
        order = sorted(best, key=lambda item: (-best[item], item))
        return tuple(Found(item, best[item]) for item in order[:limit])

    def of_year(self, items: Sequence[int], year: str) -> tuple[int, ...]:
        """Those items that are of this year, or all where none is or no year is said."""
        return tuple(item for item in items if year and year == self.years[item]) or tuple(items)

    @cached_property
    def by_key(self) -> Mapping[str, tuple[int, ...]]:
        """The items by the keys of their names, those whose main name it is first."""
        names = self.called
        first: dict[str, list[int]] = {}
        for name, item, main in zip(names.keys, names.items, names.main, strict=True):
            if main:
                first.setdefault(name, []).append(item)
        for name, item, main in zip(names.keys, names.items, names.main, strict=True):
            if not main and item not in (known := first.setdefault(name, [])):
                known.append(item)
        return {name: tuple(items) for name, items in first.items()}

    @cached_property
    def sorted_keys(self) -> Sequence[str]:
        """All keys, in order."""
        return sorted(self.by_key)

    @cached_property
    def years(self) -> Sequence[str]:
        """Each item's year: of its title, or else the first of its attribute `year`; empty where nobody says."""
        known = self.collection.attributes.get("year", ())
        told = [values[0] if values else "" for values in known] or [""] * len(self.collection)
        return [year or other for year, other in zip(self.called.years, told, strict=True)]

    @cached_property
    def called(self) -> Called:
        """The items' names as they stand in their titles."""
        return called(self.collection.titles)
