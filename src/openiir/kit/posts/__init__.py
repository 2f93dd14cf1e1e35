"""Posts of a social medium: their columns, what ranks them, how members react to them, and search."""

from openiir.kit.posts.candidates import FollowedPosts
from openiir.kit.posts.follow_rules import FollowRule, count_common
from openiir.kit.posts.post_index import PostIndex
from openiir.kit.posts.post_rankers import GAMMA, POST_RANKERS, PostRanker, PostView, weigh_authors
from openiir.kit.posts.post_store import COUNTS, NO_PARENT, PostKind, Posts
from openiir.kit.posts.reactions import ACTIONS, ReactionFeatures, ReactionModel, ReactionRule
from openiir.kit.posts.scores import (
    REDDIT_EPOCH,
    TWITTER_WEIGHTS,
    controversy_score,
    engagement_score,
    hot_score,
    wilson_bound,
)
from openiir.kit.posts.seen_posts import SeenPosts

__all__ = [
    "ACTIONS",
    "COUNTS",
    "FollowRule",
    "FollowedPosts",
    "GAMMA",
    "NO_PARENT",
    "POST_RANKERS",
    "PostIndex",
    "PostKind",
    "PostRanker",
    "PostView",
    "Posts",
    "REDDIT_EPOCH",
    "ReactionFeatures",
    "ReactionModel",
    "ReactionRule",
    "SeenPosts",
    "TWITTER_WEIGHTS",
    "controversy_score",
    "count_common",
    "engagement_score",
    "hot_score",
    "weigh_authors",
    "wilson_bound",
]
