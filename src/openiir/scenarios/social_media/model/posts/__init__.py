"""Posts of a social medium: their columns, what ranks them, how members react to them, and search."""

from openiir.scenarios.social_media.model.posts.audits import audit_groups, audit_sides, compare_veracity
from openiir.scenarios.social_media.model.posts.counter_speech import (
    CounterEvent,
    CounterSpeech,
    compare_answered,
)
from openiir.scenarios.social_media.model.posts.follow_changes import FollowChanges
from openiir.scenarios.social_media.model.posts.follow_rules import FollowRule, count_common
from openiir.scenarios.social_media.model.posts.interventions import (
    INTERVENTIONS,
    NOTE_EFFECT,
    Interventions,
    NoteEvent,
    PostName,
    RemovalEvent,
)
from openiir.scenarios.social_media.model.posts.pages import Pages, Paging
from openiir.scenarios.social_media.model.posts.post_index import PostIndex
from openiir.scenarios.social_media.model.posts.post_rankers import (
    GAMMA,
    POST_RANKERS,
    PostRanker,
    PostView,
    weigh_authors,
)
from openiir.scenarios.social_media.model.posts.post_store import COUNTS, NO_PARENT, PostKind, Posts
from openiir.scenarios.social_media.model.posts.profiles import ProfileStyle, emit_profile
from openiir.scenarios.social_media.model.posts.reactions import (
    ACTIONS,
    ReactionFeatures,
    ReactionModel,
    ReactionRule,
)
from openiir.scenarios.social_media.model.posts.scores import (
    REDDIT_EPOCH,
    TWITTER_WEIGHTS,
    controversy_score,
    engagement_score,
    hot_score,
    wilson_bound,
)
from openiir.scenarios.social_media.model.posts.seen_posts import SeenPosts
from openiir.scenarios.social_media.model.posts.sites import (
    SITES,
    Due,
    FollowerSite,
    keep_first,
    sort_by_minute,
)
from openiir.scenarios.social_media.model.posts.writing_rule import WritingRule

__all__ = [
    "ACTIONS",
    "COUNTS",
    "CounterEvent",
    "CounterSpeech",
    "FollowChanges",
    "Due",
    "FollowRule",
    "FollowerSite",
    "GAMMA",
    "INTERVENTIONS",
    "Interventions",
    "NOTE_EFFECT",
    "NO_PARENT",
    "NoteEvent",
    "POST_RANKERS",
    "Pages",
    "Paging",
    "PostIndex",
    "PostKind",
    "PostName",
    "PostRanker",
    "PostView",
    "Posts",
    "ProfileStyle",
    "REDDIT_EPOCH",
    "ReactionFeatures",
    "ReactionModel",
    "ReactionRule",
    "RemovalEvent",
    "SITES",
    "SeenPosts",
    "TWITTER_WEIGHTS",
    "WritingRule",
    "audit_groups",
    "audit_sides",
    "compare_veracity",
    "compare_answered",
    "controversy_score",
    "count_common",
    "emit_profile",
    "engagement_score",
    "hot_score",
    "keep_first",
    "sort_by_minute",
    "weigh_authors",
    "wilson_bound",
]
