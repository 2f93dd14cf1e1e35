"""Serve slates: rank the candidates, shuffle them with probability epsilon, compute propensities."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openiir.kit.arrays import Bools, Floats, Ints
from openiir.kit.rankers.propensities import in_slate, item_position, prefix
from openiir.plugin import Draw, InputError, order_by

NONE = -1
"""Index that stands for no item, after a user's last candidate."""
_SCALE = 2.0**20
_SMALLEST = np.iinfo(np.int64).min


@dataclass(frozen=True, eq=False)
class RankedItems:
    """The best M candidates of each of B users, by descending score, ties by index."""

    items: Ints
    """(B, M) indices into the catalogue; NONE after the last."""
    place: Ints
    """(B, M) column of each item among the scored items."""
    scores: Floats
    """(B, M) scores on the grid; NaN where there is no item."""
    found: Ints
    """(B,) number of candidates, at most M."""

    @classmethod
    def concatenate(cls, parts: Sequence["RankedItems"]) -> "RankedItems":
        """Join the rankings of several groups of users."""
        if len(parts) == 1:
            return parts[0]
        columns = ((part.items, part.place, part.scores, part.found) for part in parts)
        return cls(*(np.concatenate(column) for column in zip(*columns, strict=True)))

    def reorder(self, order: Ints) -> "RankedItems":
        """Put each ranking's columns in another order (B, M), which leaves places without an item last."""
        return RankedItems(
            items=np.take_along_axis(self.items, order, axis=1),
            place=np.take_along_axis(self.place, order, axis=1),
            scores=np.take_along_axis(self.scores, order, axis=1),
            found=self.found,
        )


def rank_items(scores: Floats, items: Ints, blocked: Bools | None, top: int) -> RankedItems:
    """Rank the `top` items of the highest scores (B, C) for each user, without blocked ones (B, C).

    `items` are in ascending order, (C,) or (B, C). Scores are rounded to the grid of 2^-20 and packed with
    the item's place into one integer, so that order and ties are exact however many are sorted. Raises
    ValueError for scores that are too large for that.
    """
    users, columns = scores.shape
    keys = scores * _SCALE
    np.rint(keys, out=keys)
    largest = max(keys.max(), -keys.min()) if keys.size else 0.0
    if largest >= _score_limit(columns) * _SCALE:
        raise ValueError(
            f"a score of {np.abs(scores).max():g} is too large to be ranked; scale the scores down"
        )
    keys, lowest = _pack(keys, columns, largest)
    left = np.full(users, columns, dtype=np.int64)
    if blocked is not None:
        np.copyto(keys, lowest, where=blocked)
        left -= np.count_nonzero(blocked, axis=1)
    if columns > top:
        keys.partition(columns - top, axis=1)
        keys = keys[:, columns - top :].copy()
    keys.sort(axis=1)
    keys = keys[:, ::-1]
    there = keys != lowest
    whole = np.where(there, keys, 0).astype(np.int64)
    places = _place_bits(columns)
    place = np.where(there, (columns - 1) - (whole & ((1 << places) - 1)), 0)
    picked = items[place] if items.ndim == 1 else np.take_along_axis(items, place, axis=1)
    on_grid = (whole >> places).astype(np.float64) / _SCALE
    found = np.minimum(left, top)
    return RankedItems(np.where(there, picked, NONE), place, np.where(there, on_grid, np.nan), found)


def _pack(grid: Floats, columns: int, largest: float) -> tuple[NDArray[Any], Any]:
    """Pack scores and places into sortable numbers.

    Returns the numbers and one below all of them.
    In float64 where they fit into its 53 bits, which saves a pass over all of them; else in int64.
    """
    places, order = _place_bits(columns), np.arange(columns - 1, -1, -1)
    if (largest + 1) * 2.0**places < 2.0**52:
        grid *= 2.0**places
        grid += order
        return grid, -np.inf
    keys = grid.astype(np.int64)
    keys <<= places
    keys += order
    return keys, _SMALLEST


def _place_bits(columns: int) -> int:
    """Compute the number of bits of an item's place."""
    return max(1, (columns - 1).bit_length())


def _score_limit(columns: int) -> float:
    """Compute the smallest score that is too large to be packed with a place into one integer."""
    return 2.0 ** (62 - _place_bits(columns)) / _SCALE


