"""Which members were shown, or reacted to, which posts."""

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from openiir.kit.arrays import Bools, Floats, Ints, number_within
from openiir.kit.networks import FollowerGraph
from openiir.plugin import Draw, InputError, first_largest, order_by
from openiir.scenarios.social_media.model.activity import (
    DailyRhythm,
    draw_delays,
    round_minutes,
    select_due_rows,
)
from openiir.scenarios.social_media.model.posts.post_rankers import REDDIT_EPOCH, hot_score, wilson_bound
from openiir.scenarios.social_media.model.posts.post_store import PostKind, Posts

_POSTS = 2**31
"""Posts, and members, that a key has room for."""


class SeenPosts:
    """A set of (member, post) pairs, added in batches, at 8 bytes a pair.

    Pairs are sorted keys, by member, in arrays of which each is at least twice as long as the next: adding n
    pairs one batch at a time sorts each about log2(n) times, and a look-up searches as many arrays.
    """

    def __init__(self, keys: Ints | None = None) -> None:
        """Begin with nothing, or with the `state` of a checkpoint."""
        self._runs = [] if keys is None else [np.array(keys)]

    def add(self, members: ArrayLike, posts: ArrayLike) -> None:
        """Add pairs, given as columns; pairs already in the set change nothing."""
        self._runs.append(_sort_distinct(_make_keys(members, posts).ravel()))
        while len(self._runs) > 1 and len(self._runs[-2]) < 2 * len(self._runs[-1]):
            last = self._runs.pop()
            self._runs[-1] = _sort_distinct(np.concatenate((self._runs[-1], last)))

    def contains(self, members: ArrayLike, posts: ArrayLike) -> Bools:
        """Compute for each pair of two broadcast arrays whether it is in the set; False for a post of -1."""
        keys = _make_keys(members, np.maximum(posts, 0))
        found = np.zeros(keys.shape, dtype=np.bool_)
        for run in filter(len, self._runs):
            found |= run[np.minimum(np.searchsorted(run, keys), len(run) - 1)] == keys
        return found & (np.asarray(posts) >= 0)

    def state(self) -> NDArray[np.int64]:
        """Return all pairs as one array of keys, for a checkpoint."""
        return _sort_distinct(np.concatenate([np.zeros(0, dtype=np.int64), *self._runs]))


def _sort_distinct(keys: Ints) -> Ints:
    """Sort keys and drop repeated ones (`np.unique` hashes them, which is slow for keys on a grid)."""
    ordered = np.sort(keys)
    return ordered[np.append(True, np.diff(ordered) > 0)[: len(ordered)]]


def _make_keys(members: ArrayLike, posts: ArrayLike) -> Ints:
    who, what = np.broadcast_arrays(np.asarray(members), np.asarray(posts))
    if who.size and not (0 <= who.min() <= who.max() < _POSTS and 0 <= what.min() <= what.max() < _POSTS):
        raise InputError(f"members and posts are numbered from 0 to below {_POSTS:,}; mend the batch")
    return np.asarray(who.astype(np.int64) * _POSTS + what)


Due = dict[str, NDArray[Any]]
"""Columns of exposures: reader, post, by (the row of who shows it), minute."""


def empty_schedule() -> Due:
    """Return a schedule of impressions without rows: empty columns."""
    return {**{name: np.zeros(0, dtype=np.int64) for name in ("reader", "post", "by")}, "minute": np.zeros(0)}


POOL = 30
"""Largest number of posts that a community offers: half the hottest, half the newest."""
WINDOW = 2 * 24 * 60.0
"""Minutes after which a post is no longer offered by a community."""
THREAD = 10
"""Largest number of comments, the best rated, that are shown below a post."""


class Audience(Protocol):
    """Protocol of the members as a site reads them: arrays over all members."""

    graph: FollowerGraph
    delay: Floats
    """(N,) how many times as long as usual each takes to react."""
    rhythm: DailyRhythm
    interests: Floats
    """(N, k) how much each is interested in each topic."""

    def expect_visits(self, start: float) -> Floats:
        """Compute each member's expected number of visits, (N,), in the round that starts at a minute."""
        ...


