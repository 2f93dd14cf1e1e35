"""What a run logs beside its tables of posts and rounds."""

from typing import ClassVar

from openiir.plugin import Action


class Exposed(Action):
    """Members looked at posts, and reacted or not; a row for each impression."""

    kind: ClassVar[str] = "social_media.exposed"
    post: int
    """Id of the post or comment; a repost shows the post that it repeats."""
    shown_by: int
    """Row of the member who showed it: its author, or who reposted it."""
    rank: int
    """Place on the page, from 1."""
    minute: float
    did: int
    """Place of the reaction in `reactions.ACTIONS`: 0 ignore, 1 like, 2 dislike, 3 comment, 4 repost."""


class Followed(Action):
    """A member began to follow another, or left it."""

    kind: ClassVar[str] = "social_media.followed"
    whom: int
    """Row of the other member."""
    began: bool


class Injected(Action):
    """A post that the study schedules was published."""

    kind: ClassVar[str] = "social_media.injected"
    name: str
    post: int
    veracity: str
    """`true`, `false`, or empty where the study does not say."""


class Countered(Action):
    """Members wrote their first hostile post since counter-speech began; whether it was answered."""

    kind: ClassVar[str] = "social_media.countered"
    post: int
    answered: bool
    deleted: bool
    posts: float
    """Factor of the rate of posting from then on."""


class SpreadHalted(Action):
    """A circuit breaker halted a post that spread fast."""

    kind: ClassVar[str] = "social_media.halted"
    post: int
    until: int
    """Round from which it is shown again."""


class Searched(Action):
    """A member of the cast searched the site."""

    kind: ClassVar[str] = "social_media.searched"
    query: str
    found: tuple[int, ...]
    """Ids of the posts that were found, best first."""
