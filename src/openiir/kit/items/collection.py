"""A collection: items with what is known of them, such as the genres of films."""

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
"""The columns of texts, one an item."""
UNSAID = ""
"""A missing text."""


@dataclass(frozen=True, eq=False)
class Collection:
    """Items in a fixed order; an item's index is its place in every column here and in every Ratings of it.

    Raises InputError where columns are not of one length or an id comes twice.
    """

    kind: Kind
    """What an item is called in prompts and pages."""
    ids: tuple[str, ...]
    """As the data set has them."""
    titles: tuple[str, ...]
    attributes: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)
    """By name (`genre`, `director`, `actor`, `year`, `author`, `publisher`, `tag`, ...): each item's values, none for
    an item of which it is not known."""
    summaries: tuple[str, ...] = ()
    """One sentence an item, shown on a page; empty for items without one, or as a whole."""
    descriptions: tuple[str, ...] = ()
    """Two or three sentences an item, shown when it is opened."""
    captions: tuple[str, ...] = ()
    """What an item's picture shows, in words."""
    images: tuple[str, ...] = ()
    """Where an item's picture is: a file or a URL."""

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
        """Ids to indices."""
        return {id: n for n, id in enumerate(self.ids)}

    @cached_property
    def fingerprint(self) -> str:
        """sha256 over all columns."""
        columns = [
            self.kind,
            self.ids,
            self.titles,
            sorted(self.attributes.items()),
            *(getattr(self, n) for n in TEXTS),
        ]
        return sha256(json.dumps(columns, ensure_ascii=False).encode("utf-8", "surrogatepass")).hexdigest()

    def values(self, attribute: str, item: int) -> tuple[str, ...]:
        """What is known of an item's attribute; nothing where the collection has no such attribute."""
        column = self.attributes.get(attribute)
        return column[item] if column else ()

    def text(self, name: Literal["summaries", "descriptions", "captions", "images"], item: int) -> str:
        """One of an item's texts; UNSAID where there is none."""
        column: Sequence[str] = getattr(self, name)
        return column[item] if column else UNSAID
