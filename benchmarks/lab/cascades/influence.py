"""Exact influence of a post or a member: the same spread without it, under the same draws."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lab.cascades.spreading import Spread, SpreadingRule, spread_items
from openiir.core.errors import InputError
from openiir.core.seeds import Draw
from openiir.kit.networks.follower_graph import FollowerGraph


class Influence(NamedTuple):
    """What a member's shares caused, by removal and as cascade trees attribute it; sums over items.

    A tree credits a share with all that descends from it, also where the same members would have been reached
    by another way; removal tells what would have been lost.
    """

    lost_shares: int
    """Shares that do not happen without the member's own, its own included."""
    lost_reach: int
    """Members who are no longer shown an item by anybody."""
    tree_shares: int
    """Shares in the subtrees below the member's own, its own included."""
    tree_reach: int
    """Members whose first exposure came from a share in these subtrees."""


def measure_influence(
    graph: FollowerGraph,
    members: ArrayLike,
    rule: SpreadingRule,
    draw: Draw,
    removed: int,
    items: ArrayLike | None = None,
    item: int | None = None,
    base: Spread | None = None,
) -> Influence:
    """Measure the influence of the member `removed` on one item, or on all items where `item` is None.

    The arguments up to `draw` and `items` are those of `spread_items`; `base` is its result, where it is at
    hand. Only items that the member shared are spread again, with the member seeing and never sharing them.
    Every decision is drawn under its own name, so the difference is exact and needs no repetition. Raises
    InputError where the member did not share.
    """
    who = np.atleast_1d(np.asarray(members))
    what = np.arange(len(who)) if items is None else np.atleast_1d(np.asarray(items))
    with_it = spread_items(graph, who, rule, draw, what) if base is None else base
    own = with_it.shares.member == removed
    shared = np.unique(with_it.shares.item[own if item is None else own & (with_it.shares.item == item)])
    if not len(shared):
        what = "anything" if item is None else f"item {item}"
        raise InputError(f"member {removed} did not share {what}; name one that did")
    with_it = Spread(*(columns.select(np.isin(columns.item, shared)) for columns in with_it))
    again = np.isin(what, shared)
    silent = shared, np.full(len(shared), removed)
    without = spread_items(graph, who[again], rule, draw, what[again], silent)
    trees, shown = with_it.trees(), with_it.first_exposures
    credited = trees.shares.member == removed
    for rows in trees.levels[1:]:
        credited[rows] |= credited[trees.parent[rows]]
    return Influence(
        lost_shares=len(with_it.shares.item) - len(without.shares.item),
        lost_reach=len(with_it.first_exposures.item) - len(without.first_exposures.item),
        tree_shares=int(credited.sum()),
        tree_reach=int(credited[trees.find_rows(shown.item, shown.shown_by)].sum()),
    )
