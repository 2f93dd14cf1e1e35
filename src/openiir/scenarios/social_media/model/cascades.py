"""Cascade trees from logged exposure: who shared an item, and by whose share each was shown it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from openiir.kit.arrays import Bools, Floats, Ints
from openiir.kit.networks.follower_graph import FollowerGraph
from openiir.plugin import InputError, order_by

NOBODY = -1
"""`shown_by` of a share that starts a cascade."""


class ExposureColumns(NamedTuple):
    """Members to whom an item was shown, one row each: those who shared it, or all who saw it."""

    item: Ints
    member: Ints
    shown_by: Ints
    """Member whose share was seen; -1 where the member brought the item itself."""
    time: Floats
    """Step or minute."""

    def select(self, rows: Ints | Bools) -> "ExposureColumns":
        """Return the exposures in these rows alone, given as indices or as a mask."""
        return ExposureColumns(self.item[rows], self.member[rows], self.shown_by[rows], self.time[rows])


@dataclass(frozen=True, eq=False)
class CascadeTrees:
    """Cascade trees with a row for each share; measures have a value for each tree, ordered by first row."""

    shares: ExposureColumns
    parent: Ints
    """Row of the share that each member was shown; -1 at a root."""
    tree: Ints
    """Number of each row's tree."""
    depth: Ints
    """Number of shares between each row and its root; 0 at a root."""
    levels: Sequence[Ints]
    """Rows by depth."""

    def __len__(self) -> int:
        return len(self.levels[0])

    @property
    def roots(self) -> Ints:
        """Row of each tree's root."""
        return self.levels[0]

    @cached_property
    def size(self) -> Ints:
        """Number of shares in each tree."""
        return np.bincount(self.tree, minlength=len(self))

    @cached_property
    def max_depth(self) -> Ints:
        """Largest depth in each tree; 0 for a root alone."""
        deepest = np.zeros(len(self), dtype=np.int64)
        for depth, rows in enumerate(self.levels):
            deepest[self.tree[rows]] = depth
        return deepest

    @cached_property
    def max_breadth(self) -> Ints:
        """Largest number of members at one depth of each tree."""
        width = len(self.levels)
        keys, members = np.unique(self.tree * width + self.depth, return_counts=True)
        widest = np.zeros(len(self), dtype=np.int64)
        np.maximum.at(widest, keys // width, members)
        return widest

    @cached_property
    def subtree_size(self) -> Ints:
        """Number of shares that descend from each row's share, itself included."""
        size = np.ones(len(self.parent), dtype=np.int64)
        for rows in self.levels[:0:-1]:
            np.add.at(size, self.parent[rows], size[rows])
        return size

    @cached_property
    def virality(self) -> Floats:
        """Structural virality of each tree: the mean distance of two different shares; NaN for a root alone.

        Goel, Anderson, Hofman & Watts (Manage. Sci. 2016). A link that parts s of n shares from the others
        lies between s (n - s) pairs, so that one pass over the links adds up all distances.
        """
        n = self.size
        below = self.subtree_size
        pairs = np.bincount(self.tree, below * (n[self.tree] - below).astype(np.float64), minlength=len(self))
        return np.where(n > 1, 2 * pairs / np.maximum(n * (n - 1.0), 1.0), np.nan)


def build_trees(item: ArrayLike, member: ArrayLike, shown_by: ArrayLike, time: ArrayLike) -> CascadeTrees:
    """Build cascade trees from columns: item, member, who showed it (-1: nobody), and step or minute.

    An item with several shares that nobody showed has as many trees. Raises InputError where a member shares
    an item twice, was shown it by somebody who did not share it, shares before that share, or where shares
    form a cycle; `clean_shares` applies rules to data that hold such rows.
    """
    shares = check_columns(item, member, shown_by, time)
    parent = _find_parents(shares)
    levels, tree, depth = _sort_by_depth(parent)
    if len(lost := np.flatnonzero(depth < 0)):
        row = int(lost[0])
        raise InputError(
            f"item {shares.item[row]}: following shown_by from member {shares.member[row]} leads back to the "
            "same member; a cascade starts at a share that nobody showed (shown_by -1)"
        )
    early = np.flatnonzero((parent >= 0) & (shares.time < shares.time[parent]))
    if len(early):
        raise InputError(
            f"{_words(shares, early[0])}, at {shares.time[early[0]]:g}, earlier than that share at "
            f"{shares.time[parent[early[0]]]:g}; mend the times, or apply clean_shares"
        )
    return CascadeTrees(shares, parent, tree, depth, levels)


def _words(shares: ExposureColumns, row: int) -> str:
    item, member, shown_by = shares.item[row], shares.member[row], shares.shown_by[row]
    return f"item {item}: member {member} was shown it by member {shown_by}"


def check_columns(
    item: ArrayLike, member: ArrayLike, shown_by: ArrayLike, time: ArrayLike
) -> ExposureColumns:
    """Check columns of exposures: one length, integers from 0 (shown_by from -1), and a time in each row."""
    numbers = [np.asarray(column) for column in (item, member, shown_by)]
    when = np.asarray(time, dtype=np.float64)
    if any(column.ndim != 1 or len(column) != when.size for column in numbers) or when.ndim != 1:
        raise InputError("item, member, shown_by and time are columns of one length; give one row a share")
    if any(column.size and column.dtype.kind not in "iu" for column in numbers):
        raise InputError("item, member and shown_by are integers; number items and members from 0")
    if any((column < 0).any() for column in numbers[:2]) or (numbers[2] < NOBODY).any():
        raise InputError("items and members are numbered from 0, and shown_by may be -1; mend the columns")
    if not np.isfinite(when).all():
        raise InputError(f"row {np.flatnonzero(~np.isfinite(when))[0]} has no time; give a step or a minute")
    first, second, third = (column.astype(np.int64) for column in numbers)
    return ExposureColumns(first, second, third, when)


def find_shares(shares: ExposureColumns, items: Ints, members: Ints) -> Ints:
    """Find the first row in which each member shared the item beside it; -1 where there is none."""
    known, of_item = np.unique(shares.item, return_inverse=True)
    own = shares.member
    width = max(int(own.max(initial=0)), int(members.max(initial=0))) + 1
    if width > 2**62 // max(len(known), 1):  # ids far apart: number them
        ids, numbers = np.unique(np.concatenate((own, members)), return_inverse=True)
        own, members, width = numbers[: len(own)], np.where(members < 0, -1, numbers[len(own) :]), len(ids)
    key = of_item * width + own
    order = order_by(key)
    place = np.searchsorted(known, items)
    there = (place < len(known)) & (members >= 0)
    there[there] = known[place[there]] == items[there]
    wanted = np.where(there, place * width + members, -1)
    found = np.searchsorted(key[order], wanted)
    there &= found < len(order)
    rows = np.full(len(items), -1)
    rows[there] = order[found[there]]
    there[there] = key[rows[there]] == wanted[there]
    return np.where(there, rows, -1)


def _find_parents(shares: ExposureColumns) -> Ints:
    """Find for each share the row of the share that showed it."""
    first = find_shares(shares, shares.item, shares.member)
    if len(twice := np.flatnonzero(first != np.arange(len(first)))):
        who, what = shares.member[twice[0]], shares.item[twice[0]]
        raise InputError(f"member {who} shares item {what} twice; keep one share, or apply clean_shares")
    parent = np.full(len(first), NOBODY)
    shown = np.flatnonzero(shares.shown_by != NOBODY)
    parent[shown] = find_shares(shares, shares.item[shown], shares.shown_by[shown])
    if len(missing := shown[parent[shown] < 0]):
        raise InputError(f"{_words(shares, missing[0])}, who never shared it; add that share, or write -1")
    return parent


def _sort_by_depth(parent: Ints) -> tuple[list[Ints], Ints, Ints]:
    """Sort rows by depth: rows of each depth, tree and depth of each row (-1 where no root leads there)."""
    by_parent = order_by(parent)
    roots = int(np.searchsorted(parent[by_parent], 0))
    children = np.bincount(parent[by_parent[roots:]], minlength=len(parent))
    start = np.cumsum(children) - children + roots
    tree, depth = np.full(len(parent), -1), np.full(len(parent), -1)
    rows = by_parent[:roots]
    tree[rows] = np.arange(roots)
    levels = [rows]
    while len(rows):
        depth[rows] = len(levels) - 1
        counts = children[rows]
        offset = np.repeat(start[rows] - (np.cumsum(counts) - counts), counts)
        rows = by_parent[offset + np.arange(len(offset))]
        tree[rows] = tree[parent[rows]]
        levels.append(rows)
    return levels[: max(len(levels) - 1, 1)], tree, depth


def p_for_reproduction(graph: FollowerGraph, reproduction: float, reached: bool = False) -> float:
    """Compute the p of an independent cascade in which a share causes `reproduction` further ones on average.

    p is the reproduction number divided by the mean number of followers, of all members or, with `reached`,
    of the follower at the end of a random follow. Both agree where having many followers and following many
    are unrelated; where they go together (mutual follows), cascades grow by the second. Raises InputError
    where p would be above 1.
    """
    audience = graph.followers.degrees.astype(np.float64)
    weight = graph.following.degrees if reached else np.ones(graph.members)
    mean = float((weight * audience).sum()) / max(float(weight.sum()), 1.0)
    p = reproduction / mean if mean else math.inf
    if not 0 <= p <= 1:
        raise InputError(
            f"a reproduction number of {reproduction} needs p = {p:g} on this graph, where a share is shown "
            f"to {mean:g} followers on average; give a smaller number, or a denser graph"
        )
    return p
