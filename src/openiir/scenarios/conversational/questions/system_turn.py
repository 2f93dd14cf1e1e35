"""A system's turn: what a conversational recommender says next."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from pydantic import Field

from openiir.plugin import Draw, Facts, Question, Record
from openiir.scenarios.conversational.dialogue import SYSTEM_INTENTS, Act

LONGEST = 4_000
"""Characters of one turn; a system that says more is at fault."""
_MOST = 20


class SystemTurn(Record):
    """What a system said."""

    text: str = Field("", max_length=LONGEST)
    acts: tuple[Act, ...] = Field((), max_length=20)
    """Where the system says what it does; else whoever listens has to understand the text."""
    items: tuple[Annotated[str, Field(max_length=200)], ...] = Field((), max_length=100)
    """Ids of the items recommended, best first."""
    ended: bool = False
    """Whether the system ended the dialogue."""
    fault: str = Field("", max_length=500)
    """What went wrong with the system, in words; then nothing was said."""


@dataclass(frozen=True)
class TurnFacts(Facts):
    """What a system under test is told."""

    said: str
    """The user's words; empty where the system may speak first."""
    history: tuple[tuple[str, str], ...]
    """(speaker, text) of everything said so far, the user's last words included."""

    def prompt(self) -> str:
        lines = [f"{speaker.upper()}: {text}" for speaker, text in self.history]
        return "\n".join(["You recommend items in a dialogue.", *lines, "What do you say next?"])


@dataclass(frozen=True)
class TakeTurn(Question[SystemTurn]):
    """What do you say next? (asked of the system under test, which hears the bare words)"""

    facts: TurnFacts
    kind: ClassVar[str] = "conversational.turn"
    Reply: ClassVar[type[Record]] = SystemTurn

    def says(self) -> str:
        """What a declared system is told: the user's words alone."""
        return self.facts.said

    def heard(self, text: str, data: Any, ended: bool, fault: str) -> Mapping[str, Any]:
        """Convert a declared system's answer to a SystemTurn."""
        if len(text) > LONGEST:
            return {"fault": f"said {len(text)} characters at once; {LONGEST} is the most"}
        return {"text": text, "acts": _acts(data), "ended": ended, "fault": fault[:500]}

    def offline(self, draw: Draw) -> SystemTurn:
        """A plain question, in a rehearsal; a declared system answers for itself."""
        return SystemTurn(text="What are you looking for?")


def _acts(data: Any) -> list[Mapping[str, Any]]:
    """The acts that a system says it performs, where all are in our own names; any others are left to be read from
    its words.

    As SimLab and DialogueKit spell them: a list of `{"intent", "annotations": [{"slot", "value"}]}`.
    """
    if not isinstance(data, list) or not 0 < len(data) <= _MOST:
        return []
    found: list[Mapping[str, Any]] = []
    for one in data:
        slots = one.get("annotations") or [] if isinstance(one, dict) else None
        if not isinstance(slots, list) or one.get("intent") not in SYSTEM_INTENTS or len(slots) > _MOST:
            return []
        pairs = [(slot.get("slot"), slot.get("value")) for slot in slots if isinstance(slot, dict)]
        if not all(
            isinstance(name, str) and (value is None or isinstance(value, str)) for name, value in pairs
        ):
            return []
        found.append(
            {"intent": one["intent"], "slots": [{"slot": name, "value": value} for name, value in pairs]}
        )
    return found
