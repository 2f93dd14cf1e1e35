"""Protocol of a recommender under test: fit to ratings, and score all items for some users."""

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
        """Name of the recommender in studies."""

    def fit(self, train: Ratings) -> None:
        """Fit to these ratings from scratch; called again with more of them where a study re-trains."""

    def scores(self, users: Ints) -> Floats:
        """Score all items for these users, (len(users), items): higher is better.

        float64; minus infinity marks items that are never recommended.
        """


class NoOptions(Record):
    """Options of a recommender without any."""


@dataclass(frozen=True)
class RecommenderKind:
    """A built-in recommender: its type of options and its constructor."""

    Options: type[Record]
    make: Callable[[Any, int], Recommender]
    """Constructor from the options and a seed."""
