"""Inverted index of a collection, from attribute values to items."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from openiir.kit.arrays import Ints
from openiir.kit.items.collection import Collection

_NOTHING: Ints = np.empty(0, dtype=np.int64)
_NOTHING.flags.writeable = False
_KEPT = 4_096
"""Maximum number of cached sets of constraints; `_ROOM` limits the item indices in all of them (32 MB)."""
_ROOM = 4_000_000


@dataclass(frozen=True, eq=False)
class Facets:
    """Inverted index from attribute values to items; indices ascend, and arrays are read-only."""

    collection: Collection
    _found: dict[frozenset[tuple[str, str]], Ints] = field(default_factory=dict, repr=False)
    _held: list[int] = field(default_factory=lambda: [0], repr=False)

    @cached_property
    def by_value(self) -> Mapping[str, Mapping[str, Ints]]:
        """Slot to value to items; values are in the order of their first occurrence."""
        found: dict[str, dict[str, Ints]] = {}
        for slot, column in sorted(self.collection.attributes.items()):
            items: dict[str, list[int]] = {}
            for n, values in enumerate(column):
                for value in dict.fromkeys(values):
                    items.setdefault(value, []).append(n)
            found[slot] = {value: _read_only(np.array(ns, dtype=np.int64)) for value, ns in items.items()}
        return found

    @property
    def slots(self) -> tuple[str, ...]:
        """Names of the collection's attributes, sorted."""
        return tuple(sorted(self.collection.attributes))

    def values(self, slot: str) -> tuple[str, ...]:
        """Return all values of a slot; empty for an unknown slot."""
        return tuple(self.by_value.get(slot, ()))

    def having(self, slot: str, value: str) -> Ints:
        """Return the items that have a value in a slot."""
        return self.by_value.get(slot, {}).get(value, _NOTHING)

    def satisfying(self, constraints: Iterable[tuple[str, str]]) -> Ints:
        """Return the items that have all these (slot, value) pairs; all items if there are none."""
        pairs = frozenset(constraints)
        found = self._found.get(pairs)
        if found is None:
            lists = sorted((self.having(*pair) for pair in pairs), key=len)
            found = lists[0] if lists else _read_only(np.arange(len(self.collection)))
            for items in lists[1:]:
                found = _read_only(np.intersect1d(found, items, assume_unique=True))
            if len(self._found) >= _KEPT or self._held[0] + len(found) > _ROOM:
                self._found.clear()
                self._held[0] = 0
            self._found[pairs] = found
            self._held[0] += len(found)
        return found


def _read_only(items: Ints) -> Ints:
    items.flags.writeable = False
    return items
