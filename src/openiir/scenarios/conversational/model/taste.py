"""A user's taste beyond the need: expected ratings, consumed items and preferred values.

Taste is made of training ratings, as systems are. A held-out rating stands for what its user will make of
that item, once it is offered: it decides what the item is worth to its user, whether it is disliked, and so
which items would do. It makes no taste beyond that item, and no prompt tells it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import chain
from statistics import fmean
from typing import TypeVar

import numpy as np

from openiir.kit.items import Collection, Ratings
from openiir.kit.items.bias import BiasModel
from openiir.kit.items.ratings import Floats, Ints
from openiir.plugin import order_by, quantise

Number = TypeVar("Number", float, Floats)
SHRINK = 3.0
"""Number of prior ratings that shrink a preference for a value towards 0 [design]."""
NEED, TASTE = 0.7, 0.3
"""Weights of the need and of the expected rating in an item's utility (MODELS 8)."""
MIDDLE = 3.0
"""Rating, in stars of five, below which an item is disliked."""
NAMED = 20
"""Maximum number of liked items that a user can name."""
NEWCOMER = -1
"""User index of a user without ratings."""


@dataclass(frozen=True, eq=False)
class UserTaste:
    """Taste of one user, derived from the user's ratings."""

    tastes: "TasteModel" = field(repr=False)
    user: int
    """Index into the ratings, or NEWCOMER."""

    @cached_property
    def consumed(self) -> frozenset[int]:
        """Items rated in training, which the user has consumed."""
        return frozenset(self._of(self.tastes.train)[0].tolist())

    @cached_property
    def stars(self) -> Mapping[int, float]:
        """Held-out ratings of items, on 1 to 5."""
        items, values = self._of(self.tastes.held_out)
        return dict(zip(items.tolist(), self.tastes.to_stars(values).tolist(), strict=True))

    def dislikes(self, item: int) -> bool:
        """Whether the user would dislike an item.

        It does if the held-out rating is below the middle of the scale, or the expected rating below what the
        study requires.
        """
        if self.stars.get(item, 5.0) < MIDDLE:
            return True
        least = self.tastes.least
        return least > 1 and (self.expected_rating(item) or 5.0) < least

    @cached_property
    def liked(self) -> tuple[int, ...]:
        """The best-rated consumed items, best first, at most `NAMED`."""
        items, values = self._of(self.tastes.train)
        return tuple(items[order_by(-values)[:NAMED]].tolist())

    def leaning(self, pair: tuple[str, str]) -> float | None:
        """Return the mean deviation, in stars of five, of the user's ratings of items with a (slot, value).

        None for a pair that no item has which the user rated.
        """
        place = self.tastes.places.get(pair, -1)
        sums, counts = self._deviations
        if place < 0 or not counts[place]:
            return None
        return round(float(sums[place] / (counts[place] + SHRINK)), 6)

    @cached_property
    def _deviations(self) -> tuple[Floats, Ints]:
        """Sum of the deviations of the user's ratings of items with each pair, and their number."""
        items, values = self._of(self.tastes.train)
        pairs = [self.tastes.pair_indices[item] for item in items.tolist()]
        if not pairs:
            return np.zeros(len(self.tastes.places)), np.zeros(len(self.tastes.places), np.int64)
        stars = self.tastes.to_stars(values) - self.tastes.predict_by_bias(self.user, items)
        at, size = np.concatenate(pairs), len(self.tastes.places)
        # Deviations are on a grid, so that they add up to the same in any order.
        deviations = np.repeat(quantise(stars, 8.0), [len(one) for one in pairs])
        sums = np.bincount(at, deviations, size).astype(np.float64)
        return sums, np.bincount(at, minlength=size)

    def _of(self, ratings: Ratings) -> tuple[Ints, Floats]:
        if self.user == NEWCOMER:
            return np.empty(0, dtype=np.int64), np.empty(0)
        return ratings.of(self.user)

    def expected_rating(self, item: int) -> float | None:
        """Predict the user's rating of an item, 1 to 5; None for a user without ratings."""
        if self.user == NEWCOMER:
            return None
        if item in self.stars:
            return self.stars[item]
        leanings = [self.leaning(pair) for pair in self.tastes.pairs[item]]
        known = [leaning for leaning in leanings if leaning is not None]
        leaning = fmean(known) if known else 0.0
        plain = float(self.tastes.predict_by_bias(self.user, item))
        return round(min(5.0, max(1.0, plain + leaning)), 6)

    def utility(self, met: float, item: int) -> float:
        """Compute an item's utility, 0 to 1, from the share of constraints met and the expected rating.

        It is .7 x share + .3 x rating, or the share alone for a user without ratings.
        """
        stars = self._expect_rating(item)
        return round(met if stars is None else NEED * met + TASTE * (stars - 1) / 4, 6)

    @cached_property
    def _expect_rating(self) -> Callable[[int], float | None]:
        return cache(self.expected_rating)

    def favourite(self, slot: str) -> str | None:
        """Return the user's most preferred value of a slot; None if no value is preferred. Ties by name."""
        leanings = ((self.leaning((slot, value)), value) for value in self.tastes.values_of.get(slot, ()))
        found = [(-lean, value) for lean, value in leanings if lean is not None and lean > 0]
        return min(found)[1] if found else None


@dataclass(frozen=True, eq=False)
class TasteModel:
    """Model of all users' tastes: rating biases, and deviations by attribute value."""

    collection: Collection
    train: Ratings
    """Training ratings, which systems see too; rated items count as consumed."""
    held_out: Ratings
    """Held-out ratings, which only the simulated user knows."""
    least: float = 1.0
    """Minimum expected rating, in stars of five, of an item that is not disliked."""

    @cached_property
    def pairs(self) -> Sequence[tuple[tuple[str, str], ...]]:
        """(slot, value) pairs of each item."""
        columns = self.collection.attributes.items()
        return [
            tuple((slot, value) for slot, column in columns for value in column[n])
            for n in range(len(self.collection))
        ]

    @cached_property
    def places(self) -> Mapping[tuple[str, str], int]:
        """Index of each distinct (slot, value) pair of the collection."""
        return {pair: n for n, pair in enumerate(dict.fromkeys(chain.from_iterable(self.pairs)))}

    @cached_property
    def values_of(self) -> Mapping[str, Sequence[str]]:
        """The distinct values of each slot."""
        values: dict[str, list[str]] = {}
        for slot, value in self.places:
            values.setdefault(slot, []).append(value)
        return values

    @cached_property
    def pair_indices(self) -> Sequence[Ints]:
        """Indices of each item's (slot, value) pairs."""
        return [np.array([self.places[pair] for pair in pairs], np.int64) for pairs in self.pairs]

    @cached_property
    def bias(self) -> BiasModel:
        return BiasModel.fit(self.train)

    def to_stars(self, ratings: Number) -> Number:
        """Rescale ratings from the data's scale to 1 to 5."""
        low, high = self.train.scale.low, self.train.scale.high
        return 1 + 4 * (ratings - low) / (high - low)

    def predict_by_bias(self, user: int, items: Ints | int) -> Floats:
        """Predict ratings from user and item biases alone, on 1 to 5."""
        bias = self.bias
        return np.asarray(quantise(self.to_stars(bias.mean + bias.users[user] + bias.items[items]), 8.0))

    def user_taste(self, user: int) -> UserTaste:
        """Return the taste of a user, or of a newcomer without ratings."""
        return UserTaste(self, user)
