"""The protocol of a recommender under test: fit to ratings, and score all items for some users."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from openiir.kit.arrays import Floats, Ints
from openiir.kit.items import Ratings
from openiir.plugin import Record


class Recommender(Protocol):
    """A recommender under test; users and items are indices of the ratings it was fitted to."""

    @property
    def name(self) -> str:
        """What studies call it."""

    def fit(self, train: Ratings) -> None:
        """Learn from scratch from these ratings; called again with more of them where a study re-trains."""

    def scores(self, users: Ints) -> Floats:
        """(len(users), items) float64: higher is better, minus infinity is never recommended."""


class NoOptions(Record):
    """The options of a recommender that has none."""


@dataclass(frozen=True)
class RecommenderKind:
    """A built-in recommender: its options with their defaults, and how it is made."""

    Options: type[Record]
    make: Callable[[Any, int], Recommender]
    """Of the options and a seed."""
