"""Turn rows of (user, item, value) by id into ratings by index, counting rows left out or merged."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from openiir.kit.arrays import Floats, Ints
from openiir.kit.items.ratings import Ratings, Scale
from openiir.plugin import InputError, Record


class RowRules(Record):
    """How a loader treats duplicate and unknown rows."""

    duplicates: Literal["error", "first", "last", "mean"] = "error"
    """Which rating stands where a user rated an item more than once, by time where it is given, else by row."""
    strict: bool = False
    """Whether a rating of an unknown item, or by an unknown user, is an error; else it is left out and counted."""


USUAL = RowRules()


@dataclass(frozen=True, eq=False)
class Interactions:
    """Rows as a file has them."""

    user: Any
    """Ids: an Arrow array of strings."""
    item: Any
    value: Floats
    where: Callable[[int], str]
    """The file and row of an index, in words."""
    time: Floats | None = None


@dataclass(frozen=True, eq=False)
class IndexedRatings:
    """Ratings with the ids of their users and items, and counts of what was left out."""

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
    """Index rows as ratings, in their order; users and items are those given, or else those met, in order of row.

    Raises InputError, naming file and row, for a value outside the scale, and for a pair that comes twice or an
    id that nobody knows where the rules want it.
    """
    _check_scale(rows, scale)
    user, users = _indices(rows.user, users)
    item, items = _indices(rows.item, items)
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
    value, chosen = _one_a_pair(rows, row, user[row] * len(items) + item[row], rules)
    if len(chosen) < len(row):
        skipped["further ratings of a pair"] = len(row) - len(chosen)
    ratings = Ratings(len(users), len(items), user[chosen], item[chosen], value, scale)
    return IndexedRatings(ratings, users, items, skipped)


def _check_scale(rows: Interactions, scale: Scale) -> None:
    steps = (rows.value - scale.low) / scale.step
    wrong = (rows.value < scale.low) | (rows.value > scale.high) | (np.abs(steps - np.round(steps)) > 1e-9)
    if wrong.any():
        at = int(np.argmax(wrong))
        raise InputError(
            f"{rows.where(at)}: user {rows.user[at].as_py()!r} rates item {rows.item[at].as_py()!r} "
            f"{rows.value[at]:g}, but the scale is {scale.low:g} to {scale.high:g} in steps of {scale.step:g}; "
            "mend that row, or give the scale that the ratings have"
        )


def codes(ids: Any) -> tuple[Ints, tuple[str, ...]]:
    """Each id's place among the different ones, and these in the order in which they are met."""
    coded = ids.dictionary_encode()
    if hasattr(coded, "combine_chunks"):
        coded = coded.unify_dictionaries().combine_chunks()
    return coded.indices.to_numpy(zero_copy_only=False).astype(np.int64), tuple(coded.dictionary.to_pylist())


def _indices(ids: Any, known: Sequence[str] | None) -> tuple[Ints, tuple[str, ...]]:
    """Each id's index among the known ones (-1 where it is none of them), or among those met."""
    found, met = codes(ids)
    if known is None:
        return found, met
    index = {id: n for n, id in enumerate(known)}
    lookup = np.array([index.get(id, -1) for id in met], dtype=np.int64)
    return lookup[found], tuple(known)


def _one_a_pair(rows: Interactions, row: Ints, pair: Ints, rules: RowRules) -> tuple[Floats, Ints]:
    """Values and row numbers with each pair once, where it stood first, in order of row."""
    order = np.argsort(pair, kind="stable")
    again = np.flatnonzero(pair[order][1:] == pair[order][:-1])
    if not len(again):
        return rows.value[row], row
    if rules.duplicates == "error":
        one, other = (int(row[order[at]]) for at in (again[0], again[0] + 1))
        raise InputError(
            f"{rows.where(one)} and row {rows.where(other).rpartition(' ')[2]}: user {rows.user[one].as_py()!r} rates item "
            f'{rows.item[one].as_py()!r} twice; keep one, or set duplicates = "first", "last" or "mean"'
        )
    group = np.unique(pair, return_inverse=True)[1].ravel()
    first = np.full(group.max() + 1, len(row))
    np.minimum.at(first, group, np.arange(len(row)))
    groups = np.argsort(first)
    return _choose(rows, row, group, rules.duplicates)[groups], row[first[groups]]


def _choose(rows: Interactions, row: Ints, group: Ints, how: str) -> Floats:
    """One value a group."""
    value = rows.value[row]
    if how == "mean":
        return np.asarray(np.bincount(group, weights=value) / np.bincount(group))
    time = np.zeros(len(row)) if rows.time is None else rows.time[row]
    order = np.lexsort((np.arange(len(row)), time, group))
    last = np.append(np.diff(group[order]) > 0, True)
    ends = order[last] if how == "last" else order[np.append(True, last[:-1])]
    return np.asarray(value[ends])


def implicit_value(scale: Scale) -> float:
    """The value of an interaction without a rating: three quarters up the scale (4 of 5), liked but not best."""
    return scale.low + 0.75 * (scale.high - scale.low)
