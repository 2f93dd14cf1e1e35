"""Candidates of feeds: the latest posts of those whom each reader follows."""

import numpy as np

from openiir.kit.arrays import Ints
from openiir.kit.networks import FollowerGraph
from openiir.kit.rankers import NONE
from openiir.plugin import InputError, order_by
from openiir.scenarios.social_media.model.posts.post_store import Posts


class FollowedPosts:
    """The posts of a moment by author, built once and looked up for blocks of readers."""

    def __init__(self, graph: FollowerGraph, posts: Posts, first: int = 0) -> None:
        """Sort posts by author, without those before the id `first`."""
        author = posts["author"][first:]
        if author.size and author.max() >= graph.members:
            member = f"a post is by member {author.max()}"
            raise InputError(f"{member}, but the graph has {graph.members:,} members")
        self._graph = graph
        self._ids = first + order_by(author)
        self._written = np.bincount(author, minlength=graph.members)
        self._ends = np.cumsum(self._written)

    def find_latest(self, readers: Ints, most: int) -> Ints:
        """List each reader's latest posts of those it follows, (B, C) ascending ids, NONE after the last.

        C is `most`, or less where no reader has so many.
        """
        if most < 1:
            raise InputError(f"{most} candidates were asked for; give at least 1")
        row, link = self._graph.following.expand(readers)
        followee = self._graph.following.member[link]
        count = np.minimum(self._written[followee], most)
        row = np.repeat(row, count)
        place = np.arange(len(row)) + np.repeat(self._ends[followee] - np.cumsum(count), count)
        key = np.sort(row * (self._ids.max(initial=0) + 1) + self._ids[place])
        row, post = np.divmod(key, self._ids.max(initial=0) + 1)
        sizes = np.bincount(row, minlength=len(readers))
        rank = np.arange(len(row)) - (np.cumsum(sizes) - sizes)[row]
        kept = np.minimum(sizes, most)
        rank -= (sizes - kept)[row]
        found = np.full((len(readers), int(kept.max(initial=0))), NONE)
        found[row[rank >= 0], rank[rank >= 0]] = post[rank >= 0]
        return found
