"""Convert rows of (user, item, value) by id to ratings by index, counting rows left out or merged."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from openiir.kit.arrays import Floats, Ints
from openiir.kit.items.ratings import Ratings, Scale
from openiir.plugin import ConfigTable, InputError, first_largest, order_by


class RowRules(ConfigTable):
    """How loaders treat duplicate rows and rows with unknown users or items."""

    duplicates: Literal["error", "first", "last", "mean"] = "error"
    """Which rating to keep where a user rated an item more than once. First and last are by time where it is
    given, else by row."""
    strict: bool = False
    """Whether a rating by an unknown user or of an unknown item is an error. Otherwise the row is left out
    and counted."""


USUAL = RowRules()


@dataclass(frozen=True, eq=False)
class Interactions:
    """Rows of an interaction file as columns: user id, item id, value and time."""

    user: Any
    """User ids as an Arrow array of strings."""
    item: Any
    value: Floats
    where: Callable[[int], str]
    """Function from a row's index to its file and row number in words."""
    time: Floats | None = None


@dataclass(frozen=True, eq=False)
class IndexedRatings:
    """Ratings with the ids of their users and items, and counts of rows left out."""

    ratings: Ratings
    users: tuple[str, ...]
    items: tuple[str, ...]
    skipped: Mapping[str, int]


def index_ratings(
    rows: Interactions,
    users: Sequence[str] | None,
    items: Sequence[str] | None,
    scale: Scale,
    rules: RowRules,
) -> IndexedRatings:
    """Convert rows with ids to ratings by index, in their order.

    Users and items are the given ones, or else those that occur, in order of row. Raises InputError, naming
    file and row, for a value outside the scale, and for a pair that comes twice or an id that nobody knows
    where the rules want it.
    """
    _check_scale(rows, scale)
    user, users = _index_ids(rows.user, users)
    item, items = _index_ids(rows.item, items)
    skipped: dict[str, int] = {}
    kept = np.ones(len(rows.value), dtype=np.bool_)
    for what, index, ids in (("users", user, rows.user), ("items", item, rows.item)):
        strange = np.flatnonzero(index < 0)
        if len(strange) and rules.strict:
            at = int(strange[0])
            raise InputError(
                f"{rows.where(at)}: there is no {what[:-1]} {ids[at].as_py()!r}; "
                "add it to its file, take the row out, or set strict = false to leave such rows out"
            )
        if len(strange):
            skipped[f"ratings of unknown {what}"] = len(strange)
        kept[strange] = False
    row = np.flatnonzero(kept)
    value, chosen = _merge_duplicates(rows, row, user[row] * len(items) + item[row], rules)
    if len(chosen) < len(row):
        skipped["further ratings of a pair"] = len(row) - len(chosen)
    ratings = Ratings(len(users), len(items), user[chosen], item[chosen], value, scale)
    return IndexedRatings(ratings, users, items, skipped)


def _check_scale(rows: Interactions, scale: Scale) -> None:
    steps = (rows.value - scale.low) / scale.step
    wrong = (rows.value < scale.low) | (rows.value > scale.high) | (np.abs(steps - np.round(steps)) > 1e-9)
    if wrong.any():
        at = int(first_largest(wrong))
        raise InputError(
            f"{rows.where(at)}: user {rows.user[at].as_py()!r} rates item {rows.item[at].as_py()!r} "
            f"{rows.value[at]:g}, but the scale is {scale.low:g} to {scale.high:g} in steps of "
            f"{scale.step:g}; mend that row, or give the scale that the ratings have"
        )


def encode_ids(ids: Any) -> tuple[Ints, tuple[str, ...]]:
    """Encode ids as integers; returns the codes and the distinct ids in order of first occurrence."""
    coded = ids.dictionary_encode()
    if hasattr(coded, "combine_chunks"):
        coded = coded.unify_dictionaries().combine_chunks()
    return coded.indices.to_numpy(zero_copy_only=False).astype(np.int64), tuple(coded.dictionary.to_pylist())


def _index_ids(ids: Any, known: Sequence[str] | None) -> tuple[Ints, tuple[str, ...]]:
    """Convert ids to indices of the known ids (-1 for unknown ones), or of those that occur."""
    found, met = encode_ids(ids)
    if known is None:
        return found, met
    index = {id: n for n, id in enumerate(known)}
    lookup = np.array([index.get(id, -1) for id in met], dtype=np.int64)
    return lookup[found], tuple(known)


def _merge_duplicates(rows: Interactions, row: Ints, pair: Ints, rules: RowRules) -> tuple[Floats, Ints]:
    """Merge rows of the same (user, item) pair into one.

    Returns values and row numbers, each pair at its first row.
    """
    order = order_by(pair)
    again = np.flatnonzero(pair[order][1:] == pair[order][:-1])
    if not len(again):
        return rows.value[row], row
    if rules.duplicates == "error":
        one, other = (int(row[order[at]]) for at in (again[0], again[0] + 1))
        raise InputError(
            f"{rows.where(one)} and row {rows.where(other).rpartition(' ')[2]}: user "
            f"{rows.user[one].as_py()!r} rates item "
            f'{rows.item[one].as_py()!r} twice; keep one, or set duplicates = "first", "last" or "mean"'
        )
    group = np.unique(pair, return_inverse=True)[1].ravel()
    first = np.full(group.max() + 1, len(row))
    np.minimum.at(first, group, np.arange(len(row)))
    groups = order_by(first)
    return _choose_values(rows, row, group, rules.duplicates)[groups], row[first[groups]]


def _choose_values(rows: Interactions, row: Ints, group: Ints, how: str) -> Floats:
    """Choose or average the values of each group of duplicate rows."""
    value = rows.value[row]
    if how == "mean":
        return np.asarray(np.bincount(group, weights=value) / np.bincount(group))
    time = np.zeros(len(row)) if rows.time is None else rows.time[row]
    order = order_by(group, time, np.arange(len(row)))
    last = np.append(np.diff(group[order]) > 0, True)
    ends = order[last] if how == "last" else order[np.append(True, last[:-1])]
    return np.asarray(value[ends])


def implicit_value(scale: Scale) -> float:
    """Compute the value of an interaction without a rating: three quarters up the scale (4 of 5)."""
    return scale.low + 0.75 * (scale.high - scale.low)
