"""A collection: items with their titles, attributes (such as genres) and texts."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Literal

from openiir.plugin import InputError

Kind = Literal["movie", "game", "book", "item"]

TEXTS = ("summaries", "descriptions", "captions", "images")
"""Names of a collection's text columns, each with one text for each item."""
UNSAID = ""
"""Placeholder for a missing text."""


@dataclass(frozen=True, eq=False)
class Collection:
    """Items of a data set in a fixed order, with titles, attributes and texts.

    An item's index is its place in every column here and in every Ratings of the collection.
    Raises InputError where columns are not of one length or an id comes twice.
    """

    kind: Kind
    """Noun for an item in prompts and on pages."""
    ids: tuple[str, ...]
    """Ids of the items, as the data set has them."""
    titles: tuple[str, ...]
    attributes: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)
    """Values of each item by attribute (`genre`, `director`, `actor`, `year`, `author`, `publisher`, `tag`,
    ...); an empty tuple where unknown."""
    summaries: tuple[str, ...] = ()
    """One sentence about each item, shown on a page; empty for items without one, or as a whole."""
    descriptions: tuple[str, ...] = ()
    """Two or three sentences about each item, shown when it is opened."""
    captions: tuple[str, ...] = ()
    """Description of each item's picture in words."""
    images: tuple[str, ...] = ()
    """File or URL of each item's picture."""

    def __post_init__(self) -> None:
        n = len(self.ids)
        if len(set(self.ids)) < n:
            twice = Counter(self.ids).most_common(1)[0][0]
            raise InputError(
                f"the item {twice!r} comes twice in one collection; give each item an id of its own"
            )
        columns = {"titles": self.titles, **self.attributes}
        columns |= {name: getattr(self, name) for name in TEXTS if getattr(self, name)}
        for name, column in columns.items():
            if len(column) != n:
                raise InputError(f"a collection of {n} items has {len(column)} {name}; give one an item")

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Mapping from item ids to indices."""
        return {id: n for n, id in enumerate(self.ids)}

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 hash over all columns."""
        columns = [
            self.kind,
            self.ids,
            self.titles,
            sorted(self.attributes.items()),
            *(getattr(self, n) for n in TEXTS),
        ]
        return sha256(json.dumps(columns, ensure_ascii=False).encode("utf-8", "surrogatepass")).hexdigest()

    def values(self, attribute: str, item: int) -> tuple[str, ...]:
        """Look up an item's values of an attribute; empty where the collection has no such attribute."""
        column = self.attributes.get(attribute)
        return column[item] if column else ()

    def text(self, name: Literal["summaries", "descriptions", "captions", "images"], item: int) -> str:
        """Look up one of an item's texts; UNSAID where it has none."""
        column: Sequence[str] = getattr(self, name)
        return column[item] if column else UNSAID
