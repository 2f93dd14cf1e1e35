"""Spreading of items over a follower graph: independent cascade, complex contagion, linear threshold.

Time runs in steps. Whoever shares an item in a step shows it to all followers in the next one. A member who
has not shared it yet takes these exposures one after the other, in an order drawn by name, and the first that
moves it becomes its parent. Whether an exposure moves a member is drawn under the names of item, member and
sharer, so that one run with and one without a share differ by what that share caused and by nothing else.
"""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from openiir.kit.arrays import Bools, Floats, Ints
from openiir.kit.networks.follower_graph import FollowerGraph
from openiir.plugin import Draw, InputError, order_by
from openiir.scenarios.social_media.model.cascades import NOBODY, CascadeTrees, ExposureColumns, build_trees

BLOCK = 2**24
"""Number of (item, member) pairs whose state is held at a time; results do not depend on it."""


class Exposures(NamedTuple):
    """Exposures that are decided on at once, one row each."""

    item: Ints
    member: Ints
    shown_by: Ints
    link: Ints
    """Position of the follow in the columns `graph.followers`."""
    ordinal: Ints
    """How often the member was exposed to the item so far, this time included."""


class SpreadingRule(Protocol):
    """Decides which exposures make a member share; a pure function of exposures and draw."""

    def decide(self, exposures: Exposures, draw: Draw) -> Bools:
        """Decide for each exposure whether it makes the member share, if no earlier one did."""
        ...


@dataclass(frozen=True, eq=False)
class Contagion:
    """Independent cascade, or with `p_again` complex contagion.

    A first exposure moves a member with probability p, each further one with `p_again`: after k exposures it
    has shared with probability 1 - (1 - p) (1 - p_again)^(k - 1). By default both are the same, which is the
    independent cascade (Kempe, Kleinberg & Tardos, KDD 2003); Centola (Science 2010) found reinforcement,
    p_again above p.
    """

    p: float | Floats
    """One number, or one for each link in the order of `graph.followers`."""
    p_again: float | None = None

    def __post_init__(self) -> None:
        chances = np.append(np.ravel(self.p), self.p if self.p_again is None else self.p_again)
        if not ((chances >= 0) & (chances <= 1)).all():
            raise InputError(f"chances of sharing of {self.p} and {self.p_again}; give numbers from 0 to 1")

    def decide(self, exposures: Exposures, draw: Draw) -> Bools:
        chance = self.p[exposures.link] if isinstance(self.p, np.ndarray) else self.p
        if self.p_again is not None:
            chance = np.where(exposures.ordinal == 1, chance, self.p_again)
        shares = draw.at("share").chance(
            chance, agent=exposures.member, item=exposures.item, step=exposures.shown_by
        )
        return np.asarray(shares)


@dataclass(frozen=True, eq=False)
class Threshold:
    """Linear threshold (Kempe, Kleinberg & Tardos, KDD 2003; Granovetter, Am. J. Sociol. 1978).

    A member shares once the share of those it follows who did reaches its threshold.
    """

    graph: FollowerGraph
    threshold: float | Floats | None = None
    """One number, one for each member, or None: drawn uniformly from (0, 1) for each member and item."""

    def decide(self, exposures: Exposures, draw: Draw) -> Bools:
        start, member = self.graph.following.start, exposures.member
        reached = exposures.ordinal / (start[member + 1] - start[member])
        if self.threshold is None:
            needed = draw.at("threshold").uniform(agent=exposures.member, item=exposures.item)
        else:
            needed = np.broadcast_to(self.threshold, self.graph.members)[exposures.member]
        return np.asarray(reached >= needed)


class Spread(NamedTuple):
    """What a spreading process did: who shared each item, and who was first shown it by whom."""

    shares: ExposureColumns
    first_exposures: ExposureColumns
    """One row for each item and member that saw it, but for those who started it."""

    def trees(self) -> CascadeTrees:
        """Build the cascade trees of the shares."""
        return build_trees(*self.shares)

    def reach(self, items: int) -> Ints:
        """Count for each item 0 to `items` - 1 the members who were shown it by somebody."""
        return np.bincount(self.first_exposures.item, minlength=items)


