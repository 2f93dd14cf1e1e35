"""What a simulated user does next: the acts of its turn, and whether it ends the dialogue."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal, Protocol

from pydantic import Field

from openiir.kit.dialogue import Act, Need, UserIntent
from openiir.plugin import Draw, Question, Record
from openiir.scenarios.conversational.questions.understand import MEANINGS

Ending = Literal["no", "satisfied", "gave-up"]
History = tuple[tuple[str, str], ...]
"""(speaker, text) of everything said so far."""


class Decides(Protocol):
    """A user's own mind. Neither method changes anything."""

    def situation(self) -> "Situation":
        """What the user sees."""
        ...

    def respond(self, draw: Draw) -> "Response":
        """What the user does next."""
        ...


class Response(Record):
    """A user's turn, before it is put into words."""

    acts: tuple[Act, ...] = Field(max_length=8)
    end: Ending = "no"
    item: Annotated[str, Field(max_length=200)] = ""
    """The id of the item taken; empty without one."""


@dataclass(frozen=True)
class Situation:
    """All that a simulated user can see in its turn."""

    noun: str
    """What an item is called."""
    need: Need
    history: History
    heard: tuple[Act, ...]
    """The system's last acts, as understood."""
    known: tuple[str, ...]
    """What the user knows of the items talked about, a line each."""
    items: tuple[tuple[str, str], ...]
    """(id, title) of the items offered so far."""
    turn: int
    failures: int

    def words(self) -> str:
        """As a prompt shows it."""
        wanted = "\n".join(f"- {slot}: {value}" for slot, value in self.need.constraints) or "- nothing in particular"
        lines = [f"You are looking for a {self.noun}. It must have:", wanted]
        if self.need.requests:
            lines.append(f"Before you take one you want to be told its {', '.join(self.need.requests)}.")
        lines += ["", "The dialogue so far:"]
        lines += [f"{'You' if speaker == 'user' else 'System'}: {text}" for speaker, text in self.history] or ["(nothing yet)"]
        if self.known:
            lines += ["", "What you know yourself:", *(f"- {line}" for line in self.known)]
        if self.items:
            lines += ["", "Offered so far:", *(f"- {id}: {title}" for id, title in self.items)]
        lines += ["", f"You have spoken {self.turn} times; {self.failures} of the last answers in a row were of no use to you."]
        return "\n".join(lines)


@dataclass(frozen=True)
class Respond(Question[Response]):
    """What do you do next?"""

    mind: Decides = field(compare=False, repr=False)
    kind: ClassVar[str] = "conversational.respond"
    Reply: ClassVar[type[Record]] = Response

    @cached_property
    def situation(self) -> Situation:
        """Made when it is first looked at: the behaviour model decides by the same mind without the words."""
        return self.mind.situation()

    def prompt(self) -> str:
        meanings = "\n".join(f"- {intent}: {meaning}" for intent, meaning in MEANINGS["user"].items())
        return "\n".join(
            [
                self.situation.words(),
                "",
                "Decide what you do in your next turn. You may do several of these things at once:",
                meanings,
                'End the dialogue with end = "satisfied" when you take an item, and name its id; with end = "gave-up" '
                'when you have had enough; else end = "no".',
            ]
        )

    def allowed(self) -> dict[str, Any]:
        return {"item": [id for id, _ in self.situation.items], "Act.intent": list(INTENTS)}

    def offline(self, draw: Draw) -> Response:
        """The agenda's answer (Schatzmann et al., NAACL 2007; cases after Lyu et al., WWW 2021)."""
        return self.mind.respond(draw)


INTENTS = UserIntent.__args__  # type: ignore[attr-defined]
"""What a user can do."""
