"""Random samples of users' training ratings, on which candidate personas are matched and scored.

Each sample is the head of a random order of the user's own ratings, drawn by name, so it does not depend on
who else is there or in which order users are matched.
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openiir.kit.items.collection import Collection
from openiir.kit.items.ratings import Floats, Ints, Ratings
from openiir.plugin import Draw, InputError, order_by
from openiir.scenarios.recommender.model.persona.samples import (
    GENRES,
    LIKED,
    RatedItem,
    RatingSample,
    encode_item,
    history_features,
)

MOST = 50
"""Largest number of items in a sample (SimUSER 3.1)."""


@dataclass(frozen=True, eq=False)
class Histories:
    """Training ratings of all users of a collection, with the samples drawn from them."""

    train: Ratings
    collection: Collection
    draw: Draw
    """Random source of the samples."""
    subsets: int = 3
    """Number of subsets of the user's own ratings that a candidate is scored on (SimUSER, appendix B)."""
    others: int = 30
    """Number of other users, on a subset of whose ratings a candidate is scored too."""

    @cached_property
    def counts(self) -> Ints:
        """(users,) number of training ratings."""
        return np.bincount(self.train.user, minlength=self.train.users)

    def sample(self, user: int, subset: int | None = None) -> RatingSample:
        """Draw a sample of a user's ratings: up to 50 to show, or the numbered subset.

        A subset is half of the ratings (rounded up), at most 50; others see a user by subset 0. Raises
        InputError for a user without ratings.
        """
        if not self.counts[user]:
            raise InputError(
                f"user {user} has no training ratings to match a persona to; give it a persona of its own"
            )
        rows, starts = self._sample_rows[0 if subset is None else 1 + subset]
        chosen = rows[starts[user] : starts[user + 1]]
        rated = zip(self.train.item[chosen].tolist(), self.train.value[chosen].tolist(), strict=True)
        items = tuple(replace(self._item_records[item], rating=value) for item, value in rated)
        return RatingSample(self.collection.kind, items, self.train.scale)

    def other_users(self, user: int) -> list[int]:
        """Draw the other users on whose subsets this user's candidates are scored too; ascending."""
        rated = self._raters[self._raters != user]
        bits = self.draw.at("others").bits(agent=user, item=rated)
        return sorted(rated[order_by(bits)[: self.others]].tolist())

    @property
    def scored_subsets(self) -> int:
        """Number of rating subsets on which a persona is scored: own ones, and one per other user."""
        return self.subsets + min(self.others, len(self._raters) - 1)

    def features(self, subset: int | None = None) -> Floats:
        """Compute the features of every user's sample or numbered subset, (users, FEATURES).

        NaN for users without ratings.
        """
        rows = self._sample_rows[0 if subset is None else 1 + subset][0]
        user, users = self.train.user[rows], self.train.users
        marked = self._marks[self.train.item[rows]]
        scale = self.train.scale
        level = (self.train.value[rows] - scale.low) / (scale.high - scale.low)

        def sum_by_user(weights: NDArray[Any]) -> Floats:
            return np.bincount(user, weights=weights, minlength=users).astype(np.float64)

        return history_features(
            np.column_stack([sum_by_user(column) for column in marked.T]),
            sum_by_user(np.asarray(marked[:, : len(GENRES)].any(axis=1))),
            sum_by_user(np.ones(len(rows))),
            sum_by_user(level),
            sum_by_user(level >= LIKED),
        )

    @cached_property
    def _raters(self) -> Ints:
        return np.flatnonzero(self.counts)

    @cached_property
    def _item_records(self) -> list[RatedItem]:
        """Rated-item records of all items, with NaN in place of a rating."""
        of, records = self.collection, []
        for item, title in enumerate(of.titles):
            year = next(iter(of.values("year", item)), "")
            known = int(year) if year.isdigit() else None
            directors = of.values("director", item)
            records.append(RatedItem(title, of.values("genre", item), known, directors, math.nan))
        return records

    @cached_property
    def _marks(self) -> Floats:
        return np.array([encode_item(item.genres, item.year) for item in self._item_records])

    @cached_property
    def _sample_rows(self) -> tuple[tuple[Ints, Ints], ...]:
        """Rows of the ratings in the sample and in each subset, by user, with each user's first position."""
        user, item = self.train.user, self.train.item
        half = (self.counts + 1) // 2
        found = []
        for number in range(1 + self.subsets):
            bits = self.draw.at("sample", step=number).bits(agent=user, item=item)
            order = order_by(user, bits)
            starts = np.concatenate([[0], np.cumsum(self.counts)])
            place = np.arange(len(order)) - starts[user[order]]
            size = np.minimum(half if number else self.counts, MOST)
            found.append((order[place < size[user[order]]], np.concatenate([[0], np.cumsum(size)])))
        return tuple(found)
