"""Pages of posts: what is due for each reader, ranked, and how far down it looks."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openiir.kit.arrays import Floats, Ints, number_within
from openiir.kit.clicks import ClickModel, SlateReading
from openiir.kit.rankers import NONE, rank_items
from openiir.plugin import Draw, order_by
from openiir.scenarios.social_media.model.posts.post_rankers import PostRanker, PostView, scale_scores
from openiir.scenarios.social_media.model.posts.post_store import Posts
from openiir.scenarios.social_media.model.posts.sites import Due

CANDIDATES = 50
"""Largest number of posts, the latest due, that are ranked for a page."""


@dataclass(frozen=True)
class ReaderPages:
    """Pages of posts shown to readers, with the posts that each looks at."""

    readers: Ints
    """(B,)"""
    posts: Ints
    """(B, W) by place; -1 where the reader looks at none."""
    shown: Due
    """The other columns of what was due, (B, W) each, such as `by` and `minute`."""

    def list_impressions(self) -> Due:
        """List the impressions as columns: reader, post, rank from 1, and the columns of `shown`."""
        row, place = np.nonzero(self.posts >= 0)
        shown = {name: column[row, place] for name, column in self.shown.items()}
        return {"reader": self.readers[row], "post": self.posts[row, place], "rank": place + 1, **shown}


@dataclass(frozen=True)
class PageLayout:
    """How pages are laid out: ranker, score factors, slots and attention."""

    ranker: PostRanker
    factor: Floats
    """What the score of each post is multiplied with, by id."""
    lowering: Floats
    """By how much each post is ranked down, by id: at 0.1 it stands ten times as low, at 1 where it was."""
    slots: int
    """Largest number of posts on a page."""
    attention: float
    """Mean number of places that a reader goes down beyond the first."""

    def lay_out(self, due: Due, posts: Posts, interests: Floats, minute: float, draw: Draw) -> ReaderPages:
        """Rank the posts waiting for each reader (`due`), and draw at which of them it looks.

        Readers scan 1 + a geometric number of places, and look at the place r with probability 1 / r
        (`kit.clicks`). `due` has a reader and post at most once; `interests` are (N, k) by member.
        """
        order = order_by(due["reader"], -due["minute"], -due["post"])
        due = {name: column[order] for name, column in due.items()}
        latest = number_within(due["reader"]) < CANDIDATES
        due = {name: column[latest] for name, column in due.items()}
        order = order_by(due["reader"], due["post"])
        due = {name: column[order] for name, column in due.items()}
        width = np.ceil(np.log2(np.bincount(due["reader"])[due["reader"]]))  # most readers are due few posts
        groups = ({name: column[width == w] for name, column in due.items()} for w in np.unique(width))
        return _join([self._lay_out_group(group, posts, interests, minute, draw) for group in groups])

    def _lay_out_group(
        self, due: Due, posts: Posts, interests: Floats, minute: float, draw: Draw
    ) -> ReaderPages:
        """Lay out the pages of readers who are due about as many posts; `due` is by reader and post."""
        readers, row = np.unique(due["reader"], return_inverse=True)
        place = number_within(due["reader"])

        def spread(name: str) -> NDArray[Any]:
            column = np.full((len(readers), int(place.max()) + 1), NONE, dtype=due[name].dtype)
            column[row, place] = due[name]
            return column

        items = spread("post")
        view = PostView(posts, readers, items, minute, interests[readers], draw.at("rank"))
        scores = scale_scores(self.ranker(view), self.factor[items])
        ranked = rank_items(scores, items, items == NONE, self.slots)
        if (self.lowering[items] < 1).any():  # whatever the scale of the scores
            whole = rank_items(scores, items, items == NONE, items.shape[1])
            row, there = np.nonzero(whole.items != NONE)
            lowered = np.zeros(items.shape)
            lowered[row, whole.place[row, there]] = -(there + 1) / self.lowering[whole.items[row, there]]
            ranked = rank_items(lowered, items, items == NONE, self.slots)
        slots = ranked.items.shape[1]
        attention = ClickModel(model="position", gamma=1.0, leave=1 / (1 + self.attention))
        reading = SlateReading(attention, draw.at("look"), readers, slots)
        looks = np.zeros(ranked.items.shape, dtype=np.bool_)
        for slot in range(slots):
            looks[:, slot], _ = reading.look(slot + 1)
            reading.go_on(slot + 1, looks[:, slot], looks[:, slot])
        seen = np.where(looks, ranked.items, NONE)
        some = (seen != NONE).any(axis=1)
        shown = {
            name: np.take_along_axis(spread(name), ranked.place, axis=1)[some]
            for name in due.keys() - {"reader", "post"}
        }
        return ReaderPages(readers[some], seen[some], shown)


def _join(parts: list[ReaderPages]) -> ReaderPages:
    """Join the pages of groups of readers, in the readers' order."""
    order = order_by(np.concatenate([part.readers for part in parts]))
    widest = max(part.posts.shape[1] for part in parts)

    def stack(columns: list[NDArray[Any]], **how: Any) -> NDArray[Any]:
        wide = [np.pad(column, ((0, 0), (0, widest - column.shape[1])), **how) for column in columns]
        return np.concatenate(wide)[order]

    return ReaderPages(
        np.concatenate([part.readers for part in parts])[order],
        stack([part.posts for part in parts], constant_values=NONE),
        {name: stack([part.shown[name] for part in parts], mode="edge") for name in parts[0].shown},
    )
