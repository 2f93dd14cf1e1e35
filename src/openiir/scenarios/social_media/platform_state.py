"""What the study scheduled and still holds: named posts, removals, notes, milestones; rebuilt from the log."""

import numpy as np

from openiir.kit.arrays import Bools, Floats, Ints
from openiir.plugin import Record, Stage
from openiir.scenarios.social_media.actions import Injected
from openiir.scenarios.social_media.config import EVENTS, MilestoneEvent, NoteEvent, RemovalEvent


class PlatformState:
    """Named posts, and the events that hold beyond their round."""

    def __init__(self, stage: Stage) -> None:
        """Read what happened in earlier steps, if the run goes on from a checkpoint."""
        self.posts = {injected.name: injected.post for _, injected in Injected.read(stage.log)}
        self._minutes = stage.config.minutes
        self._removed: list[int] = []
        self._notes: dict[int, tuple[float, NoteEvent]] = {}
        self._milestones: list[tuple[int, MilestoneEvent]] = []
        for event in stage.log.events("event"):
            fields = {name: value for name, value in event.payload.items() if name != "kind"}
            self.hold(event.step, EVENTS[event.payload["kind"]].model_validate(fields))

    def hold(self, step: int, event: Record) -> None:
        """Take note of an event of a step, if it holds beyond it."""
        if isinstance(event, RemovalEvent):
            self._removed.append(self.posts[event.post])
        elif isinstance(event, NoteEvent):
            self._notes[self.posts[event.post]] = ((step - 1) * self._minutes + event.delay, event)
        elif isinstance(event, MilestoneEvent):
            self._milestones.append((step, event))

    def is_removed(self, posts: Ints) -> Bools:
        return np.isin(posts, self._removed)

    def activity(self, step: int) -> float:
        """Compute the factor of all rates of posting at a step: the product of the milestones that hold."""
        factors = [one.activity for start, one in self._milestones if start <= step < start + one.rounds]
        return float(np.prod(factors))

    def note_strength(self, posts: Ints, minutes: Floats) -> Floats:
        """Compute the strength of the notes that were shown with posts at some minutes; 0 without one."""
        strength = np.zeros(posts.shape)
        for post, (shown, note) in self._notes.items():
            strength[(posts == post) & (minutes >= shown)] = note.strength
        return strength

    def note_text(self, post: int, minute: float) -> str:
        """Return the note that is shown with a post at a minute; empty for none."""
        shown, note = self._notes.get(post, (np.inf, None))
        return note.text if note is not None and minute >= shown else ""
