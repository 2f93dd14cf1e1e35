"""Published formulas that rank posts by votes, time and engagement, over arrays."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from openiir.kit.arrays import Floats, Ints
from openiir.plugin import Draw, quantise
from openiir.scenarios.social_media.model.posts.post_store import Posts

REDDIT_EPOCH = 1_134_028_003
"""Second of the Unix clock from which Reddit's hot score counts (8 December 2005)."""
_HALF_DAY = 45_000
"""Seconds, 12.5 hours, that weigh as much as ten times the net votes."""
_Z = 1.281551565545
"""Normal quantile of Reddit's confidence sort, of .9."""

TWITTER_WEIGHTS: Mapping[str, float] = {
    "like": 0.5,
    "repost": 1.0,
    "reply": 13.5,
    "profile_click": 12.0,
    "video_playback": 0.005,
    "reply_engaged_by_author": 75.0,
    "good_click": 11.0,
    "good_click_v2": 10.0,
    "negative_feedback": -74.0,
    "report": -369.0,
}
"""Weights of predicted engagement in Twitter's heavy ranker as of 5 April 2023 (twitter/the-algorithm-ml)."""


def hot_score(ups: ArrayLike, downs: ArrayLike, seconds: ArrayLike) -> Floats:
    """Compute Reddit's hot score: signed decimal logarithm of the net votes, plus age in 12.5 hours.

    `seconds` are of the Unix clock. The version of reddit-archive's `_sorts.pyx`, in which the sign belongs
    to the votes; in the version of 2008 it multiplies the time. Rounded to 7 decimals.
    """
    net = np.asarray(ups, dtype=np.float64) - np.asarray(downs, dtype=np.float64)
    age = (np.asarray(seconds, dtype=np.float64) - REDDIT_EPOCH) / _HALF_DAY
    return np.asarray(np.round(np.sign(net) * np.log10(np.maximum(np.abs(net), 1)) + age, 7))


def controversy_score(ups: ArrayLike, downs: ArrayLike) -> Floats:
    """Compute Reddit's controversy score: high for many votes that balance (`_sorts.pyx`)."""
    up, down = np.asarray(ups, dtype=np.float64), np.asarray(downs, dtype=np.float64)
    return np.asarray((up + down) / np.maximum(np.abs(up - down), 1))


def wilson_bound(ups: ArrayLike, downs: ArrayLike) -> Floats:
    """Compute the lower bound of the share of up-votes, by which Reddit sorts comments; 0 without votes.

    One end of Wilson's score interval (JASA 1927) at a level of 80 %.
    """
    up, down = np.asarray(ups, dtype=np.float64), np.asarray(downs, dtype=np.float64)
    votes = np.maximum(up + down, 1)
    share = up / votes
    middle = share + _Z * _Z / (2 * votes)
    half = _Z * np.sqrt(share * (1 - share) / votes + _Z * _Z / (4 * votes * votes))
    return np.where(up + down > 0, (middle - half) / (1 + _Z * _Z / votes), 0.0)


def engagement_score(chances: Mapping[str, Floats]) -> Floats:
    """Add up predicted probabilities of engagement by kind, times their weights; other kinds do not count."""
    total = np.zeros(())
    for kind, weight in TWITTER_WEIGHTS.items():
        total = total + weight * chances.get(kind, 0.0)
    return total


PRIOR_SHOWN = 10
"""Impressions at the average rate that a post is credited with, so that a first like does not decide."""
GAMMA = 0.5
"""Default exponent of an author's weight in the visibility of a post."""


@dataclass(frozen=True, eq=False)
class PostView:
    """Input of a post ranker: B readers, C candidate posts for each, and what the platform observed."""

    posts: Posts
    users: Ints
    """(B,) rows of the readers."""
    items: Ints
    """Ids of the candidates (B, C), ascending; -1 where there is none, to be blocked in the ranking."""
    minute: float
    """Simulated minute of the ranking."""
    interests: Floats
    """(B, k) how much each reader is interested in each topic."""
    draw: Draw

    @property
    def shape(self) -> tuple[int, ...]:
        return self.items.shape

    def spread(self, per_item: Any) -> Floats:
        """Broadcast one number per candidate to scores (B, C)."""
        return np.broadcast_to(np.asarray(per_item, dtype=np.float64), self.shape)

    def column(self, name: str) -> Any:
        """Look up a column of the posts for the candidates, in the shape of `items`."""
        return self.posts[name][self.items]


PostRanker = Callable[[PostView], Floats]


def newest(view: PostView) -> Floats:
    """Rank by time, newest first: the baseline of audits."""
    return np.asarray(view.column("minute"))


def engagement(view: PostView) -> Floats:
    """Rank by the weights of Twitter's heavy ranker on engagement, predicted by rates so far.

    A rate is that of the post and of PRIOR_SHOWN further impressions at the rate of all posts. Of the kinds
    of engagement with a weight, likes, reposts, replies and dislikes (as negative feedback) happen here.
    """
    shown, all_shown = view.column("shown"), max(view.posts.totals["shown"], 1)
    kinds = {"like": "likes", "repost": "reposts", "reply": "comments", "negative_feedback": "dislikes"}
    chances = {}
    for kind, name in kinds.items():
        usual = view.posts.totals[name] / all_shown
        chances[kind] = (view.column(name) + PRIOR_SHOWN * usual) / (shown + PRIOR_SHOWN)
    return engagement_score(chances)


def hot(view: PostView) -> Floats:
    """Rank by Reddit's hot score, with the run's start as Reddit's epoch."""
    seconds = REDDIT_EPOCH + 60 * view.column("minute")
    return hot_score(view.column("likes"), view.column("dislikes"), seconds)


def controversial(view: PostView) -> Floats:
    """Rank by Reddit's controversy score."""
    return controversy_score(view.column("likes"), view.column("dislikes"))


def best_rated(view: PostView) -> Floats:
    """Rank by the lower bound of the share of likes, as Reddit sorts comments."""
    return wilson_bound(view.column("likes"), view.column("dislikes"))


def topical(view: PostView) -> Floats:
    """Rank by the cosine of topic mix and reader's interests; 0 where either is all zeros.

    Vectors of length 1 are rounded to the grid of 2^-20, so that sums of their products are exact in any
    order.
    """
    reader, post = _scale_to_unit(view.interests), _scale_to_unit(view.column("topics"))
    return np.einsum("bk,bck->bc", reader, post)


def _scale_to_unit(vectors: Floats) -> Floats:
    length = np.sqrt(np.einsum("...k,...k->...", vectors, vectors))[..., None]
    return np.asarray(quantise(np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0)))


POST_RANKERS: Mapping[str, PostRanker] = {
    "chronological": newest,
    "engagement": engagement,
    "hot": hot,
    "controversial": controversial,
    "best": best_rated,
    "similarity": topical,
}


def scale_scores(scores: Floats, factor: Floats) -> Floats:
    """Multiply scores by factors above 0, or divide those below 0, so that a larger factor ranks higher."""
    return np.asarray(np.where(scores >= 0, scores * factor, scores / factor))
