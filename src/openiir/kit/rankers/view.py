"""Input of a ranker: a block of users, their candidate items, and what the platform observed."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from openiir.kit.arrays import Floats, Ints
from openiir.kit.items import Catalogue
from openiir.plugin import Draw, first_largest, quantise

_ROWS = 64
"""Number of users whose own items are gathered at a time, small enough for the CPU cache."""


@dataclass(frozen=True, eq=False)
class Shelf:
    """A catalogue with items' topic vectors scaled to length 1, for rankers that use cosines.

    Numbers on the grid of 2^-20 have products on that of 2^-40, whose sums are exact in float64: a cosine
    does not depend on the order of summation, the number of threads or the size of a block.
    """

    catalogue: Catalogue

    @cached_property
    def unit(self) -> Floats:
        """(n, k) topic vectors of the items, scaled to length 1; zeros for an item without a side."""
        return _scale_rows(self.catalogue.x)

    @cached_property
    def mixes(self) -> Floats:
        """(n, k) topic mixes of the items, whatever their side, scaled to length 1."""
        return _scale_rows(self.catalogue.theta)

    @cached_property
    def main_topics(self) -> Ints:
        """(n,) largest topic of each item, from 0; of equal ones the first."""
        return np.asarray(first_largest(self.catalogue.theta, axis=1))


def _scale_rows(vectors: Floats) -> Floats:
    """Scale rows to length 1, on the grid and read-only; zeros stay."""
    length = row_lengths(vectors)[:, None]
    unit: Floats = quantise(np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0))
    unit.flags.writeable = False
    return unit


def row_lengths(vectors: Floats) -> Floats:
    """Compute the Euclidean length of each row."""
    return np.sqrt(np.einsum("ij,ij->i", vectors, vectors))


class RandomScores:
    """Cache of the random numbers of all users and items of a small feed, drawn once a week."""

    def __init__(self, users: int, shelf: Shelf) -> None:
        self._users = np.arange(users)[:, None]
        self._numbers = shelf.catalogue.numbers_of(np.arange(len(shelf.catalogue)))[None, :]
        self._drawn: dict[Draw, Floats] = {}

    def of(self, draw: Draw, users: Ints, items: Ints) -> Floats:
        """Look up the random numbers, (B, C), of these users and items, (C,) or (B, C)."""
        if draw not in self._drawn:
            self._drawn[draw] = draw.uniform(agent=self._users, item=self._numbers)
        mine = self._drawn[draw][users]
        if items.ndim == 1:
            return mine if len(items) == mine.shape[1] else mine[:, items]
        return np.take_along_axis(mine, items, axis=1)


@dataclass(frozen=True, eq=False)
class View:
    """Input of a ranker: B users with C candidate items each; it returns scores (B, C), higher is better.

    `items` are indices into the catalogue, (C,) where all users have the same, (B, C) where each has their
    own. What is per item (`theta`, `valence`, `arrival`, `clicks`, ...) has the shape of `items` (theta one
    more axis).
    """

    shelf: Shelf
    users: Ints
    items: Ints
    week: int
    """Week, from 1."""
    session: int
    """Session of the run, from 0."""
    all_clicks: Ints
    """Clicks on each item of the catalogue so far, by everyone."""
    all_shown: Ints
    """Impressions of each item of the catalogue so far."""
    chart: Ints
    """Clicks on each item up to the end of last week."""
    taste: Floats
    """(B, k) mean topic vector of the items a user clicked; zeros without any."""
    evidence: Floats
    """(B, k) mean over a user's impressions of (click - usual click rate at the slate position) times the
    item's topic vector."""
    draw: Draw
    belief: Floats | None = None
    """(B, k) beliefs of the users, given to the oracle alone."""
    retrieved: Floats | None = None
    """(U, n) retrieval score of each item of the catalogue for each user's query; None without a world."""
    remembered: "RandomScores | None" = None

    def part(self, rows: slice) -> "View":
        """Select some of the users."""
        return replace(
            self,
            users=self.users[rows],
            items=self.items if self.items.ndim == 1 else self.items[rows],
            taste=self.taste[rows],
            evidence=self.evidence[rows],
            belief=None if self.belief is None else self.belief[rows],
        )

    @property
    def theta(self) -> Floats:
        return self.shelf.catalogue.theta[self.items]

    @property
    def valence(self) -> Floats:
        return self.shelf.catalogue.valence[self.items]

    @property
    def arrival(self) -> Ints:
        return self.shelf.catalogue.arrival[self.items]

    @property
    def clicks(self) -> Ints:
        return self.all_clicks[self.items]

    @property
    def shown(self) -> Ints:
        return self.all_shown[self.items]

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.users), self.items.shape[-1]

    def cosine(self, vectors: Floats | None) -> Floats:
        """Compute the cosine of each user's vector (B, k) with the items' topic vectors; 0 for a zero vector.

        The vectors lie on the grid. Raises ValueError where there are none, as only the oracle gets a
        `belief`.
        """
        if vectors is None:
            raise ValueError(
                "cosine of nothing; no belief is shown to a ranker but the oracle, so use taste or evidence"
            )
        unit = self.shelf.unit
        if self.items.ndim == 1:
            dot = vectors @ (unit if len(self.items) == len(unit) else unit[self.items]).T
        else:
            dot = np.empty(self.shape)
            for first in range(0, len(dot), _ROWS):
                rows = slice(first, first + _ROWS)
                near = unit.take(self.items[rows], axis=0)
                np.einsum("bk,bck->bc", vectors[rows], near, out=dot[rows])
        length = row_lengths(vectors)[:, None]
        dot /= np.where(length > 0, length, 1.0)
        return dot

    def noise(self, what: str, some: Any = slice(None)) -> Floats:
        """Draw uniform numbers, (B, C), for each user and item, the same in every session.

        `some` selects the users.
        They are named by the items' numbers, so that an injected item changes those of no other.
        """
        users, items = self.users[some], self.items if self.items.ndim == 1 else self.items[some]
        if self.remembered is not None:
            return self.remembered.of(self.draw.at(what), users, items)
        numbers = self.shelf.catalogue.numbers_of(items)
        return self.draw.at(what).uniform(agent=users[:, None], item=np.atleast_2d(numbers))

    def relevance(self) -> Floats:
        """Look up the items' retrieval scores for the users' queries, (B, C).

        Raises ValueError where no world was searched.
        """
        if self.retrieved is None:
            raise ValueError("nothing was retrieved: this view has no world behind it")
        return self.retrieved[self.users[:, None], np.atleast_2d(self.items)]

    def spread(self, per_item: Any) -> Floats:
        """Broadcast one number per item to scores (B, C)."""
        return np.broadcast_to(np.asarray(per_item, dtype=np.float64), self.shape)
