"""The view that a ranker gets: a block of users, their candidate items, and what the platform observed."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from openiir.kit.arrays import Floats, Ints
from openiir.kit.items import Catalogue
from openiir.plugin import Draw, quantise

_ROWS = 64
"""Users whose own items are gathered at a time, so that they stay in the cache."""


@dataclass(frozen=True, eq=False)
class Shelf:
    """A catalogue as rankers compare it with users: each item's position as a unit vector, on the grid.

    Numbers on the grid of 2^-20 have products on that of 2^-40, whose sums are exact in float64: a cosine does not
    depend on the order of summation, the number of threads or the size of a block.
    """

    catalogue: Catalogue

    @cached_property
    def unit(self) -> Floats:
        """Unit vectors of the items' positions, (n, k); zeros for an item without a position."""
        vectors = self.catalogue.x
        length = lengths(vectors)[:, None]
        unit: Floats = quantise(np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0))
        unit.flags.writeable = False
        return unit


def lengths(vectors: Floats) -> Floats:
    """Euclidean length of each row."""
    return np.sqrt(np.einsum("ij,ij->i", vectors, vectors))


class Noise:
    """Noise of all users and items of a small feed, drawn once for all sessions of a week."""

    def __init__(self, users: int, shelf: Shelf) -> None:
        self._users = np.arange(users)[:, None]
        self._numbers = shelf.catalogue.numbers_of(np.arange(len(shelf.catalogue)))[None, :]
        self._drawn: dict[Draw, Floats] = {}

    def of(self, draw: Draw, users: Ints, items: Ints) -> Floats:
        """Look up the noise, (B, C), of these users and items, (C,) or (B, C)."""
        if draw not in self._drawn:
            self._drawn[draw] = draw.uniform(agent=self._users, item=self._numbers)
        mine = self._drawn[draw][users]
        if items.ndim == 1:
            return mine if len(items) == mine.shape[1] else mine[:, items]
        return np.take_along_axis(mine, items, axis=1)


@dataclass(frozen=True, eq=False)
class View:
    """B users and the C items each may be shown; scores have the shape (B, C), and higher is shown earlier.

    `items` are indices into the catalogue, (C,) where all users have the same, (B, C) where each has their own.
    What is per item (`theta`, `valence`, `arrival`, `clicks`, ...) has the shape of `items` (theta one more axis).
    """

    shelf: Shelf
    users: Ints
    items: Ints
    week: int
    """From 1."""
    session: int
    """Of the run, from 0."""
    all_clicks: Ints
    """Clicks on each item of the catalogue so far, by everyone."""
    all_shown: Ints
    """Impressions of each item so far."""
    chart: Ints
    """Clicks on each item up to the end of last week."""
    taste: Floats
    """(B, k): mean position of the items a user clicked; zeros where there are none yet."""
    evidence: Floats
    """(B, k): mean over a user's impressions of (click - usual clicks at that position) times the item's position."""
    draw: Draw
    belief: Floats | None = None
    """(B, k) what users believe: for the oracle alone. No platform can see it."""
    retrieved: Floats | None = None
    """(U, n) how well each item of the catalogue fits each user's query, where a world is searched."""
    remembered: "Noise | None" = None

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
        """Cosine of each user's vector (B, k), on the grid, with the positions of the items; 0 for a zero vector.

        Raises ValueError where there are no vectors, as a ranker gets no `belief` but the oracle.
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
        length = lengths(vectors)[:, None]
        dot /= np.where(length > 0, length, 1.0)
        return dot

    def noise(self, what: str, some: Any = slice(None)) -> Floats:
        """Draw uniform numbers, (B, C), for each user and item, the same in every session; for `some` users alone.

        They are named by the items' numbers, so that an injected item changes those of no other.
        """
        users, items = self.users[some], self.items if self.items.ndim == 1 else self.items[some]
        if self.remembered is not None:
            return self.remembered.of(self.draw.at(what), users, items)
        numbers = self.shelf.catalogue.numbers_of(items)
        return self.draw.at(what).uniform(agent=users[:, None], item=np.atleast_2d(numbers))

    def relevance(self) -> Floats:
        """(B, C) scores of the items for the users' queries; raises ValueError where no world was searched."""
        if self.retrieved is None:
            raise ValueError("nothing was retrieved: this view has no world behind it")
        return self.retrieved[self.users[:, None], np.atleast_2d(self.items)]

    def spread(self, per_item: Any) -> Floats:
        """Broadcast a number per item to (B, C) scores."""
        return np.broadcast_to(np.asarray(per_item, dtype=np.float64), self.shape)
