"""Records of dialogues, dialogue acts and information needs, and openiir's intents."""

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
"""Intents of users. DISCLOSE states a constraint (slot=value), INQUIRE asks for a slot of the current item, CRITIQUE
states a constraint that it violates, ACCEPT takes the item, GIVE_UP ends the dialogue without success."""
SystemIntent = Literal[
    "GREET", "ELICIT", "RECOMMEND", "INFORM", "OFFER", "NOTHING_FOUND", "ACKNOWLEDGE", "BYE", "OTHER"
]
"""Intents of systems. ELICIT asks for a slot or whether slot=value is wanted, RECOMMEND names items (title=...), INFORM
tells slots of the current item, OFFER offers more information on named or any slots."""
USER_INTENTS: tuple[UserIntent, ...] = get_args(UserIntent)
SYSTEM_INTENTS: tuple[SystemIntent, ...] = get_args(SystemIntent)
TITLE = "title"
"""Name of the slot that holds an item's title."""


class Need(Record):
    """An information need: required slot values, slots to ask about, and the target items."""

    constraints: tuple[tuple[str, str], ...] = ()
    """Required (slot, value) pairs, the most important first; a target item has all of them."""
    requests: tuple[str, ...] = ()
    """Slots that the user asks about before accepting an item."""
    targets: tuple[str, ...] = ()
    """Ids of the items that satisfy the need."""

    @property
    def wanted(self) -> dict[str, tuple[str, ...]]:
        """Required values by slot, in order."""
        by_slot: dict[str, tuple[str, ...]] = {}
        for slot, value in self.constraints:
            by_slot[slot] = (*by_slot.get(slot, ()), value)
        return by_slot

    @property
    def without_targets(self) -> "Need":
        """Copy of the need without the target items, which users and judges must not see."""
        return Need.of_own(constraints=self.constraints, requests=self.requests, targets=())


class Slot(Record):
    """A slot of a dialogue act, with its value if it has one."""

    slot: str = Field(max_length=200)
    value: str | None = Field(None, max_length=2_000)
    start: int | None = Field(None, ge=0, le=1_000_000)
    """Character offset of the value in the utterance's text."""
    end: int | None = Field(None, ge=0, le=1_000_000)


class Act(Record):
    """A dialogue act: an intent with its slots."""

    intent: str = Field(max_length=200)
    """A UserIntent or SystemIntent, or an intent of the imported data's annotation scheme."""
    slots: tuple[Slot, ...] = Field((), max_length=100)

    @property
    def pairs(self) -> tuple[tuple[str, str | None], ...]:
        """(slot, value) pairs of the act."""
        return tuple((s.slot, s.value) for s in self.slots)


def build_act(intent: str, *pairs: tuple[str, str | None]) -> Act:
    """Build an act from trusted (slot, value) pairs, without validation."""
    slots = tuple(Slot.of_own(slot=slot, value=value, start=None, end=None) for slot, value in pairs)
    return Act.of_own(intent=intent, slots=slots)


class Participant(Record):
    """A participant of a dialogue."""

    id: str
    type: Literal["USER", "AGENT"]


class Utterance(Record):
    """An utterance of a dialogue."""

    speaker: Speaker
    text: str
    acts: tuple[Act, ...] = ()
    items: tuple[str, ...] = ()
    """Ids of the items that the utterance recommends or mentions, where known."""
    annotations: tuple[tuple[str, Any], ...] = ()
    """(name, value) labels by annotators or judges."""
    feedback: int | None = None
    """Feedback of a person: 0 thumb down, 1 thumb up, None without any."""
    extra: Mapping[str, Any] = {}
    """Other fields of the source format."""


class Dialogue(Record):
    """A dialogue between a user and a system."""

    id: str
    utterances: tuple[Utterance, ...]
    system: Participant | None = None
    user: Participant | None = None
    need: Need | None = None
    metadata: Mapping[str, Any] = {}
    """Other fields of the source format."""
