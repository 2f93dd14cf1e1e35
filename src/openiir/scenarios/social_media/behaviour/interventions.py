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
    """The interventions that hold beyond their round."""

    def __init__(self, named: Mapping[str, int], minutes: int, halted: Mapping[int, int]) -> None:
        """`named` has the ids of posts by the names that events call them, and grows; a round has `minutes`.

        `halted` is what `halt` returned in earlier rounds.
        """
        self._named, self._minutes, self._halted = named, minutes, dict(halted)
        self._held: list[tuple[int, Record]] = []
        self._deleted: list[int] = []

    def hold(self, step: int, event: Record) -> None:
        """Let an intervention begin at a round."""
        self._held.append((step, event))

    def _find(self, kind: type[Any]) -> list[tuple[int, Any]]:
        return [(step, event) for step, event in self._held if isinstance(event, kind)]

    def is_hidden(self, posts: Ints, step: int) -> Bools:
        """Tell which posts nobody is shown at a round: removed, deleted or halted ones."""
        removed = [self._named[event.post] for _, event in self._find(RemovalEvent)]
        halted = [post for post, end in self._halted.items() if step < end]
        return np.isin(posts, removed + halted + self._deleted)

    def delete(self, posts: Ints) -> None:
        """Hide posts for good, which their authors have deleted."""
        self._deleted += posts.tolist()

    def halt(self, looked: Ints, step: int) -> dict[int, int]:
        """Halt what too many looked at in a round; `looked` has a post a look. Returns when each returns."""
        new: dict[int, int] = {}
        for start, breaker in self._find(BreakerEvent):
            post, looks = np.unique(looked, return_counts=True)
            for id in post[(looks >= breaker.looks) & (start <= step)].tolist():
                new[id] = max(new.get(id, 0), step + 1 + breaker.rounds)
        self._halted |= new
        return new

    def lowering(self, posts: Posts) -> Floats:
        """Compute by how much each post is ranked down, as `Paging.lowering`."""
        factor = np.ones(len(posts))
        for _, event in self._find(DownrankEvent):
            factor[self._named[event.post]] *= event.factor
        return factor

    def activity(self, step: int) -> float:
        """Compute the factor of all rates of posting at a round: the product of the milestones that hold."""
        held = self._find(MilestoneEvent)
        return float(np.prod([one.activity for start, one in held if start <= step < start + one.rounds]))

    def note_strength(self, posts: Ints, minutes: Floats) -> Floats:
        """Compute the strength of the notes that are shown with posts at some minutes; 0 without one."""
        strength = np.zeros(posts.shape)
        for first, note in self._notes():
            strength[(posts == self._named[note.post]) & (minutes >= first)] = note.strength
        return strength

    def nudge_odds(self, posts: Ints) -> Floats:
        """Compute the change of the log-odds of reposts by nudges; 0 without one."""
        change = np.zeros(posts.shape)
        for _, nudge in self._find(NudgeEvent):
            nudged = slice(None) if nudge.post is None else posts == self._named[nudge.post]
            change[nudged] += np.log1p(-nudge.strength)
        return change

    def note_text(self, post: int, minute: float) -> str:
        """Return the note that is shown with a post at a minute; empty for none."""
        shown = (note for first, note in self._notes() if self._named[note.post] == post and minute >= first)
        return ["", *(note.text for note in shown)][-1]

    def _notes(self) -> list[tuple[int, NoteEvent]]:
        """List the notes, each with the minute from which it is shown."""
        return [((step - 1) * self._minutes + note.delay, note) for step, note in self._find(NoteEvent)]


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
