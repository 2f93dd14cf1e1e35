"""Candidates of feeds: the latest posts of those whom each reader follows."""

import numpy as np

from openiir.kit.arrays import Ints
from openiir.kit.networks import FollowerGraph
from openiir.kit.posts.post_store import Posts
from openiir.kit.rankers import NONE
from openiir.plugin import InputError


def followed_posts(graph: FollowerGraph, posts: Posts, readers: Ints, most: int, first: int = 0) -> Ints:
    """List for each reader the latest posts of those it follows, (B, C) ids in ascending order, NONE after the last.

    C is `most`, or less where nobody has so many. Posts before the id `first` are left out: with the first id of a
    period, time and memory depend on the posts of the period alone.
    """
    if most < 1 or first < 0:
        raise InputError(
            f"{most} candidates from the id {first} on were asked for; give at least 1, from 0 on"
        )
    author = posts["author"][first:]
    if author.size and author.max() >= graph.members:
        raise InputError(f"a post is by member {author.max()}, but the graph has {graph.members:,} members")
    by_author = np.argsort(author, kind="stable")
    written = np.bincount(author, minlength=graph.members)
    start = np.cumsum(written) - written
    row, link = graph.following.expand(readers)
    followee = graph.following.member[link]
    count = written[followee]
    row = np.repeat(row, count)
    within = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
    post = first + by_author[np.repeat(start[followee], count) + within]
    order = np.lexsort((post, row))
    row, post = row[order], post[order]
    ends = np.cumsum(np.bincount(row, minlength=len(readers)))
    kept = np.arange(len(row)) >= ends[row] - most
    row, post = row[kept], post[kept]
    sizes = np.bincount(row, minlength=len(readers))
    found = np.full((len(readers), int(sizes.max(initial=0))), NONE)
    found[row, np.arange(len(row)) - (np.cumsum(sizes) - sizes)[row]] = post
    return found
