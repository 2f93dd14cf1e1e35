"""A follower graph in compressed columns, kept in both directions, with the step of each follow."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from openiir.core.errors import InputError
from openiir.kit.arrays import Bools, Int32s, Ints
from openiir.plugin import order_by

MOST_LINKS = 2**31 - 1
"""Most members or links of a graph: its columns are of 32 bits."""


@dataclass(frozen=True, eq=False)
class LinkColumns:
    """One direction of a follower graph in CSR form: member i's links are at `start[i]:start[i + 1]`."""

    start: Int32s
    member: Int32s
    """Whom a member follows, or by whom it is followed; ascending within each member's links."""
    since: Int32s
    """Step of each follow."""

    @property
    def degrees(self) -> Int32s:
        """Number of links of each member."""
        return np.diff(self.start)

    def neighbours(self, member: int) -> Int32s:
        """List the members that one member is linked to, in ascending order."""
        return self.member[self.start[member] : self.start[member + 1]]

    def owners(self) -> Int32s:
        """Return for each link the member whose link it is; the other end is in `member`."""
        return np.repeat(np.arange(len(self.start) - 1, dtype=np.int32), self.degrees)

    def expand(self, members: Ints | Int32s) -> tuple[Ints, Ints]:
        """Find all links of many members: for each link, the index in `members` and its position."""
        counts = (self.start[members + 1] - self.start[members]).astype(np.int64)
        row = np.repeat(np.arange(len(counts)), counts)
        offset = self.start[members] - (np.cumsum(counts) - counts)
        return row, np.arange(len(row)) + offset[row]

    def find(self, members: Ints, others: Ints) -> tuple[Ints, Bools]:
        """Search many links at once: the position where each stands or belongs, and whether it is there."""
        low, end = self.start[members].astype(np.int64), self.start[members + 1].astype(np.int64)
        high = end.copy()
        while len(left := np.flatnonzero(low < high)):
            middle = (low[left] + high[left]) // 2
            below = self.member[middle] < others[left]
            low[left[below]] = middle[below] + 1
            high[left[~below]] = middle[~below]
        there = low < end
        there[there] = self.member[low[there]] == others[there]
        return low, there

    def insert(self, positions: Ints, members: Ints, others: Ints, step: int) -> "LinkColumns":
        """Add links at positions found by `find`, sorted by member and other member."""
        added = np.bincount(members, minlength=len(self.start) - 1)
        return LinkColumns(
            _shift(self.start, added),
            np.insert(self.member, positions, others.astype(np.int32)),
            np.insert(self.since, positions, np.int32(step)),
        )

    def delete(self, positions: Ints, members: Ints) -> "LinkColumns":
        """Remove the links at some positions, which belong to `members`."""
        removed = np.bincount(members, minlength=len(self.start) - 1)
        return LinkColumns(
            _shift(self.start, -removed), np.delete(self.member, positions), np.delete(self.since, positions)
        )


def _shift(start: Int32s, change: Ints) -> Int32s:
    return (start + np.concatenate(([0], np.cumsum(change)))).astype(np.int32)


@dataclass(frozen=True, eq=False)
class FollowerGraph:
    """Who follows whom among members 0 to n - 1; `follow` and `unfollow` return another graph."""

    following: LinkColumns
    """Whom each member follows."""
    followers: LinkColumns
    """Who follows each member: whom its posts are shown to."""

    @property
    def members(self) -> int:
        """Number of members."""
        return len(self.following.start) - 1

    @property
    def links(self) -> int:
        """Number of follows."""
        return len(self.following.member)

    def follows(self, followers: ArrayLike, followees: ArrayLike) -> Bools:
        """Return for each pair whether the first member follows the second."""
        return self.following.find(*_check_pairs(self.members, followers, followees))[1]

    def follow(self, followers: ArrayLike, followees: ArrayLike, step: int) -> "FollowerGraph":
        """Add follows that begin at a step, in any order.

        A follow that is there already keeps its step; one that is given twice counts once.
        Raises InputError for an unknown member and for a member that is to follow itself.
        """
        first, second = self._batch(followers, followees)
        fresh = ~self.following.find(first, second)[1]
        if self.links + int(fresh.sum()) > MOST_LINKS:
            raise InputError(f"the graph would have more than {MOST_LINKS:,} follows; use fewer")
        _check_steps(np.asarray(step))
        return self._change(
            first[fresh], second[fresh], lambda side, a, b: side.insert(side.find(a, b)[0], a, b, step)
        )

    def unfollow(self, followers: ArrayLike, followees: ArrayLike) -> "FollowerGraph":
        """Remove follows, in any order; pairs without a follow are ignored.

        Raises InputError for an unknown member and for a member that is to unfollow itself.
        """
        first, second = self._batch(followers, followees)
        there = self.following.find(first, second)[1]
        return self._change(
            first[there], second[there], lambda side, a, b: side.delete(side.find(a, b)[0], a)
        )

    def _batch(self, followers: ArrayLike, followees: ArrayLike) -> tuple[Ints, Ints]:
        first, second = _check_pairs(self.members, followers, followees)
        if len(own := np.flatnonzero(first == second)):
            raise InputError(
                f"member {first[own[0]]} is to follow or unfollow itself; leave such pairs out of the batch"
            )
        key = np.unique(first * self.members + second)
        return key // self.members, key % self.members

    def _change(
        self, first: Ints, second: Ints, change: Callable[[LinkColumns, Ints, Ints], LinkColumns]
    ) -> "FollowerGraph":
        order = order_by(second, first)
        return FollowerGraph(
            following=change(self.following, first, second),
            followers=change(self.followers, second[order], first[order]),
        )


