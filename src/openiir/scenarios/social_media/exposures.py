"""Exposures that are to come: who will be shown which post by whom and when; and pages laid out from those due."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openiir.kit.activity import draw_delays, due_rows
from openiir.kit.arrays import Floats, Ints
from openiir.kit.clicks import ClickModel, SlateReading
from openiir.kit.posts import POST_RANKERS, Posts, PostView, weigh_authors
from openiir.kit.rankers import NONE, best, ranker
from openiir.plugin import Draw
from openiir.scenarios.social_media.config import SocialMediaConfig
from openiir.scenarios.social_media.members import MemberTraits

CANDIDATES = 50
"""Largest number of posts, the latest, that are ranked for a page."""
Due = dict[str, NDArray[Any]]
"""Columns of exposures: reader, post, by (the row of who shows it), minute."""


class PendingExposures:
    """Exposures that have not come yet."""

    def __init__(self, traits: MemberTraits, end: float, restored: Mapping[str, NDArray[Any]] | None) -> None:
        """`end` is the run's last minute; what would come later is dropped."""
        self._traits, self._end = traits, end
        empty: Due = {name: np.zeros(0, dtype=np.int64) for name in ("reader", "post", "by")}
        empty["minute"] = np.zeros(0)
        self._due = {name: np.array(restored[f"due.{name}"]) if restored else empty[name] for name in empty}

    def state(self) -> Due:
        return {f"due.{name}": column for name, column in self._due.items()}

    def show(self, by: Ints, post: Ints, share: Ints, minute: Floats, draw: Draw) -> None:
        """Let followers be shown posts that members publish; `share` is the id of the post, comment or repost itself.

        Delays are those of SEISMIC's kernel, times the reader's median delay by the crowd's.
        """
        row, link = self._traits.graph.followers.expand(by)
        reader = self._traits.graph.followers.member[link].astype(np.int64)
        self.show_to(reader, by[row], post[row], share[row], minute[row], draw)

    def show_to(self, reader: Ints, by: Ints, post: Ints, share: Ints, minute: Floats, draw: Draw) -> None:
        """Let each of some members be shown a post, after a delay of its own."""
        due = minute + draw_delays(draw, reader, share) * self._traits.delay[reader]
        new = {"reader": reader, "post": post, "by": by, "minute": due}
        kept = due < self._end
        self._due = {name: np.concatenate((old, new[name][kept])) for name, old in self._due.items()}

    def take(self, end: float) -> Due:
        """Take out the exposures that fall due before a minute, earliest first."""
        rows = due_rows(self._due["minute"], 0, end)
        found = {name: column[rows] for name, column in self._due.items()}
        left = self._due["minute"] >= end
        self._due = {name: column[left] for name, column in self._due.items()}
        return found


@dataclass(frozen=True)
class Pages:
    """What readers look at: (B,) readers, and (B, W) posts by place, -1 where the reader looks at none."""

    readers: Ints
    posts: Ints
    by: Ints
    minutes: Floats


def lay_out(
    due: Due, config: SocialMediaConfig, posts: Posts, traits: MemberTraits, minute: float, draw: Draw
) -> Pages:
    """Rank what is due for each reader, and draw how far down it looks.

    Readers scan 1 + a geometric number of places, and look at the place r with probability 1 / r (`kit.clicks`).
    `due` has a reader and post at most once.
    """
    order = np.lexsort((-due["minute"], due["reader"]))
    due = {name: column[order] for name, column in due.items()}
    place = number_within(due["reader"])
    due = {name: column[place < CANDIDATES] for name, column in due.items()}
    order = np.lexsort((due["post"], due["reader"]))
    due = {name: column[order] for name, column in due.items()}
    readers, row = np.unique(due["reader"], return_inverse=True)
    place = number_within(due["reader"])

    def spread(name: str) -> NDArray[Any]:
        column = np.full((len(readers), int(place.max()) + 1), NONE, dtype=due[name].dtype)
        column[row, place] = due[name]
        return column

    items = spread("post")
    view = PostView(posts, readers, items, minute, traits.interests[readers], draw.at("rank"))
    scores = weigh_authors(ranker(config.ranker, POST_RANKERS)(view), view, traits.weight, config.gamma)
    ranked = best(scores, items, items == NONE, config.slots)
    attention = ClickModel(model="position", gamma=1.0, leave=1 / (1 + config.attention))
    slots = ranked.items.shape[1]
    reading = SlateReading(attention, draw.at("look"), readers, int(draw.step), slots)
    looks = np.zeros(ranked.items.shape, dtype=np.bool_)
    for slot in range(slots):
        looks[:, slot], _ = reading.look(slot + 1)
        reading.go_on(slot + 1, looks[:, slot], looks[:, slot])
    looks &= ranked.items != NONE
    seen = np.where(looks, ranked.items, NONE)
    by, minutes = (np.take_along_axis(spread(name), ranked.place, axis=1) for name in ("by", "minute"))
    some = looks.any(axis=1)
    return Pages(readers[some], seen[some], by[some], minutes[some])


def number_within(groups: Ints) -> Ints:
    """Number the rows of each group from 0; equal values of `groups` stand together."""
    first = np.flatnonzero(np.append(True, np.diff(groups) != 0)[: len(groups)])
    sizes = np.diff(np.append(first, len(groups)))
    return np.arange(len(groups)) - np.repeat(first, sizes)