class FollowerSite:
    """Twitter-like site: posts and reposts are shown to followers, each after a random delay.

    Delays are those of SEISMIC's kernel (Zhao et al., KDD 2015), times the reader's own factor.
    """

    ranker = "engagement"
    """Ranker of pages where the study names none."""

    def __init__(
        self,
        posts: Posts,
        audience: Audience,
        end: float,
        draw: Draw,
        restored: Mapping[str, NDArray[Any]] | None,
    ) -> None:
        """`end` is the run's last minute; what would come later is dropped."""
        self._posts, self._audience, self._end, self._draw = posts, audience, end, draw
        self._due = empty_schedule()
        if restored:
            self._due = {name: np.array(restored[f"due.{name}"]) for name in self._due}

    def state(self) -> Due:
        """Return the impressions still to come, for a checkpoint."""
        return {f"due.{name}": column for name, column in self._due.items()}

    def schedule_for_followers(self, by: Ints, post: Ints, share: Ints, minute: Floats) -> None:
        """Schedule impressions of a post, comment or repost (id `share`) for its author's followers."""
        row, link = self._audience.graph.followers.expand(by)
        reader = self._audience.graph.followers.member[link].astype(np.int64)
        self.schedule_for_reader(reader, by[row], post[row], share[row], minute[row])

    def schedule_for_reader(self, reader: Ints, by: Ints, post: Ints, share: Ints, minute: Floats) -> None:
        """Schedule an impression of a post for each of some members, each after a random delay."""
        due = round_minutes(minute + draw_delays(self._draw, reader, share) * self._audience.delay[reader])
        soon = due < self._end
        minute = self._audience.rhythm.postpone_to_waking(reader[soon], due[soon])
        self.add_due({"reader": reader[soon], "post": post[soon], "by": by[soon], "minute": minute})

    def add_due(self, new: Due) -> None:
        """Schedule impressions; those due earlier than now come in the next wave of reading."""
        kept = new["minute"] < self._end
        self._due = {name: np.concatenate((old, new[name][kept])) for name, old in self._due.items()}

    def take_due(self, start: float, end: float, looks: Due | None) -> Due:
        """Remove and return the impressions due from `start` to before `end`, earliest first.

        `looks` are the exposures that were looked at in the round's last wave, None in its first.
        """
        rows = select_due_rows(self._due["minute"], -np.inf, end)
        found = {name: column[rows] for name, column in self._due.items()}
        left = self._due["minute"] >= end
        self._due = {name: column[left] for name, column in self._due.items()}
        return found


