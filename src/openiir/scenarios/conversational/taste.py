"""A user's taste beyond the need: expected ratings, consumed items and preferred values.

Taste is made of training ratings, as systems are. A held-out rating stands for what its user will make of that item, once
it is offered: it decides what the item is worth to its user, whether it is disliked, and so which items would do. It makes
no taste beyond that item, and no prompt tells it.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from statistics import fmean

import numpy as np

from openiir.kit.items import Collection, Ratings
from openiir.kit.items.bias import Bias
from openiir.kit.items.ratings import Floats, Ints
from openiir.plugin import quantise

SHRINK = 3.0
"""Prior ratings without deviation that shrink a preference for a value [design]."""
NEED, TASTE = 0.7, 0.3
"""Weights of the need and of the expected rating in an item's utility (MODELS 8)."""
MIDDLE = 3.0
"""Stars of five below which an item is disliked."""
NAMED = 20
"""Liked items that one can name."""
NEWCOMER = -1
"""The index of a user of whom there are no ratings."""


@dataclass(frozen=True, eq=False)
class UserTaste:
    """The taste of one user."""

    tastes: "TasteModel" = field(repr=False)
    user: int
    """An index into the ratings, or NEWCOMER."""

    @cached_property
    def consumed(self) -> frozenset[int]:
        """Items rated in training: those that one has had."""
        return frozenset(self._of(self.tastes.train)[0].tolist())

    @cached_property
    def stars(self) -> Mapping[int, float]:
        """What one would rate items, 1 to 5, where the held-out part says it."""
        items, values = self._of(self.tastes.held_out)
        return dict(zip(items.tolist(), self.tastes.of_five(values).tolist(), strict=True))

    def dislikes(self, item: int) -> bool:
        """Whether one would not like an item: its held-out rating is below the middle of the scale, or the rating
        expected is below what the study asks for."""
        if self.stars.get(item, 5.0) < MIDDLE:
            return True
        least = self.tastes.least
        return least > 1 and (self.expected_rating(item) or 5.0) < least

    @cached_property
    def liked(self) -> tuple[int, ...]:
        """The items that one has had and rated best, best first, at most `NAMED`."""
        items, values = self._of(self.tastes.train)
        return tuple(items[np.argsort(-values, kind="stable")[:NAMED]].tolist())

    @cached_property
    def leanings(self) -> Mapping[tuple[str, str], float]:
        """(slot, value) to how much better or worse one rates items with it than others do, in stars of five."""
        items, values = self._of(self.tastes.train)
        if not len(items):
            return {}
        stars = self.tastes.of_five(values) - self.tastes.plain(self.user, items)
        sums: defaultdict[tuple[str, str], float] = defaultdict(float)
        counts: defaultdict[tuple[str, str], int] = defaultdict(int)
        pairs = self.tastes.pairs
        for item, left in zip(items.tolist(), quantise(stars, 8.0).tolist(), strict=True):
            for pair in pairs[item]:
                sums[pair] += left
                counts[pair] += 1
        return {pair: round(total / (counts[pair] + SHRINK), 6) for pair, total in sums.items()}

    def _of(self, ratings: Ratings) -> tuple[Ints, Floats]:
        if self.user == NEWCOMER:
            return np.empty(0, dtype=np.int64), np.empty(0)
        return ratings.of(self.user)

    def expected_rating(self, item: int) -> float | None:
        """The rating expected, 1 to 5; None where there are no ratings to tell by."""
        if self.user == NEWCOMER:
            return None
        if item in self.stars:
            return self.stars[item]
        leanings = self.leanings
        known = [leanings[pair] for pair in self.tastes.pairs[item] if pair in leanings]
        leaning = fmean(known) if known else 0.0
        plain = float(self.tastes.plain(self.user, np.array([item]))[0])
        return round(min(5.0, max(1.0, plain + leaning)), 6)

    def utility(self, met: float, item: int) -> float:
        """0 to 1: .7 of the share of constraints met and .3 of the rating expected, or the former alone."""
        stars = self._expect_rating(item)
        return round(met if stars is None else NEED * met + TASTE * (stars - 1) / 4, 6)

    @cached_property
    def _expect_rating(self) -> Callable[[int], float | None]:
        return cache(self.expected_rating)

    def favourite(self, slot: str) -> str | None:
        """The value of a slot that one leans to most, if to any; ties by name."""
        found = [(-lean, value) for (of, value), lean in self.leanings.items() if of == slot and lean > 0]
        return min(found)[1] if found else None


@dataclass(frozen=True, eq=False)
class TasteModel:
    """The tastes of all users: rating biases, and deviations by attribute value."""

    collection: Collection
    train: Ratings
    """What users have had, and all that systems know."""
    held_out: Ratings
    """What users will make of items that they have not had yet; they alone know, each of that item alone."""
    least: float = 1.0
    """Stars of five that an item must promise a user."""

    @cached_property
    def pairs(self) -> Sequence[tuple[tuple[str, str], ...]]:
        """Each item's (slot, value) pairs."""
        columns = self.collection.attributes.items()
        return [
            tuple((slot, value) for slot, column in columns for value in column[n])
            for n in range(len(self.collection))
        ]

    @cached_property
    def _bias(self) -> Bias:
        return Bias.fit(self.train)

    def of_five(self, ratings: Floats) -> Floats:
        """Ratings of the data's scale on 1 to 5."""
        low, high = self.train.scale.low, self.train.scale.high
        return np.asarray(1 + 4 * (ratings - low) / (high - low))

    def plain(self, user: int, items: Ints) -> Floats:
        """The ratings that user's and items' deviations alone give, on 1 to 5."""
        bias = self._bias
        return np.asarray(quantise(self.of_five(bias.mean + bias.users[user] + bias.items[items]), 8.0))

    def of(self, user: int) -> UserTaste:
        """The taste of a user of the ratings, or of a newcomer."""
        return UserTaste(self, user)
