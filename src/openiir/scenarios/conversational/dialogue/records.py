"""Records of dialogues, their acts and the needs behind them, whatever format they came in; and our intents."""

from collections.abc import Mapping
from typing import Any, Literal, get_args

from pydantic import Field

from openiir.plugin import Record

Speaker = Literal["user", "system"]

UserIntent = Literal[
    "GREET",
    "DISCLOSE",
    "INQUIRE",
    "CONSUMED",
    "LIKE",
    "NEUTRAL",
    "DISLIKE",
    "CRITIQUE",
    "ACCEPT",
    "YES",
    "NO",
    "DONT_KNOW",
    "GIVE_UP",
    "BYE",
    "OTHER",
]
"""DISCLOSE says what one wants (slot=value), INQUIRE asks for a slot of the item talked about, CRITIQUE says what the
item should have had (slot=value), ACCEPT takes it, GIVE_UP ends in vain and BYE otherwise."""
SystemIntent = Literal[
    "GREET", "ELICIT", "RECOMMEND", "INFORM", "OFFER", "NOTHING_FOUND", "ACKNOWLEDGE", "BYE", "OTHER"
]
"""ELICIT asks for a slot, or whether a slot=value is wanted; RECOMMEND names items (title=...); INFORM gives slots of the
item talked about; OFFER offers to tell more, about named slots or any."""
USER_INTENTS: tuple[UserIntent, ...] = get_args(UserIntent)
SYSTEM_INTENTS: tuple[SystemIntent, ...] = get_args(SystemIntent)
TITLE = "title"
"""The slot of what an item is called."""


class Need(Record):
    """An information need: what an item must have, what the user wants to know of it, and which items would do."""

    constraints: tuple[tuple[str, str], ...] = ()
    """(slot, value) pairs, the weightiest first; an item must have them all."""
    requests: tuple[str, ...] = ()
    """Slots that the user wants to be told of an item before taking it."""
    targets: tuple[str, ...] = ()
    """Ids of the items that would do."""

    @property
    def wanted(self) -> dict[str, tuple[str, ...]]:
        """The values wanted, by slot, in order."""
        by_slot: dict[str, tuple[str, ...]] = {}
        for slot, value in self.constraints:
            by_slot[slot] = (*by_slot.get(slot, ()), value)
        return by_slot

    @property
    def without_targets(self) -> "Need":
        """The same without the items that would do, which neither users nor judges know."""
        return Need.of_own(constraints=self.constraints, requests=self.requests, targets=())


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