def spread_items(
    graph: FollowerGraph,
    members: ArrayLike,
    rule: SpreadingRule,
    draw: Draw,
    items: ArrayLike | None = None,
    steps: int | None = None,
) -> Spread:
    """Spread items from the members who bring them, until nobody shares any more or for a number of steps.

    Row i is brought by `members[i]` as item `items[i]`, by default a different item a row; an item may have
    several rows. Items do not influence each other. Raises InputError for members beyond the graph, and for a
    row given twice.
    """
    who = np.atleast_1d(np.asarray(members))
    what = np.arange(len(who)) if items is None else np.atleast_1d(np.asarray(items))
    start = _check_seeds(graph, what, who)
    numbers, slot = np.unique(start[:, 0], return_inverse=True)
    width = max(1, BLOCK // max(graph.members, 1))
    state = _State(graph, width)
    found: list[tuple[ExposureColumns, ExposureColumns]] = []
    for first in range(0, len(numbers), width):
        chosen = (slot >= first) & (slot < first + width)
        block = numbers[first : first + width]
        seeds = np.sort((slot[chosen] - first) * graph.members + start[chosen, 1])
        found += state.run(block, seeds, rule, draw, steps)
    if not found:
        empty = ExposureColumns(*(np.zeros(0, dtype=np.int64),) * 3, np.zeros(0))
        return Spread(empty, empty)
    return Spread(*(_join(list(parts)) for parts in zip(*found, strict=True)))


def _join(parts: list[ExposureColumns]) -> ExposureColumns:
    """Join columns sorted by time, item and member, and sort them by item, time and member."""
    columns = ExposureColumns(*(np.concatenate(column) for column in zip(*parts, strict=True)))
    return columns.select(order_by(columns.item))


def _check_seeds(graph: FollowerGraph, items: Ints, members: Ints) -> Ints:
    """Check rows of items and members, and put both beside each other."""
    rows = np.stack((items, members), axis=1).astype(np.int64)
    if rows.size and (rows.min() < 0 or members.max() >= graph.members):
        raise InputError(f"items and members are numbered from 0, members below {graph.members:,}")
    if len(np.unique(rows, axis=0)) < len(rows):
        raise InputError("an item and member stand in two rows; give each once")
    return rows


class _State:
    """Who has shared and how often who was exposed, by slot * members + member, for a block of items."""

    def __init__(self, graph: FollowerGraph, width: int) -> None:
        self.graph, self.n = graph, graph.members
        self.closed = np.zeros(width * self.n, dtype=np.bool_)
        """Whether a member has shared the item."""
        self.count = np.zeros(width * self.n, dtype=np.int32)

    def run(
        self, items: Ints, seeds: Ints, rule: SpreadingRule, draw: Draw, steps: int | None
    ) -> list[tuple[ExposureColumns, ExposureColumns]]:
        """Spread a block of items; for each step the shares, and the first exposures."""
        self.closed[seeds] = True
        sharers, shown_by = seeds, np.full(len(seeds), NOBODY)
        seen = [seeds]
        found = []
        step = 0
        empty = np.zeros(0, dtype=np.int64)
        first: tuple[Ints, Ints] = (empty, empty)
        while True:
            found.append((self._columns(items, sharers, shown_by, step), self._columns(items, *first, step)))
            if not len(sharers) or step == steps:
                break
            step += 1
            first, (sharers, shown_by) = self._expose(items, sharers, rule, draw)
            seen.append(first[0])
            self.closed[sharers] = True
        for keys in seen:
            self.closed[keys], self.count[keys] = False, 0
        return found

    def _columns(self, items: Ints, keys: Ints, shown_by: Ints, step: int) -> ExposureColumns:
        time = np.full(len(keys), float(step))
        return ExposureColumns(items[keys // self.n], keys % self.n, shown_by, time)

    def _expose(
        self, items: Ints, sharers: Ints, rule: SpreadingRule, draw: Draw
    ) -> tuple[tuple[Ints, Ints], tuple[Ints, Ints]]:
        """Show shares to followers: keys and sharers of first exposures, and of those that moved a member."""
        row, link = self.graph.followers.expand(sharers % self.n)
        key = sharers[row] // self.n * self.n + self.graph.followers.member[link]
        shown_by = sharers[row] % self.n
        kept = ~self.closed[key]
        key, shown_by, link = key[kept], shown_by[kept], link[kept]
        order = order_by(key)
        same = np.diff(key[order]) == 0
        tied = np.flatnonzero(np.append(same, False) | np.append(False, same))
        rows = order[tied]
        member, item, by = key[rows] % self.n, items[key[rows] // self.n], shown_by[rows]
        noise = draw.at("order").bits(agent=member, item=item, step=by)
        order[tied] = rows[order_by(key[rows], noise, by)]
        key, shown_by, link = key[order], shown_by[order], link[order]
        starts = np.flatnonzero(np.diff(key, prepend=-1))
        sizes = np.diff(starts, append=len(key))
        count = self.count[key] + 1 + np.arange(len(key)) - np.repeat(starts, sizes)
        fresh = starts[self.count[key[starts]] == 0]
        exposures = Exposures(items[key // self.n], key % self.n, shown_by, link, count)
        hits = np.flatnonzero(rule.decide(exposures, draw))
        moved = hits[np.unique(key[hits], return_index=True)[1]]
        self.count[key[starts]] += sizes.astype(np.int32)
        return (key[fresh], shown_by[fresh]), (key[moved], shown_by[moved])
