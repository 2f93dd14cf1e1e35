"""One record of a dialogue, whatever format it came in and whoever held it."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from openiir.plugin import Record
from openiir.scenarios.conversational.dialogue.need import Need

Speaker = Literal["user", "system"]


class Slot(Record):
    """A slot that an act is about, and its value where it has one."""

    slot: str = Field(max_length=200)
    value: str | None = Field(None, max_length=2_000)
    start: int | None = Field(None, ge=0, le=1_000_000)
    """Where the value begins in the utterance's text, in characters."""
    end: int | None = Field(None, ge=0, le=1_000_000)


class Act(Record):
    """A dialogue act: what an utterance, or a part of it, does."""

    intent: str = Field(max_length=200)
    """One of UserIntent or SystemIntent, or a name from the scheme of imported data."""
    slots: tuple[Slot, ...] = Field((), max_length=100)

    @property
    def pairs(self) -> tuple[tuple[str, str | None], ...]:
        """Its (slot, value) pairs."""
        return tuple((s.slot, s.value) for s in self.slots)


def build_act(intent: str, *pairs: tuple[str, str | None]) -> Act:
    """Build an act from trusted (slot, value) pairs, without validation."""
    slots = tuple(Slot.of_own(slot=slot, value=value, start=None, end=None) for slot, value in pairs)
    return Act.of_own(intent=intent, slots=slots)


class Participant(Record):
    """Who took part in a dialogue."""

    id: str
    type: Literal["USER", "AGENT"]


class Utterance(Record):
    """One utterance of a dialogue."""

    speaker: Speaker
    text: str
    acts: tuple[Act, ...] = ()
    items: tuple[str, ...] = ()
    """Ids of the items that it recommends or is about, where they are known."""
    annotations: tuple[tuple[str, Any], ...] = ()
    """What annotators or judges said of it, name and value."""
    feedback: int | None = None
    """0 or 1 where a person gave a thumb down or up."""
    extra: Mapping[str, Any] = {}
    """What a format said of it besides."""


class Dialogue(Record):
    """A dialogue between a user and a system."""

    id: str
    utterances: tuple[Utterance, ...]
    system: Participant | None = None
    user: Participant | None = None
    need: Need | None = None
    metadata: Mapping[str, Any] = {}
    """What a format said of it besides."""
