"""Interventions in effect: notes, nudges, down-ranking, removal, circuit breakers, counter-speech."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openiir.kit.arrays import Bools, Floats, Ints
from openiir.plugin import Draw, Record
from openiir.scenarios.social_media.config import (
    BreakerEvent,
    CounterEvent,
    DownrankEvent,
    MilestoneEvent,
    NoteEvent,
    NudgeEvent,
    RemovalEvent,
)
from openiir.scenarios.social_media.model.posts.post_store import PostKind, Posts


class Interventions:
    """The platform's interventions (such as removals and notes) that are in force."""

    def __init__(self, named: Mapping[str, int], minutes: int, halted: Mapping[int, int]) -> None:
        """`named` has the ids of posts by the names that events call them, and grows; a round has `minutes`.

        `halted` is what `halt_fast_spreading` returned in earlier rounds.
        """
        self._named, self._minutes, self._halted = named, minutes, dict(halted)
        self._held: list[tuple[int, Record]] = []
        self._deleted: list[int] = []

    def put_in_force(self, step: int, event: Record) -> None:
        """Put the intervention of an event into force from the round `step` on."""
        self._held.append((step, event))

    def _find(self, kind: type[Any]) -> list[tuple[int, Any]]:
        return [(step, event) for step, event in self._held if isinstance(event, kind)]

    def is_hidden(self, posts: Ints, step: int) -> Bools:
        """Compute the mask of posts that are shown to nobody in a round: removed, deleted or halted ones."""
        removed = [self._named[event.post] for _, event in self._find(RemovalEvent)]
        halted = [post for post, end in self._halted.items() if step < end]
        return np.isin(posts, removed + halted + self._deleted)

    def hide_deleted(self, posts: Ints) -> None:
        """Hide posts for good, since their authors deleted them."""
        self._deleted += posts.tolist()

    def halt_fast_spreading(self, looked: Ints, step: int) -> dict[int, int]:
        """Halt what too many looked at in a round; `looked` has a post a look. Returns when each returns."""
        new: dict[int, int] = {}
        for start, breaker in self._find(BreakerEvent):
            post, looks = np.unique(looked, return_counts=True)
            for id in post[(looks >= breaker.looks) & (start <= step)].tolist():
                new[id] = max(new.get(id, 0), step + 1 + breaker.rounds)
        self._halted |= new
        return new

    def downranking_factors(self, posts: Posts) -> Floats:
        """Compute by how much each post is ranked down, as in `PageLayout.lowering`."""
        factor = np.ones(len(posts))
        for _, event in self._find(DownrankEvent):
            factor[self._named[event.post]] *= event.factor
        return factor

    def posting_rate_factor(self, step: int) -> float:
        """Compute the factor on all posting rates in a round: the product of the milestones in force."""
        held = self._find(MilestoneEvent)
        return float(np.prod([one.activity for start, one in held if start <= step < start + one.rounds]))

    def note_strength(self, posts: Ints, minutes: Floats) -> Floats:
        """Compute the strength of the community notes shown with posts at these minutes; 0 without a note."""
        strength = np.zeros(posts.shape)
        for first, note in self._notes():
            strength[(posts == self._named[note.post]) & (minutes >= first)] = note.strength
        return strength

    def nudge_odds(self, posts: Ints) -> Floats:
        """Compute the change of the log-odds of a repost by a nudge to think first; 0 without one."""
        change = np.zeros(posts.shape)
        for _, nudge in self._find(NudgeEvent):
            nudged = slice(None) if nudge.post is None else posts == self._named[nudge.post]
            change[nudged] += np.log1p(-nudge.strength)
        return change

    def note_text(self, post: int, minute: float) -> str:
        """Return the community note shown with a post at a minute; empty for none."""
        shown = (note for first, note in self._notes() if self._named[note.post] == post and minute >= first)
        return ["", *(note.text for note in shown)][-1]

    def _notes(self) -> list[tuple[int, NoteEvent]]:
        """List the notes, each with the minute from which it is shown."""
        return [((step - 1) * self._minutes + note.delay, note) for step, note in self._find(NoteEvent)]


class CounterSpeech:
    """Counter-speech, once it has begun: replies to hostile posts, and their published effects on authors."""

    def __init__(self, members: int, past: Mapping[str, NDArray[Any]]) -> None:
        """`past` has what `find_hostile_posts` returned in earlier rounds, with the column `member`."""
        self.event: CounterEvent | None = None
        """The counter-speech that goes on, if any."""
        self.factor: Floats = np.ones(members)
        """(N,) factor of each member's rate of posting."""
        self.factor[past["member"]] = past["posts"]
        self._known: Bools = np.zeros(members, dtype=np.bool_)
        self._known[past["member"]] = True

    def find_hostile_posts(self, posts: Posts, first: int, draw: Draw) -> tuple[Ints, dict[str, Any]]:
        """Find each author's first hostile post among the posts from id `first` on; returns authors, columns.

        Columns are post, answered, deleted (bool) and posts, the factor of the author's rate of posting from
        then on.
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