class BuiltGraph(NamedTuple):
    """A graph built from pairs, with the number of pairs left out."""

    graph: FollowerGraph
    self_follows: int
    """Pairs left out because both ends are the same member."""
    repeats: int
    """Pairs left out because they stand earlier in the list, or carry a later step."""


def build_graph(members: int, followers: ArrayLike, followees: ArrayLike, since: ArrayLike = 0) -> BuiltGraph:
    """Build a follower graph from pairs in any order, with the step at which each follow began.

    Self-follows are left out; of pairs given more than once the earliest step counts.
    Raises InputError for a pair with a member beyond 0 to `members` - 1 and for columns of different lengths.
    """
    from scipy.sparse import csr_matrix

    if not 0 <= members <= MOST_LINKS:
        raise InputError(f"a graph of {members} members was asked for; give 0 to {MOST_LINKS:,}")
    first, second = _check_pairs(members, followers, followees)
    when = np.asarray(since)
    if when.ndim and len(when) != len(first):
        raise InputError(f"{len(when)} steps for {len(first)} follows; give one number, or one a follow")
    _check_steps(when)
    if len(first) > MOST_LINKS:
        raise InputError(f"{len(first):,} follows were given; a graph is built of at most {MOST_LINKS:,}")
    proper = np.flatnonzero(first != second)
    order = proper[_stable_order(second[proper], members)]
    order = order[_stable_order(first[order], members)]
    a, b = first[order].astype(np.int32), second[order].astype(np.int32)
    new = np.append(True, (np.diff(a) != 0) | (np.diff(b) != 0))[: len(a)]
    repeats = len(a) - int(new.sum())
    steps = when[order] if when.ndim else np.broadcast_to(when, len(a))
    if repeats:
        a, b = a[new], b[new]
        steps = np.minimum.reduceat(steps, np.flatnonzero(new))
    start = np.concatenate(([0], np.cumsum(np.bincount(a, minlength=members)))).astype(np.int32)
    del a, order, new
    following = LinkColumns(start, b, steps.astype(np.int32))
    turned = csr_matrix((following.since, b, start), shape=(members, members)).tocsc()
    graph = FollowerGraph(following, LinkColumns(turned.indptr, turned.indices, turned.data))
    return BuiltGraph(graph, len(first) - len(proper), repeats)


def _stable_order(column: Ints, members: int) -> Int32s:
    """Sort by a column of member numbers in linear time, as a matrix with one entry a row."""
    from scipy.sparse import csr_matrix

    rows = len(column)
    entries = np.zeros(rows, dtype=np.int8), column.astype(np.int32), np.arange(rows + 1, dtype=np.int32)
    return np.asarray(csr_matrix(entries, shape=(rows, members)).tocsc().indices)


def _check_pairs(members: int, followers: ArrayLike, followees: ArrayLike) -> tuple[Ints, Ints]:
    first, second = np.atleast_1d(np.asarray(followers)), np.atleast_1d(np.asarray(followees))
    if first.shape != second.shape or first.ndim != 1:
        raise InputError(
            f"{first.shape} followers and {second.shape} followees; give two columns of one length"
        )
    for column in (first, second):
        if column.size and column.dtype.kind not in "iu":
            raise InputError(f"members are numbered by integers, got a column of {column.dtype}")
        if len(unknown := np.flatnonzero((column < 0) | (column >= members))):
            raise InputError(
                f"row {unknown[0]} names the member {column[unknown[0]]}, but there are {members:,}, "
                "numbered from 0; leave the row out, or make the population larger"
            )
    return first.astype(np.int64), second.astype(np.int64)


def _check_steps(since: Ints) -> None:
    if since.dtype.kind not in "iu" or (since.size and not -(2**31) <= since.min() <= since.max() < 2**31):
        raise InputError("the step of a follow is an integer of at most 31 bits; count steps, not moments")
