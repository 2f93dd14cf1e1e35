"""Ratings in columns: user, item and value of each rating."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from openiir.kit.arrays import Floats as Floats
from openiir.kit.arrays import Ints as Ints
from openiir.plugin import InputError


class Scale(NamedTuple):
    """Rating scale: lowest value, highest value and step."""

    low: float = 1.0
    high: float = 5.0
    step: float = 1.0


@dataclass(frozen=True, eq=False)
class Ratings:
    """Ratings in columns, by index of user and item; a (user, item) pair occurs once.

    The number of users and items is fixed, also where some have no row here. Columns cannot be written to.
    Raises InputError where an index or a value is out of range, or a pair comes twice.
    """

    users: int
    items: int
    user: Ints
    item: Ints
    value: Floats
    scale: Scale = Scale()

    def __post_init__(self) -> None:
        if not len(self.user) == len(self.item) == len(self.value):
            raise InputError("ratings need one user, one item and one value a row")
        for name, index, size in (("user", self.user, self.users), ("item", self.item, self.items)):
            if len(index) and not 0 <= index.min() <= index.max() < size:
                raise InputError(f"a rating names {name} {index.max()} of {size}; indices count from 0")
        if len(self.value) and not self.scale.low <= self.value.min() <= self.value.max() <= self.scale.high:
            raise InputError(
                f"ratings reach from {self.value.min():g} to {self.value.max():g}, but the scale is "
                f"{self.scale.low:g} to {self.scale.high:g}"
            )
        if not np.diff(np.sort(self.pairs)).all():
            raise InputError("a user rated one item twice; keep one rating a pair")
        self.user.flags.writeable = self.item.flags.writeable = self.value.flags.writeable = False

    def __len__(self) -> int:
        return len(self.user)

    @cached_property
    def pairs(self) -> Ints:
        """One integer key per row for its (user, item) pair."""
        return self.user * self.items + self.item

    @cached_property
    def matrix(self) -> Any:
        """Ratings as a SciPy CSR matrix, users x items, with sorted indices; unrated items are not stored."""
        from scipy.sparse import csr_array

        matrix = csr_array((self.value, (self.user, self.item)), shape=(self.users, self.items))
        matrix.sort_indices()
        return matrix

    @cached_property
    def seen(self) -> Any:
        """Mask of rated items as a SciPy CSR matrix, users x items, with 1 for each rating."""
        matrix = self.matrix.copy()
        matrix.data = np.ones_like(matrix.data)
        return matrix

    @cached_property
    def counts(self) -> Ints:
        """(items,) number of ratings of each item."""
        return np.bincount(self.item, minlength=self.items)

    @cached_property
    def item_means(self) -> Floats:
        """(items,) mean rating of each item; NaN where nobody rated it."""
        sums = np.bincount(self.item, weights=self.value, minlength=self.items)
        with np.errstate(invalid="ignore"):
            return np.asarray(sums / self.counts)

    @cached_property
    def mean(self) -> float:
        """Mean of all ratings; NaN without any."""
        return float(self.value.sum() / len(self)) if len(self) else float("nan")

    def of(self, user: int) -> tuple[Ints, Floats]:
        """Look up the items that a user rated, ascending, with their ratings."""
        matrix = self.matrix
        row = slice(matrix.indptr[user], matrix.indptr[user + 1])
        return matrix.indices[row].astype(np.int64), matrix.data[row]

    def select(self, rows: NDArray[Any]) -> "Ratings":
        """Select rows by indices or a mask, for the same users and items."""
        return replace(self, user=self.user[rows], item=self.item[rows], value=self.value[rows])

    def with_rows(self, user: Ints, item: Ints, value: Floats) -> "Ratings":
        """Add ratings; a (user, item) pair that is there already keeps its first value."""
        new = ~np.isin(user * self.items + item, self.pairs)
        _, first = np.unique((user * self.items + item)[new], return_index=True)
        kept = np.flatnonzero(new)[np.sort(first)]
        return replace(
            self,
            user=np.concatenate([self.user, user[kept]]),
            item=np.concatenate([self.item, item[kept]]),
            value=np.concatenate([self.value, value[kept]]),
        )
