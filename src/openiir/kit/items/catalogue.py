"""Catalogue of a feed's items in columns: topic mix, valence, quality and week of arrival.

The item model is that of our Curated-Feed reference run: an item's topic mix theta is drawn from a symmetric
Dirichlet distribution, its valence v (which side it takes) is uniform on [-1, 1], its quality q is normal
around 0; what it says to a belief vector is x = v * theta.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from openiir.kit.arrays import Floats, Ints
from openiir.plugin import Draw, InputError, first_largest, quantise

ENOUGH = 5
"""Number of items needed for each item that one user is shown."""
_BLOCK = 65_536
"""Number of items drawn at a time, which bounds memory for large catalogues."""
INJECTED = 2**40
"""Number of the first injected item. All other items are numbered from 0."""


@dataclass(frozen=True, eq=False)
class Catalogue:
    """Items of a feed in columns, in order of arrival; an item's row is its index in logs.

    The columns are float64 on the grid of 2^-20 (arrival: int64) and cannot be written to. Raises ValueError
    where they do not fit together.
    """

    topics: tuple[str, ...]
    """Names of the k topics, in the order of theta's columns."""
    theta: Floats
    """(n, k) topic mix of each item; rows sum to 1."""
    valence: Floats
    """(n,) side an item takes, -1 (against) to 1 (for), the same for all its topics."""
    quality: Floats
    """(n,) quality, added to the log-odds of a click; 0 is ordinary."""
    arrival: Ints
    """(n,) first week in which an item can be shown, from 1, ascending."""
    names: tuple[str, ...] | None = None
    """Ids of the items; None for synthetic items, whose ids are derived from their numbers."""
    numbers: Ints | None = None
    """(n,) unique number of each item, which keys its random draws; injected items count from INJECTED. None
    stands for 0, 1, 2, ..."""

    def __post_init__(self) -> None:
        n, k = self.theta.shape
        columns = (
            self.valence,
            self.quality,
            self.arrival,
            *([] if self.numbers is None else [self.numbers]),
        )
        if k != len(self.topics) or any(column.shape != (n,) for column in columns):
            raise ValueError(f"{n} items of {k} topics need {k} topic names and columns of {n} elements")
        if self.names is not None and len(set(self.names)) != n:
            raise ValueError("a catalogue needs one id an item, and each id once")
        if n and (self.arrival[0] < 1 or (np.diff(self.arrival) < 0).any()):
            raise ValueError("items stand in order of arrival, and the first week is 1")
        for column in (self.theta, *columns):
            column.flags.writeable = False

    def __len__(self) -> int:
        return len(self.theta)

    @property
    def k(self) -> int:
        """Number of topics."""
        return self.theta.shape[1]

    @cached_property
    def x(self) -> Floats:
        """(n, k) topic vector of each item, signed by the side it takes: valence * theta."""
        position = quantise(self.valence[:, None] * self.theta)
        position.flags.writeable = False
        return position

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """Ids of all items; for a very large catalogue, call `id_of` on the items needed instead."""
        return self.names if self.names is not None else tuple(map(self.id_of, range(len(self))))

    def id_of(self, index: int) -> str:
        """Look up the id of an item.

        The first synthetic item is `i0000001`, the first injected one `x0000001`.
        """
        return self.names[index] if self.names is not None else _synthetic_id(int(self.numbers_of(index)))

    def numbers_of(self, indices: Any) -> Any:
        """Look up the numbers by which random draws are keyed to items (for one index or an array).

        Items added later do not change them.
        """
        return indices if self.numbers is None else self.numbers[indices]

    def count_arrived(self, week: int) -> int:
        """Count the items that have arrived by a week, which are the first ones."""
        return int(np.searchsorted(self.arrival, week, side="right"))

    def select(self, indices: Ints) -> "Catalogue":
        """Select items by ascending indices; they keep their ids and numbers."""
        names = tuple(map(self.id_of, indices.tolist())) if self.names is not None else None
        theta, valence, quality = self.theta[indices], self.valence[indices], self.quality[indices]
        numbers = _own_numbers(np.array(self.numbers_of(indices)))
        return Catalogue(self.topics, theta, valence, quality, self.arrival[indices], names, numbers)

    def concatenate(self, more: "Catalogue") -> "Catalogue":
        """Append another catalogue's items, none of which may arrive before this one's last item.

        Items without numbers of their own get those that follow. Raises InputError where the topics differ,
        ids meet, or weeks run backwards.
        """
        if more.topics != self.topics:
            raise InputError(
                f"items of the topics {_shorten(more.topics)} cannot join those of {_shorten(self.topics)}"
            )
        if len(self) and len(more) and more.arrival[0] < self.arrival[-1]:
            raise InputError(
                f"injected items would arrive in week {more.arrival[0]}, before the catalogue's last one "
                f"(week {self.arrival[-1]}); let them arrive from that week on"
            )
        own = self.numbers_of(np.arange(len(self)))
        following = own[own < INJECTED].max(initial=-1) + 1
        added = more.numbers if more.numbers is not None else np.arange(len(more)) + following
        numbers = np.concatenate([own, added])
        if added.min(initial=INJECTED) <= own.max(initial=-1) and len(np.unique(numbers)) < len(numbers):
            raise InputError("an injected item has the number of one in the catalogue; give each its own")
        names = None
        if self.names is not None or more.names is not None:
            later = more.names or tuple(map(_synthetic_id, added.tolist()))
            names = (*self.ids, *later)
            if len(set(names)) < len(names):
                raise InputError("an injected item has the id of one in the catalogue; give each its own")
        columns = ("theta", "valence", "quality", "arrival")
        both = {name: np.concatenate([getattr(self, name), getattr(more, name)]) for name in columns}
        return Catalogue(self.topics, names=names, numbers=_own_numbers(numbers), **both)


