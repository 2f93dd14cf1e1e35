"""The `[config]` of a medium, and the kinds of `[[event]]` that a study can schedule."""

from typing import Annotated, Literal

from pydantic import Field

from openiir.kit.beliefs import BeliefRule
from openiir.kit.rankers import RankerName
from openiir.plugin import ConfigTable, DepartureEvent, PromotionEvent
from openiir.scenarios.social_media.model.activity import ActivityRule, WritingRule
from openiir.scenarios.social_media.model.posts.follows import FollowRule
from openiir.scenarios.social_media.model.posts.post_rankers import GAMMA
from openiir.scenarios.social_media.model.posts.reactions import ReactionRule

ProfileStyle = Literal["twitter", "reddit"]
PostName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")]


class RemovalEvent(ConfigTable):
    """The platform removes a post: nobody is shown it from now on."""

    post: PostName


class NoteEvent(ConfigTable):
    """Readers add a note to a post, which all see who are shown it later."""

    post: PostName
    text: str = Field(min_length=1, max_length=400)
    delay: int = Field(0, ge=0, le=100_000)
    """Minutes from the start of the round until the note is shown."""
    strength: float = Field(1.0, ge=0, le=5)
    """Weight of the note's effect: 1 cuts the odds of reposts by 45.7, likes by 43.5, comments by 22.9 %."""


class NudgeEvent(ConfigTable):
    """The platform asks readers to think before they repost."""

    post: PostName | None = None
    """Post at which they are asked; all posts where it is left out."""
    strength: float = Field(0.1, ge=0, lt=1)
    """Share by which the odds of reposts fall."""


class DownrankEvent(ConfigTable):
    """The platform shows a post lower on pages."""

    post: PostName
    factor: float = Field(0.1, gt=0, le=1)
    """The post stands 1 / factor times as low on each page as it would."""


class BreakerEvent(ConfigTable):
    """From now on the platform halts what spreads fast: for some rounds, nobody is shown such a post."""

    looks: int = Field(ge=1)
    """Number of looks in one round from which a post is halted."""
    rounds: int = Field(1, ge=1, le=10_000)
    """Rounds for which it is halted; what was due meanwhile is not shown later."""


class MilestoneEvent(ConfigTable):
    """Something happens that makes members post more or less for some rounds."""

    activity: float = Field(ge=0, le=100)
    """Factor of all rates of posting."""
    rounds: int = Field(1, ge=1, le=10_000)


class CounterEvent(ConfigTable):
    """From now on a member answers the first hostile post of some authors; the others are the controls.

    Empathic counter-speech cut hostile posts by a third and made 8.4 % more authors delete theirs (Hangartner
    et al., PNAS 2021).
    """

    member: str
    """Id of the member who answers, or `followed-3` as with posts."""
    text: str = Field(min_length=1, max_length=600)
    below: float = Field(-0.3, ge=-1, le=1)
    """Valence below which a post is hostile."""
    share: float = Field(0.5, ge=0, le=1)
    """Share of the authors of such posts who are answered."""
    posts: float = Field(0.33, ge=0, le=1)
    """Share by which the rate of posting of those who are answered falls."""
    deletion: float = Field(0.084, ge=0, le=1)
    """Chance that whoever is answered deletes the post."""


class SocialMediaConfig(ConfigTable):
    """The `[config]` table of a study."""

    site: Literal["twitter", "reddit"] = "twitter"
    """What a page shows: what those one follows share (`twitter`), or posts of communities (`reddit`)."""
    profiles: ProfileStyle = "twitter"
    """Style of the cast's profiles: which attributes of a persona are logged; nothing else depends on it."""
    statement: str = Field(min_length=8, max_length=200)
    """What stances and posts are about."""
    topics: tuple[Annotated[str, Field(min_length=1, max_length=80)], ...] = Field(
        min_length=1, max_length=32
    )
    """Topics that posts are mixtures of."""
    members: int = Field(2_000, ge=20, le=2_000_000)
    """Number of members, personas included."""
    rounds: int = Field(24, ge=1, le=10_000)
    """Number of rounds."""
    minutes: int = Field(60, ge=1, le=1_440)
    """Simulated minutes of a round; the first begins at midnight."""
    stance_mean: float = Field(0.0, ge=-1, le=1)
    """Mean stance of the crowd at the start, -1 (against the statement) to 1 (in favour)."""
    stance_sd: float = Field(0.5, gt=0, le=2)
    """Standard deviation of the crowd's stances at the start, before they are cut to -1 and 1."""
    followees: float = Field(20, ge=1, le=1_000)
    """Mean number of others that a member follows."""
    homophily: float = Field(0.7, ge=0, le=1)
    """Share of follows that stay on the follower's side of the median stance; 0.5 is no homophily."""
    hubs: float = Field(2.3, gt=2, le=10)
    """Exponent of the tail of the numbers of followers; the smaller, the more is followed the same few."""
    acquainted: float = Field(0.5, ge=0, le=1)
    """Chance that a persona of the study follows another one, beyond whom it follows anyway."""
    reproduction: float = Field(0.5, gt=0, le=20)
    """Mean number of reposts caused by a share of a post of average appeal, if all followers looked at it."""
    again: float = Field(0.0, ge=0, le=100)
    """How many times as likely as at first a member reposts at a second look; 0: nobody looks twice."""
    ranker: RankerName | None = Field(None, examples=["chronological"])
    """Ranker of pages: a name or `package.module:function`; by default `engagement`, on Reddit `hot`."""
    gamma: float = Field(GAMMA, ge=0, le=5)
    """Exponent of the author's influence in the score of a post; 0 leaves the ranker's order."""
    slots: int = Field(20, ge=1, le=100)
    """Largest number of posts on a page."""
    attention: float = Field(10, ge=0, le=1_000)
    """Mean number of places of a page that a reader goes down beyond the first."""
    falsehood: float = Field(1.7, ge=1, le=10)
    """How many times as likely a post with the veracity `false` is reposted, by its novelty and arousal."""
    visits: float = Field(0.2, ge=0, le=20)
    """Mean number of visits an hour of a member of a Reddit-like site."""
    searches: float = Field(0.05, ge=0, le=1)
    """Chance that one of the cast who has read a page searches the site."""
    passages: int = Field(4, ge=0, le=20)
    """Passages of the world that a member of the cast has in view when it writes."""
    activity: ActivityRule = ActivityRule()
    writing: WritingRule = WritingRule()
    reactions: ReactionRule = ReactionRule()
    beliefs: BeliefRule = BeliefRule(rate=0.001)
    follows: FollowRule = FollowRule()


class PostEvent(ConfigTable):
    """A member posts this at the start of the round."""

    post: PostName
    """Name by which other events and the views call the post."""
    member: str
    """Id of the author, such as user-000017; `followed-3` has the third most followers at the start."""
    text: str = Field(min_length=1, max_length=600)
    valence: float = Field(0.0, ge=-1, le=1)
    """What the post says about the statement, -1 (against) to 1 (in favour)."""
    novelty: float = Field(0.3, ge=0, le=1)
    arousal: float = Field(0.3, ge=0, le=1)
    veracity: Literal["true", "false"] | None = None
    """Whether the post is true; no member, ranker or behaviour model is told."""


EVENTS: dict[str, type[ConfigTable]] = {
    "post": PostEvent,
    "counter": CounterEvent,
    "note": NoteEvent,
    "remove": RemovalEvent,
    "nudge": NudgeEvent,
    "downrank": DownrankEvent,
    "breaker": BreakerEvent,
    "milestone": MilestoneEvent,
    "promote": PromotionEvent,
    "leave": DepartureEvent,
}
