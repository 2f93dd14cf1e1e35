"""Data that reference systems share: catalogue indexes, popularity, information gains and title look-up."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from openiir.kit.items import Collection, Ratings
from openiir.plugin import int_sum, order_by, quantise
from openiir.scenarios.conversational.model.dialogue import Act, Dialogue
from openiir.scenarios.conversational.model.titles.facets import Facets
from openiir.scenarios.conversational.model.titles.title_index import Titles

Ints = NDArray[np.int64]
Pair = tuple[str, str]
"""A (slot, value) pair."""
LONGEST_TITLE = 300
"""Maximum number of characters of a title; items with a longer title, or none, are never recommended, since a
turn could not name them."""
LONGEST_ID = 200
"""Maximum number of characters of an item id, as limited by the reply format."""
ASKABLE = 40.0
"""Maximum number of characters of a slot's values, on average, for the slot to be elicited; this excludes
plots."""
_ROOM = 4_000_000
"""Maximum number of item indices in the cache of rankings (32 MB)."""


@dataclass(frozen=True, eq=False)
class SystemKnowledge:
    """Data from which reference systems are built, shared by all systems of a run.

    Arrays cannot be written to. Everything is found when first asked for and then kept.
    """

    collection: Collection
    facets: Facets
    ratings: Ratings | None = None
    """Training ratings of the collection's items; None counts as no ratings."""
    read: Callable[[str], tuple[Act, ...]] | None = None
    """Function that reads acts from a user's words; with None, words are not understood."""
    dialogues: Callable[[str], tuple[Dialogue, ...]] | None = None
    """Function from a file name to past dialogues."""
    titles: Titles | None = None
    """Title index of the collection, if already built."""
    _orders: dict[tuple[frozenset[Pair], frozenset[Pair]], Ints] = field(default_factory=dict, repr=False)
    _held: list[int] = field(default_factory=lambda: [0], repr=False)

    @cached_property
    def order(self) -> Ints:
        """Items that can be recommended, by number of ratings, ties by index."""
        can = [
            title.strip() != "" and len(title) <= LONGEST_TITLE and len(id) <= LONGEST_ID
            for id, title in zip(self.collection.ids, self.collection.titles, strict=True)
        ]
        items = np.flatnonzero(np.array(can, dtype=bool))
        if self.ratings is not None:
            items = items[order_by(-self.ratings.counts[items])]
        items.flags.writeable = False
        return items

    @cached_property
    def rank(self) -> Ints:
        """(items,): rank of each item in `order`; the number of items for one that cannot be recommended."""
        rank = np.full(len(self.collection), len(self.collection), dtype=np.int64)
        rank[self.order] = np.arange(len(self.order))
        rank.flags.writeable = False
        return rank

    def rank_items(self, wanted: Iterable[Pair], unwanted: Iterable[Pair] = ()) -> Ints:
        """Rank the items with all wanted values and no unwanted one, the most rated first."""
        key = (frozenset(wanted), frozenset(unwanted))
        found = self._orders.get(key)
        if found is None:
            found = self._rank(*key)
            found.flags.writeable = False
            self._held[0] += len(found)
            if self._held[0] > _ROOM:
                self._orders.clear()
                self._held[0] = len(found)
            self._orders[key] = found
        return found

    def _rank(self, wanted: frozenset[Pair], unwanted: frozenset[Pair]) -> Ints:
        if not wanted and not unwanted:
            return self.order
        has = np.zeros(len(self.collection), dtype=bool)
        has[self.facets.satisfying(wanted)] = True
        for pair in unwanted:
            has[self.facets.having(*pair)] = False
        if (items := np.flatnonzero(has)).size * 16 > len(has):
            return self.order[has[self.order]]
        items = items[self.rank[items] < len(has)]
        return items[order_by(self.rank[items])]

    def gains(self, wanted: Iterable[Pair]) -> tuple[tuple[str, float], ...]:
        """Rank slots by the expected information gain of asking for them, in nats.

        The item sought is taken to be any of those with all values wanted, and the answer any of its values
        in the slot. Then an answer tells I(item; value) = H(value) - E[ln k], k being the number of values of
        an item, times the share of items that have a value there, as whoever does not know an answer tells
        nothing. Ties go to the name. Entropy is also what Deng et al. (arXiv 2105.09710) narrow the
        attributes to ask for by.
        """
        return self._rank_slots(frozenset(wanted))

    @cached_property
    def _rank_slots(self) -> Callable[[frozenset[Pair]], tuple[tuple[str, float], ...]]:
        @lru_cache(maxsize=65_536)
        def rank_slots(wanted: frozenset[Pair]) -> tuple[tuple[str, float], ...]:
            items = self.facets.satisfying(wanted)
            every = ((slot, self._gain(slot, items)) for slot in self._values)
            return tuple(sorted((s for s in every if s[1] > 0), key=lambda s: (-s[1], s[0])))

        return rank_slots

    def _gain(self, slot: str, items: Ints) -> float:
        starts, values, size = self._values[slot]
        count = starts[items + 1] - starts[items]
        items = items[count > 0]
        if not len(items):
            return 0.0
        share, count = len(items) / len(count), count[count > 0]
        ends = np.cumsum(count)
        places = np.repeat(starts[items] - ends + count, count) + np.arange(ends[-1])
        weights = np.repeat(1.0 / count, count) / len(items)
        chance = np.bincount(values[places], weights, size)
        chance = chance[chance > 0]
        return float(quantise(share * (np.log(count).mean() * -1.0 - (chance * np.log(chance)).sum())))

    @cached_property
    def _values(self) -> Mapping[str, tuple[Ints, Ints, int]]:
        """Index the values of each slot that can be elicited: row starts, value numbers, and their count."""
        found = {}
        for slot in self.facets.slots:
            names = self.facets.values(slot)
            if not names or int_sum(map(len, names)) > ASKABLE * len(names):
                continue
            number = {value: n for n, value in enumerate(names)}
            rows = [
                [number[value] for value in dict.fromkeys(row)] for row in self.collection.attributes[slot]
            ]
            starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
            found[slot] = (starts, np.array([n for row in rows for n in row], dtype=np.int64), len(names))
        return found

    @cached_property
    def _spellings(self) -> Mapping[str, Mapping[str, str]]:
        return {
            slot: {v.casefold(): v for v in reversed(self.facets.values(slot))} for slot in self.facets.slots
        }

    def pair(self, slot: str, value: str) -> Pair:
        """Return a slot and value in the catalogue's spelling, ignoring case; unchanged if unknown."""
        if slot not in self._spellings:
            slot = slot.lower()
        return slot, self._spellings.get(slot, {}).get(value.casefold(), value)

    def has(self, item: int, pair: Pair) -> bool:
        """Whether an item has a (slot, value) pair."""
        return pair[1] in self.collection.values(pair[0], item)

    @cached_property
    def _items_by_title(self) -> Mapping[str, tuple[int, ...]]:
        found: dict[str, tuple[int, ...]] = {}
        for item, title in enumerate(self.collection.titles):
            found[title] = (*found.get(title, ()), item)
        return found

    @cached_property
    def _titles(self) -> Titles:
        return self.titles or Titles(self.collection)

    def items_titled(self, title: str) -> tuple[int, ...]:
        """Find items by title: by the exact spelling, or else by the normalised one."""
        return self._items_by_title.get(title) or self._titles.exact(title)