class CommunitySite(FollowerSite):
    """Reddit-like site: members visit communities, one for each topic, regardless of whom they follow.

    Members belong to the communities of the topics that interest them more than average. A post belongs to
    that of its largest topic; a repost brings it before that of its author's largest interest. Each community
    offers its hottest and its newest posts of the last two days, POOL at most; below a post that somebody has
    looked at stand its best rated comments, and who is answered is told of it after a delay.
    """

    ranker = "hot"

    def schedule_for_followers(self, by: Ints, post: Ints, share: Ints, minute: Floats) -> None:
        """Do nothing: members find the post when they visit its community."""

    def take_due(self, start: float, end: float, looks: Due | None) -> Due:
        parts = [super().take_due(start, end, looks)]
        parts.append(self._visit(start, end) if looks is None else self._read_on(looks))
        return {name: np.concatenate([part[name] for part in parts]) for name in self._due}

    def _visit(self, start: float, end: float) -> Due:
        """Let members visit at most once a round, each at a minute of its own."""
        expected = self._audience.expect_visits(start)
        draw = self._draw.at(step=int(start))
        members = np.arange(len(expected))
        members = members[draw.at("visit").chance(-np.expm1(-expected), agent=members)]
        minute = round_minutes(start + draw.at("moment").uniform(agent=members) * (end - start))
        interests = self._audience.interests[members]
        visitor, community = np.nonzero(interests >= interests.mean(axis=1, keepdims=True))
        offered = self._fill_pools(start, end)[community]
        born = np.append(self._posts["minute"], np.inf)  # the last is that of an empty place, -1
        there = born[offered] <= minute[visitor, None]
        visitor = np.repeat(visitor, there.sum(axis=1))
        return self._expose(members[visitor], offered[there], minute[visitor])

    def _expose(self, reader: Ints, share: Ints, minute: Floats) -> Due:
        """Let readers be shown posts, comments, or the posts that reposts repeat."""
        again = self._posts["kind"][share] == PostKind.REPOST
        post = np.where(again, self._posts["parent"][share], share)
        return {"reader": reader, "post": post, "by": self._posts["author"][share], "minute": minute}

    def _fill_pools(self, start: float, end: float) -> Ints:
        """List what each community offers: (k, POOL) ids of posts and reposts, -1 where there is none."""
        posts, born = self._posts, self._posts["minute"]
        share = np.flatnonzero((posts["kind"] != PostKind.COMMENT) & (born >= start - WINDOW) & (born < end))
        again = posts["kind"][share] == PostKind.REPOST
        post = np.where(again, posts["parent"][share], share)
        main = first_largest(self._audience.interests[posts["author"][share]], axis=1)
        place = np.where(again, main, first_largest(posts["topics"][share], axis=1))
        heat = hot_score(
            posts["likes"][post], posts["dislikes"][post], REDDIT_EPOCH + 60 * posts["minute"][post]
        )
        pools = np.full((posts["topics"].shape[1], POOL), -1)
        for community in range(len(pools)):
            own = np.flatnonzero(place == community)
            own = own[np.sort(np.unique(post[own], return_index=True)[1])]  # each post once, as it came first
            hot = own[order_by(-heat[own], -share[own])][: POOL // 2]
            fresh = own[order_by(-born[share[own]], -share[own])]
            chosen = np.concatenate((hot, fresh[~np.isin(fresh, hot)]))[:POOL]
            pools[community, : len(chosen)] = share[chosen]
        return pools

    def _read_on(self, looks: Due) -> Due:
        """Show below each post that was looked at the best rated of the comments that stood there by then."""
        posts = self._posts
        asked = np.zeros(len(posts), dtype=np.bool_)
        asked[looks["post"]] = True
        comment = np.flatnonzero(posts["kind"] == PostKind.COMMENT)
        comment = comment[asked[posts["parent"][comment]]]
        rating = wilson_bound(posts["likes"][comment], posts["dislikes"][comment])
        comment = comment[order_by(posts["parent"][comment], -rating, comment)]
        comment = comment[number_within(posts["parent"][comment]) < THREAD]
        first = np.searchsorted(posts["parent"][comment], looks["post"], "left")
        count = np.searchsorted(posts["parent"][comment], looks["post"], "right") - first
        row = np.repeat(np.arange(len(first)), count)
        shown = comment[first[row] + number_within(row)]
        there = posts["minute"][shown] <= looks["minute"][row]
        row, shown = row[there], shown[there]
        return self._expose(looks["reader"][row], shown, looks["minute"][row])


def split_first_impressions(due: Due) -> tuple[Due, Due]:
    """Split scheduled impressions into the first for each (reader, post), in their order, and the rest.

    The first part has a column `times`: how often the reader is shown the post.
    """
    order = order_by(due["reader"], due["post"], due["minute"])
    due = {name: column[order] for name, column in due.items()}
    new = np.append(True, (np.diff(due["reader"]) != 0) | (np.diff(due["post"]) != 0))[: len(order)]
    first = np.flatnonzero(new)
    times = np.diff(np.append(first, len(order)))
    return (
        {**{name: column[first] for name, column in due.items()}, "times": times},
        {name: column[~new] for name, column in due.items()},
    )


def sort_by_minute(looks: Mapping[str, NDArray[Any]], chosen: Bools) -> tuple[Ints, Ints, Floats]:
    """List readers, posts and minutes of the chosen impressions, earliest first."""
    order = np.flatnonzero(chosen)[order_by(looks["minute"][chosen])]
    return looks["reader"][order], looks["post"][order], looks["minute"][order]


SITES: Mapping[str, type[FollowerSite]] = {"twitter": FollowerSite, "reddit": CommunitySite}