@dataclass(frozen=True, eq=False)
class Slates:
    """Slates of B users with K positions each."""

    items: Ints
    """(B, K) item indices; NONE where no item was left."""
    det_rank: Ints
    """(B, K) rank of each item in the deterministic order, from 1; 0 where there is none."""
    explored: Bools
    """(B,) whether the slate was shuffled."""
    found: Ints
    """(B,) number of candidates that could be shuffled."""

    def of(self, rows: Ints) -> "Slates":
        """Select the slates of some users."""
        return Slates(self.items[rows], self.det_rank[rows], self.explored[rows], self.found[rows])


def serve_slates(
    ranked: RankedItems, slots: int, epsilon: float, draw: Draw, users: Ints, session: int
) -> Slates:
    """Serve each user's first `slots` candidates, or a random permutation's with probability epsilon.

    A user's coin and permutation are named by user and session.
    """
    count = min(slots, ranked.items.shape[1])
    rank = np.where(np.arange(count) < ranked.found[:, None], np.arange(1, count + 1), 0)
    explored = np.zeros(len(users), dtype=np.bool_)
    if epsilon > 0:
        explored = draw.at("explore").chance(epsilon, agent=users, step=session)
        rank[explored] = _permute(ranked, explored, count, draw, users, session)
    picked = np.take_along_axis(ranked.items, np.maximum(rank - 1, 0), axis=1)
    return Slates(np.where(rank > 0, picked, NONE), rank, explored, ranked.found)


def _permute(ranked: RankedItems, explored: Bools, count: int, draw: Draw, users: Ints, session: int) -> Ints:
    found = ranked.found[explored][:, None]
    places = np.arange(ranked.items.shape[1])
    noise = draw.at("shuffle").uniform(agent=users[explored][:, None], item=places[None, :], step=session)
    order = order_by(np.where(places < found, noise, 2.0), axis=1)[:, :count]
    return np.where(places[:count] < found, order + 1, 0)


def propensities(slates: Slates, epsilon: float) -> Mapping[str, Floats]:
    """Compute the propensities (serving probabilities) of the served items, (B, K).

    `p_item` is of the item at its position, `p_prefix` of the items down to it, `p_slate` of the whole slate,
    `p_shown` of the item anywhere. NaN where nothing was served.
    """
    rank, found = slates.det_rank, slates.found
    k = rank.shape[1]
    names = ("p_item", "p_prefix", "p_slate", "p_shown")
    result = {name: np.full(rank.shape, np.nan) for name in names}
    lengths = np.minimum(found, k)
    for length in np.unique(lengths[lengths > 0]).tolist():
        rows = np.flatnonzero(lengths == length)
        served, shuffled = rank[rows, :length], found[rows]
        first = prefix(served, shuffled, epsilon)
        chances = (
            item_position(served, np.arange(1, length + 1), shuffled[:, None], epsilon),
            first,
            np.broadcast_to(first[:, -1:], first.shape),
            in_slate(served, length, shuffled[:, None], epsilon),
        )
        for name, chance in zip(names, chances, strict=True):
            result[name][rows[:, None], np.arange(length)] = chance
    return result


def read_scores(whose: str, scores: object, shape: tuple[int, int]) -> Floats:
    """Convert the result of a study's own code to a float64 array (users, items).

    Raises InputError naming `whose` result it is.
    """
    try:
        found = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{whose} returned no numbers ({error}); return an array of scores") from None
    if found.shape != shape:
        raise InputError(
            f"{whose} returned scores of shape {found.shape} for {shape[0]} users and {shape[1]} items; "
            f"return one score for each user and item, shape {shape}"
        )
    return found


def check_scores(name: str, scores: object, shape: tuple[int, int]) -> Floats:
    """Convert a ranker's scores to float64 (B, C). Raises InputError where they are invalid."""
    found, items = read_scores(f"the ranker {name!r}", scores, shape), shape[1]
    if not np.isfinite(found).all():
        user, item = (int(n) for n in np.argwhere(~np.isfinite(found))[0])
        raise InputError(
            f"the ranker {name!r} returned {found[user, item]} for user {user} of the block and item {item}; "
            "give every item a finite score, a low one to what should not be shown"
        )
    largest = _score_limit(items)
    if found.size and max(found.max(), -found.min()) >= largest:
        raise InputError(
            f"the ranker {name!r} returned a score of {np.abs(found).max():g}, too large to be ranked "
            f"among {items} items; scale its scores down below {largest:g}"
        )
    return found
