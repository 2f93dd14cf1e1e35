"""Counter-speech: hostile posts are answered for some of their authors, who then post less or delete theirs."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from openiir.kit.arrays import Bools, Floats, Ints
from openiir.plugin import ConfigTable, Draw, Measure, ratio
from openiir.scenarios.social_media.model.posts.post_store import PostKind, Posts


class CounterEvent(ConfigTable):
    """From now on a member answers hostile posts: once each author, and only some authors, who are compared with the others.

    Empathic counter-speech cut hostile posts by a third and made 8.4 % more authors delete theirs (Hangartner et al.,
    PNAS 2021).
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


class CounterSpeech:
    """The counter-speech that has begun, and its effects: those that are published, put in as they are."""

    def __init__(self, members: int, past: Mapping[str, NDArray[Any]]) -> None:
        """`past` has what `find` returned in earlier rounds, with the column `member`."""
        self.event: CounterEvent | None = None
        """The counter-speech that goes on, if any."""
        self.factor: Floats = np.ones(members)
        """(N,) factor of each member's rate of posting."""
        self.factor[past["member"]] = past["posts"]
        self._known: Bools = np.zeros(members, dtype=np.bool_)
        self._known[past["member"]] = True

    def find(self, posts: Posts, first: int, draw: Draw) -> tuple[Ints, dict[str, Any]]:
        """Find each author's first hostile post among those from an id on; returns authors, and columns.

        Columns are post, answered, deleted (bool) and posts, the factor of the author's rate of posting from then on.
        """
        assert self.event is not None
        hostile = posts["valence"][first:] < self.event.below
        post = first + np.flatnonzero(hostile & (posts["kind"][first:] == PostKind.POST))
        author, place = np.unique(posts["author"][post], return_index=True)
        new = ~self._known[author]
        author, post = author[new], post[place[new]]
        answered = draw.at("answered").chance(self.event.share, agent=author)
        deleted = answered & draw.at("deleted").chance(self.event.deletion, agent=author)
        self._known[author] = True
        self.factor[author[answered]] = 1 - self.event.posts
        return author, {"post": post, "answered": answered, "deleted": deleted, "posts": self.factor[author]}


def compare_answered(
    first: Mapping[str, NDArray[Any]], author: Ints, step: Ints, rounds: int
) -> dict[str, Measure]:
    """Compare authors of hostile posts who were answered with those who were not.

    `first` has what `CounterSpeech.find` found, with the columns `member` and `step`; `author` and `step` are of all posts.
    `counter.posts` is by how much fewer posts a round the answered write after their first hostile one, as a ratio less 1;
    `counter.deleted` is by how much more of them deleted it.
    """
    members = int(max(author.max(initial=-1), first["member"].max(initial=-1))) + 1
    since = np.full(members, rounds)
    since[first["member"]] = first["step"]
    written = np.bincount(author[step > since[author]], minlength=members)
    rates, deleted, none = [], [], "no hostile author was answered, or all were"
    for answered in (True, False):
        own = first["answered"].astype(np.bool_) == answered
        group = first["member"][own]
        rates.append(ratio(int(written[group].sum()), int((rounds - since[group]).sum()), none))
        deleted.append(ratio(int(first["deleted"][own].sum()), len(group), none))
    change = ratio(rates[0].value - rates[1].value, rates[1].value, none)
    more = Measure(deleted[0].value - deleted[1].value, deleted[0].reason or deleted[1].reason)
    return {"counter.posts": change, "counter.deleted": more}
