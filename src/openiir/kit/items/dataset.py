"""A data set: a collection, its users' ratings, and what is known of the users."""

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
    """A collection with its users and ratings, all in a fixed order, as a loader returns it."""

    name: str
    collection: Collection
    ratings: Ratings
    users: tuple[str, ...]
    """Ids, in the order of the ratings' user indices."""
    demographics: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By name (`age`, `occupation`): one value a user. Only to check inferred personas against; agents never see it."""
    skipped: Mapping[str, int] = field(default_factory=dict)
    """What the loader left out, by reason, with how often."""
    missing: Mapping[str, int] = field(default_factory=dict)
    """Items that an enrichment file has no row for, by file; they are kept."""
    untitled: int = 0
    """Items whose title is empty in their file; their id stands for it."""
    implicit: bool = False
    """Whether nobody rated: every interaction has the same value then, and errors of ratings mean nothing."""
    published: Split | None = None
    """The publisher's own split, where there is one."""
    digest: str = ""
    """sha256 over the files it was read from (name and content of each, in order of name)."""
    licence: str = ""

    @cached_property
    def notes(self) -> Mapping[str, int]:
        """Counts of sparse or incomplete users and items that stay in, by kind; kinds that do not occur are left out."""
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
    """The data set without the users who have fewer ratings, which `skipped` counts; items stay."""
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
