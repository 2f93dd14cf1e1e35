"""Question to a system under test: its next turn in a dialogue."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from pydantic import Field

from openiir.plugin import Draw, Facts, Question, Record
from openiir.scenarios.conversational.dialogue import SYSTEM_INTENTS, Act

LONGEST = 4_000
"""Maximum number of characters of a system turn; a longer turn counts as a fault."""
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
    """Input of a system under test: the user's words and the dialogue so far."""

    said: str
    """The user's words; empty if the system may speak first."""
    history: tuple[tuple[str, str], ...]
    """(speaker, text) of every utterance so far, including the user's last words."""

    def prompt(self) -> str:
        lines = [f"{speaker.upper()}: {text}" for speaker, text in self.history]
        return "\n".join(["You recommend items in a dialogue.", *lines, "What do you say next?"])


@dataclass(frozen=True)
class TakeTurn(Question[SystemTurn]):
    """Question to the system under test: what to say next, given only the words of the dialogue."""

    facts: TurnFacts
    kind: ClassVar[str] = "conversational.turn"
    Reply: ClassVar[type[Record]] = SystemTurn

    def says(self) -> str:
        """Return the message to a declared system: the user's words."""
        return self.facts.said

    def read_answer(self, text: str, data: Any, ended: bool, fault: str) -> Mapping[str, Any]:
        """Convert a declared system's answer to the fields of a SystemTurn."""
        if len(text) > LONGEST:
            return {"fault": f"said {len(text)} characters at once; {LONGEST} is the most"}
        return {"text": text, "acts": _acts(data), "ended": ended, "fault": fault[:500]}

    def offline(self, draw: Draw) -> SystemTurn:
        """Return a fixed question, for rehearsals without the declared system."""
        return SystemTurn(text="What are you looking for?")


def _acts(data: Any) -> list[Mapping[str, Any]]:
    """Read the dialogue acts that a system sent along; [] if any is not in openiir's intents.

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
