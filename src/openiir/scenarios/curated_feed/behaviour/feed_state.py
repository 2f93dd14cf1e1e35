"""The users of one feed as arrays: beliefs, items seen, and what the platform observed."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openiir.kit.arrays import Bools, Floats, Ints
from openiir.kit.rankers import NONE, Shelf, View
from openiir.kit.reranking import Identity, Policy
from openiir.plugin import Arm, Draw, Own, quantise


@dataclass(eq=False)
class FeedState(Arm):
    """State of one feed's users as arrays with a row for each user."""

    feed: str
    """Name of the feed in the log: `main`, or the name of its ranker."""
    ranker: str
    """Name of the ranker in the current week."""
    belief: Own[Floats]
    slots: int
    start: Floats
    """(U, k) beliefs at the start. The array is shared by all feeds and read-only until a user states a
    belief."""
    policy: Policy = Identity()
    """Policy that re-ranks what the ranker found."""
    stated: Own[Ints] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Rows of users who state their beliefs themselves, which the belief update leaves alone."""
    taste: Own[Floats] = field(init=False)
    """(U, k) sum of the topic vectors (valence * theta) of clicked items."""
    clicked: Own[Ints] = field(init=False)
    """(U,) number of clicks of each user."""
    evidence: Own[Floats] = field(init=False)
    """(U, k) sum of (click - usual click rate at the slate position) times the item's topic vector."""
    shown: Own[Ints] = field(init=False)
    """(U,) number of impressions of each user."""
    exposure: Own[Floats] = field(init=False)
    """(U, k) sum of the topic mixes of the items shown."""
    seen: Own[NDArray[np.uint8]] = field(init=False)
    """(U, items / 8) bit mask of the items shown to each user."""
    item_clicks: Own[Ints] = field(init=False)
    item_shown: Own[Ints] = field(init=False)
    chart: Own[Ints] = field(init=False)
    """Clicks on each item up to the end of last week."""
    by_position: Own[Ints] = field(init=False)
    """(2, K) impressions and clicks at each position."""

    def __post_init__(self) -> None:
        users, k = self.belief.shape
        self.taste, self.evidence, self.exposure = (np.zeros((users, k)) for _ in range(3))
        self.clicked, self.shown = (np.zeros(users, dtype=np.int64) for _ in range(2))
        self.seen = np.zeros((users, 0), dtype=np.uint8)
        self.item_clicks, self.item_shown, self.chart = (np.zeros(0, dtype=np.int64) for _ in range(3))
        self.by_position = np.zeros((2, self.slots), dtype=np.int64)

    def state(self) -> dict[str, NDArray[Any]]:
        return super().state() | ({"start": self.start} if self.start.flags.writeable else {})

    def store_belief(self, user: int, belief: Floats, *, first: bool) -> None:
        """Store the belief that a user states; `first` means before anything was shown."""
        self.belief[user] = belief
        if first:
            if not self.start.flags.writeable:
                self.start = self.start.copy()
            self.start[user] = belief

    def grow(self, items: int) -> None:
        """Extend the arrays to `items` items, and store last week's clicks as the popularity chart."""
        more = items - len(self.item_clicks)
        self.item_clicks, self.item_shown = (
            np.pad(a, (0, more)) for a in (self.item_clicks, self.item_shown)
        )
        self.chart = self.item_clicks.copy()
        self.seen = np.pad(self.seen, ((0, 0), (0, (items + 7) // 8 - self.seen.shape[1])))

    def position_click_rates(self) -> Floats:
        """Compute the click rate at each position so far, (K,); 0 where nothing was shown."""
        shown, clicks = self.by_position
        return np.divide(clicks, shown, out=np.zeros(self.slots), where=shown > 0)

    def ranker_input(
        self, shelf: Shelf, block: slice, items: Ints, week: int, session: int, draw: Draw, oracle: bool
    ) -> View:
        """Build a ranker's input for a block of users; only an oracle ranker sees their beliefs."""
        return View(
            shelf=shelf,
            users=np.arange(block.start, block.stop),
            items=items,
            week=week,
            session=session,
            all_clicks=self.item_clicks,
            all_shown=self.item_shown,
            chart=self.chart,
            taste=_mean(self.taste[block], self.clicked[block]),
            evidence=_mean(self.evidence[block], self.shown[block]),
            draw=draw,
            belief=self.belief[block] if oracle else None,
        )

    def already_shown(self, block: slice, items: Ints) -> Bools:
        """Compute the mask (B, C) of items already shown to each user.

        `items` are the first C of the catalogue, (C,), or each user's own, (B, C).
        """
        if items.ndim == 1:
            bits = np.unpackbits(self.seen[block], axis=1, bitorder="little", count=len(items))
            return bits.view(np.bool_)
        rows = np.arange(block.start, block.stop)[:, None]
        return ((self.seen[rows, items >> 3] >> (items & 7)) & 1).astype(np.bool_)

    def update_from_clicks(
        self, block: slice, items: Ints, clicks: Bools, shelf: Shelf, usual: Floats
    ) -> None:
        """Update estimated taste and exposure of a block of users from their slates (B, K) and clicks."""
        first = np.arange(block.start, block.stop)
        x, theta = shelf.catalogue.x, shelf.catalogue.theta
        evidence, exposure = self.evidence[block], self.exposure[block]
        for slot in range(items.shape[1]):
            there, item = items[:, slot] != NONE, np.maximum(items[:, slot], 0)
            clicked = np.flatnonzero(clicks[:, slot])
            positions = x.take(item[clicked], axis=0)
            self.taste[first[clicked]] += positions
            evidence[clicked] += positions
            expected = x.take(item, axis=0)
            expected *= usual[slot]
            mix = theta.take(item, axis=0)
            if not there.all():
                expected *= there[:, None]
                mix *= there[:, None]
            evidence -= expected
            exposure += mix
            bits = (there.astype(np.uint8) << (item & 7).astype(np.uint8)).astype(np.uint8)
            self.seen[first, item >> 3] |= bits
        evidence[...] = quantise(evidence)
        self.clicked[block] += clicks.sum(axis=1)
        self.shown[block] += (items != NONE).sum(axis=1)

    def count_session(self, items: Sequence[Ints], clicks: Sequence[Bools]) -> None:
        """Add a session's impressions and clicks to the counts by item and by position."""
        size = len(self.item_clicks)
        for item, click in zip(items, clicks, strict=True):
            there = item != NONE
            self.item_shown += np.bincount(item[there], minlength=size)
            self.item_clicks += np.bincount(item[click], minlength=size)
            self.by_position += np.stack([there.sum(axis=0), click.sum(axis=0)])


def _mean(sums: Floats, counts: Ints) -> Floats:
    return quantise(sums / np.maximum(counts, 1)[:, None])
