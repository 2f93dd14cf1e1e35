"""A data set: a collection, its users' ratings, and the users' demographics."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from openiir.kit.items.collection import TEXTS, Collection
from openiir.kit.items.ratings import Ratings
from openiir.kit.items.splits import Split
from openiir.plugin import int_sum


@dataclass(frozen=True, eq=False)
class DataSet:
    """A collection with its users and ratings, as a loader returns it."""

    name: str
    collection: Collection
    ratings: Ratings
    users: tuple[str, ...]
    """Ids of the users, in the order of the user indices of the ratings."""
    demographics: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Demographics by name (`age`, `occupation`), one value for each user. They only serve to check inferred
    personas; agents never see them."""
    skipped: Mapping[str, int] = field(default_factory=dict)
    """Numbers of rows and users that the loader left out, by reason."""
    missing: Mapping[str, int] = field(default_factory=dict)
    """Number of items without a row in an enrichment file, by file. These items are kept."""
    untitled: int = 0
    """Number of items with an empty title in their file. Their id is used as the title."""
    published: Split | None = None
    """The publisher's own split; None where there is none."""
    digest: str = ""
    """SHA-256 hash over the names and contents of the files that were read."""
    licence: str = ""

    @cached_property
    def notes(self) -> Mapping[str, int]:
        """Numbers of incomplete users and items that were kept, by kind; kinds without any are left out."""
        by_user = np.bincount(self.ratings.user, minlength=self.ratings.users)
        notes = {
            "users with one rating": int((by_user == 1).sum()),
            "users without ratings": int((by_user == 0).sum()),
            "items nobody rated": int((self.ratings.counts == 0).sum()),
            "items without a title": self.untitled,
        }
        for name, column in self.collection.attributes.items():
            notes[f"items without {name}"] = int_sum(not values for values in column)
        for name in TEXTS:
            notes[f"items without {name}"] = int_sum(not text for text in getattr(self.collection, name))
        notes |= {f"items without a row in {file}": n for file, n in self.missing.items()}
        return {what: n for what, n in notes.items() if n}


def with_at_least(data: DataSet, ratings: int) -> DataSet:
    """Drop users with fewer than `ratings` ratings, counted in `skipped`; all items stay."""
    by_user = np.bincount(data.ratings.user, minlength=data.ratings.users)
    kept = by_user >= ratings
    if kept.all():
        return data
    index = np.cumsum(kept) - 1
    folds = data.published

    def fewer(old: Ratings) -> Ratings:
        rows = old.select(kept[old.user])
        return replace(rows, users=int(kept.sum()), user=index[rows.user])

    def of_kept(column: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(value for value, keep in zip(column, kept.tolist(), strict=True) if keep)

    return replace(
        data,
        ratings=fewer(data.ratings),
        users=of_kept(data.users),
        demographics={name: of_kept(column) for name, column in data.demographics.items()},
        published=Split(*map(fewer, (folds.train, folds.validation, folds.test))) if folds else None,
        skipped={**data.skipped, f"users with fewer than {ratings} ratings": int((~kept).sum())},
    )
