"""Rules for shares observed in real data: repeated ones, shares shown by oneself, negative delays."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra

from openiir.kit.arrays import Floats, Ints
from openiir.plugin import order_by
from openiir.scenarios.social_media.model.cascades import (
    NOBODY,
    CascadeTrees,
    ExposureColumns,
    build_trees,
    check_columns,
    find_shares,
)


class CleanedTrees(NamedTuple):
    """Trees of observed shares, with the number of rows that each rule changed."""

    trees: CascadeTrees
    self_shown: int
    """Rows left out because a member was shown the item by itself."""
    repeats: int
    """Rows left out because a member shares the item in another row."""
    early: int
    """Shares whose time was raised to that of the share they were shown."""


def clean_shares(item: ArrayLike, member: ArrayLike, shown_by: ArrayLike, time: ArrayLike) -> CleanedTrees:
    """Build the trees of observed shares by stated rules, which do not depend on the order of rows.

    1. A row in which a member is shown the item by itself is left out.
    2. Of several rows of one member and item that counts whose sharer is the fewest shares away from a root;
       of equally near ones whose sharer came first; then the lower number of the sharer. The earliest time
       counts.
    3. A share earlier than the one it was shown counts as made at the same time, from the root downwards.
    Raises InputError where a sharer never shared the item, or no way leads from a root to a share (a cycle).
    """
    rows = check_columns(item, member, shown_by, time)
    proper = rows.select(rows.member != rows.shown_by)
    order = order_by(proper.item, proper.member, proper.time)
    earliest = proper.select(order[_starts(proper, order)])
    sharer = find_shares(earliest, proper.item, proper.shown_by)
    away, shared = _steps_from_roots(earliest, proper, sharer)[sharer], earliest.time[sharer]
    order = order_by(proper.item, proper.member, away, shared, proper.shown_by)
    kept = proper.select(order[_starts(proper, order)])
    when = earliest.time.copy()
    trees = build_trees(kept.item, kept.member, kept.shown_by, np.zeros(len(when)))
    for level in trees.levels[1:]:
        when[level] = np.maximum(when[level], when[trees.parent[level]])
    return CleanedTrees(
        build_trees(kept.item, kept.member, kept.shown_by, when),
        self_shown=len(rows.item) - len(proper.item),
        repeats=len(proper.item) - len(kept.item),
        early=int((when > earliest.time).sum()),
    )


def _steps_from_roots(shares: ExposureColumns, rows: ExposureColumns, sharer: Ints) -> Floats:
    """Count the shares between the roots and each share by the shortest way; the last entry is nobody's 0."""
    nobody = len(shares.item)
    ends = find_shares(shares, rows.item, rows.member)
    starts = np.where(rows.shown_by == NOBODY, nobody, sharer)
    known = starts >= 0
    links = csr_matrix((np.ones(int(known.sum())), (starts[known], ends[known])), shape=(nobody + 1,) * 2)
    return np.asarray(dijkstra(links, unweighted=True, indices=nobody))


def _starts(rows: ExposureColumns, order: Ints) -> Ints:
    """Find the places in a sorted order at which another item or member begins."""
    item, member = rows.item[order], rows.member[order]
    return np.flatnonzero(np.append(True, (np.diff(item) != 0) | (np.diff(member) != 0))[: len(order)])
