"""What is done about posts: notes, nudges, down-ranking, removal, circuit breakers; as events of a study and in effect."""

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from openiir.kit.arrays import Bools, Floats, Ints
from openiir.plugin import ConfigTable, Record
from openiir.scenarios.social_media.model.posts.post_store import Posts

NOTE_EFFECT = np.log1p([0.0, -0.435, 0.0, -0.229, -0.457])
"""Change of the log-odds of each of the ACTIONS by a note, after it is shown (Slaughter et al., PNAS 2025)."""
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
    """Weight of the note's effect: 1 cuts the odds of reposts by 45.7 %, of likes by 43.5 % and of comments by 22.9 %."""


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


INTERVENTIONS: Mapping[str, type[ConfigTable]] = {
    "note": NoteEvent,
    "remove": RemovalEvent,
    "nudge": NudgeEvent,
    "downrank": DownrankEvent,
    "breaker": BreakerEvent,
    "milestone": MilestoneEvent,
}
"""Kinds of `[[event]]` that `Interventions` holds."""


class Interventions:
    """The interventions that hold beyond their round."""

    def __init__(self, named: Mapping[str, int], minutes: int, halted: Mapping[int, int]) -> None:
        """`named` has the ids of the posts that events call by a name, and grows; rounds are so many minutes long.

        `halted` is what `halt` returned in earlier rounds.
        """
        self._named, self._minutes = named, minutes
        self._held: list[tuple[int, Record]] = []
        self._halted = dict(halted)
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
        """Halt what too many looked at in a round, one entry a look; returns the round at which each is shown again."""
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
        for step, note in self._find(NoteEvent):
            strength[(posts == self._named[note.post]) & (minutes >= self._first_minute(step, note))] = (
                note.strength
            )
        return strength

    def nudge_odds(self, posts: Ints) -> Floats:
        """Compute the change of the log-odds of reposts by nudges; 0 without one."""
        change = np.zeros(posts.shape)
        for _, nudge in self._find(NudgeEvent):
            change[slice(None) if nudge.post is None else posts == self._named[nudge.post]] += np.log1p(
                -nudge.strength
            )
        return change

    def note_text(self, post: int, minute: float) -> str:
        """Return the note that is shown with a post at a minute; empty for none."""
        notes = [
            note.text for step, note in self._find(NoteEvent)
            if self._named[note.post] == post and minute >= self._first_minute(step, note)
        ]  # fmt: skip
        return notes[-1] if notes else ""

    def _first_minute(self, step: int, note: NoteEvent) -> int:
        """Return the minute from which a note is shown."""
        return (step - 1) * self._minutes + note.delay
