"""What a user makes of items beyond the need: the rating expected, what one has had, what one leans to."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from openiir.kit.items import Collection, Ratings
from openiir.kit.items.bias import Bias
from openiir.plugin import quantise

SHRINK = 3.0
"""Ratings of no deviation that a leaning to a value is shrunk by [design]."""
NEED, TASTE = 0.7, 0.3
"""What meeting the need and the rating expected weigh in an item's utility (MODELS 8)."""
NAMED = 20
"""Liked items that one can name."""
NEWCOMER = -1
"""The index of a user of whom there are no ratings."""


@dataclass(frozen=True, eq=False)
class Taste:
    """One user's."""

    consumed: frozenset[int]
    """Items rated in training: those that one has had."""
    leanings: Mapping[tuple[str, str], float]
    """(slot, value) to how much better or worse one rates items with it than others do, in stars of five."""
    liked: tuple[int, ...]
    """The items that one rated best, best first, at most `NAMED`."""
    tastes: "Tastes" = field(repr=False)
    user: int

    def expected(self, item: int) -> float | None:
        """The rating expected, 1 to 5; None where there are no ratings to tell by."""
        if self.user == NEWCOMER:
            return None
        collection = self.tastes.collection
        known = [
            lean
            for slot in collection.attributes
            for value in collection.values(slot, item)
            if (lean := self.leanings.get((slot, value))) is not None
        ]
        leaning = sum(known) / len(known) if known else 0.0
        return float(quantise(min(5.0, max(1.0, self.tastes.plain(self.user, item) + leaning)), 8.0))

    def utility(self, met: float, item: int) -> float:
        """0 to 1: .7 of the share of constraints met and .3 of the rating expected, or the former alone."""
        stars = self.expected(item)
        return round(met if stars is None else NEED * met + TASTE * (stars - 1) / 4, 6)

    def favourite(self, slot: str) -> str | None:
        """The value of a slot that one leans to most, if to any; ties by name."""
        found = [(-lean, value) for (of, value), lean in self.leanings.items() if of == slot and lean > 0]
        return min(found)[1] if found else None


@dataclass(frozen=True, eq=False)
class Tastes:
    """Everybody's, from training ratings: biases, and how a user departs from them by attribute value."""

    collection: Collection
    train: Ratings

    @cached_property
    def _bias(self) -> Bias:
        return Bias.fit(self.train)

    def plain(self, user: int, item: int) -> float:
        """The rating that user's and item's deviations alone give, 1 to 5."""
        low, high = self.train.scale.low, self.train.scale.high
        bias = self._bias
        return 1 + 4 * (bias.mean + float(bias.users[user]) + float(bias.items[item]) - low) / (high - low)

    def of(self, user: int) -> Taste:
        """The taste of a user of the ratings, or of a newcomer."""
        if user == NEWCOMER:
            return Taste(frozenset(), {}, (), self, user)
        items, values = self.train.of(user)
        low, high = self.train.scale.low, self.train.scale.high
        sums: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
        for item, stars in zip(items.tolist(), (1 + 4 * (values - low) / (high - low)).tolist(), strict=True):
            left = stars - self.plain(user, item)
            for slot in self.collection.attributes:
                for value in self.collection.values(slot, item):
                    sums[slot, value].append(left)
        leanings = {pair: float(quantise(np.sum(left) / (len(left) + SHRINK), 8.0)) for pair, left in sums.items()}
        best = items[np.argsort(-values, kind="stable")[:NAMED]]
        return Taste(frozenset(items.tolist()), leanings, tuple(best.tolist()), self, user)