def synthetic(
    draw: Draw,
    items: int,
    topics: Sequence[str],
    per_week: int = 0,
    concentration: float = 0.2,
    quality_sd: float = 0.5,
) -> Catalogue:
    """Generate a catalogue of synthetic items, with random topics, sides and quality.

    `per_week` items arrive each week in order of index (0: all in week 1).
    `concentration` is the Dirichlet parameter of each topic, above 0: small ones make items of one topic, 1
    makes all mixes equally likely. An item's draws are named by its index, so more items or more topics leave
    the draws of the others as they were.
    """
    if items < 1 or not topics:
        raise InputError(
            f"a catalogue needs at least one item and one topic, got items = {items}, k = {len(topics)}"
        )
    if per_week < 0 or not concentration > 0 or not quality_sd >= 0:
        raise InputError(
            "a synthetic catalogue needs per_week of at least 0, concentration above 0 and quality_sd of "
            f"at least 0, got {per_week}, {concentration:g} and {quality_sd:g}"
        )
    at = np.arange(items)
    theta = np.empty((items, len(topics)))
    for start in range(0, items, _BLOCK):
        theta[start : start + _BLOCK] = _draw_topic_mixes(
            draw.at("theta"), at[start : start + _BLOCK], len(topics), concentration
        )
    return Catalogue(
        topics=tuple(topics),
        theta=theta,
        valence=quantise(2 * draw.at("valence").uniform(item=at) - 1),
        quality=quantise(draw.at("quality").normal(0.0, quality_sd, item=at)),
        arrival=arrival_weeks(items, per_week),
    )


def check_exhaustion(items: int, exposures: int, per_week: int = 0) -> None:
    """Raise InputError if users would see most of the catalogue, so that rankers could not differ.

    `exposures` is what one user sees in a run without repeats: weeks * sessions * slots. Enough are 5 items
    an exposure; or new items each week (`per_week` above 0), as long as no user can come to the catalogue's
    end. In our measurements 600 items for 600 exposures made all rankers' final opinions and exposures alike.
    """
    if items >= ENOUGH * exposures or (per_week > 0 and items > exposures):
        return
    arriving = f"{per_week} arriving a week" if per_week else "all there from the first week"
    raise InputError(
        f"items = {items} ({arriving}) for {exposures} exposures a user (weeks * sessions * slots): users "
        f"would run out of items, and every ranker would show the same; take at least {ENOUGH * exposures} "
        f"items, let new ones arrive each week (per_week, with more than {exposures} in all), or show fewer"
    )


def _synthetic_id(number: int) -> str:
    """Build the id of a synthetic or injected item from its number."""
    return f"i{number + 1:07d}" if number < INJECTED else f"x{number - INJECTED + 1:07d}"


def _own_numbers(numbers: Ints) -> Ints | None:
    """Return None where the numbers are just 0, 1, 2, ..., else the numbers."""
    return None if np.array_equal(numbers, np.arange(len(numbers))) else numbers


def arrival_weeks(items: int, per_week: int) -> Ints:
    """Compute the week of arrival of each item: `per_week` items a week, or all in week 1 if it is 0."""
    return np.arange(items) // per_week + 1 if per_week else np.ones(items, dtype=np.int64)


def _draw_topic_mixes(draw: Draw, items: Ints, k: int, concentration: float) -> Floats:
    """Draw topic mixes from a symmetric Dirichlet distribution, by inversion of k gamma variates."""
    uniforms = draw.uniform(item=items[:, None], agent=np.arange(k)[None, :])
    logs = _gamma_quantiles(concentration)(np.log(uniforms) - np.log1p(-uniforms))
    return share_rows(np.exp(logs - logs.max(axis=1, keepdims=True)))


@lru_cache(maxsize=8)
def _gamma_quantiles(shape: float) -> Callable[[Floats], Floats]:
    """Build the log of the gamma quantile as a function of the logit of its probability.

    A cubic spline over the whole range of a draw: 20 times as fast as inverting each, and nearer to it than
    the grid that mixes are rounded to. Logarithms stand a small shape, whose quantiles underflow.
    """
    from scipy.interpolate import CubicSpline
    from scipy.special import expit, gammainccinv, gammaincinv, gammaln

    logits = np.linspace(-38.0, 38.0, 8_193)
    low = logits < 0
    quantiles = np.where(low, gammaincinv(shape, expit(logits)), gammainccinv(shape, expit(-logits)))
    tiny = quantiles < 1e-200
    logs = np.log(np.where(tiny, 1.0, quantiles))
    # Near 0 the distribution is x^shape / Gamma(shape + 1).
    logs[tiny] = (-np.log1p(np.exp(-logits[tiny])) + gammaln(shape + 1)) / shape
    spline: Callable[[Floats], Floats] = CubicSpline(logits, logs)
    return spline


def share_rows(weights: Any) -> Floats:
    """Scale rows of non-negative weights to shares that sum to exactly 1, on the grid of `core.grid`.

    A row of zeros becomes equal shares.
    """
    weights = np.asarray(weights, dtype=np.float64)
    total = weights.sum(axis=1, keepdims=True)
    even = np.full_like(weights, 1 / weights.shape[1])
    rounded = quantise(np.divide(weights, total, out=even, where=total > 0))
    largest = first_largest(rounded, axis=1)
    rounded[np.arange(len(rounded)), largest] += 1 - rounded.sum(axis=1)
    return rounded


def _shorten(topics: Sequence[str]) -> str:
    return ", ".join(topics[:4]) + (", ..." if len(topics) > 4 else "")
