"""What a simulated user says next, and whether it stops: the questions of the single-prompt and dual-prompt users."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, ClassVar, Protocol

from pydantic import Field

from openiir.plugin import Draw, Question, Record, UnusableAnswer
from openiir.scenarios.conversational.questions.realise import LONGEST
from openiir.scenarios.conversational.questions.respond import Ending, Situation

Item = Annotated[str, Field(max_length=200)]
_ENDINGS = 'end = "satisfied" when you take an item that was offered, naming its id; end = "gave-up" when you have had enough'


class Speech(Record):
    """A user's words, and whether they are its last."""

    text: str = Field(max_length=LONGEST)
    end: Ending = "no"
    item: Item = ""
    """The id of the item taken; empty without one."""


class Words(Record):
    """A user's words."""

    text: str = Field(max_length=LONGEST)


class Stopping(Record):
    """Whether a user stops before it speaks again."""

    end: Ending
    item: Item = ""
    """The id of the item taken; empty without one."""


class Talks(Protocol):
    """A user's own mind, with words. No method changes anything."""

    def situation(self) -> Situation:
        """What the user sees."""
        ...

    def speak(self, draw: Draw) -> Speech:
        """What the user says, endings included."""
        ...

    def go_on(self, draw: Draw) -> Words:
        """What the user says when it does not stop."""
        ...

    def stop(self, draw: Draw) -> Stopping:
        """Whether the user stops."""
        ...


@dataclass(frozen=True)
class _OfMind:
    """What these questions share: the user's situation, and the behaviour model that sees the same."""

    mind: Talks = field(compare=False, repr=False)

    @cached_property
    def situation(self) -> Situation:
        """Made when it is first looked at."""
        return self.mind.situation()

    def allowed(self) -> dict[str, Any]:
        """Only what was offered can be taken."""
        return {"item": [id for id, _ in self.situation.items]}


@dataclass(frozen=True)
class Speak(_OfMind, Question[Speech]):
    """What do you say next, and are you done? (the single-prompt user)"""

    kind: ClassVar[str] = "conversational.speak"
    Reply: ClassVar[type[Record]] = Speech

    def prompt(self) -> str:
        return (
            f"{self.situation.words()}\n\nSay your next turn as a person would, in one to three short sentences, without "
            f"giving all your wishes away at once. {_ENDINGS}; else end = \"no\"."
        )

    def offline(self, draw: Draw) -> Speech:
        """The agenda's answer, put into the templates' words."""
        return self.mind.speak(draw)

    def check(self, reply: Speech) -> None:
        _check_item(reply.end, reply.item)
        _check_words(reply.text)


@dataclass(frozen=True)
class Stop(_OfMind, Question[Stopping]):
    """Do you stop here? (the dual-prompt user, before it speaks)"""

    kind: ClassVar[str] = "conversational.stop"
    Reply: ClassVar[type[Record]] = Stopping

    def prompt(self) -> str:
        return f"{self.situation.words()}\n\nDo you end the dialogue here? {_ENDINGS}; end = \"no\" to go on."

    def offline(self, draw: Draw) -> Stopping:
        """The agenda's decision: an item that would do is taken; else one leaves by the hazard of MODELS 8."""
        return self.mind.stop(draw)

    def check(self, reply: Stopping) -> None:
        _check_item(reply.end, reply.item)


@dataclass(frozen=True)
class GoOn(_OfMind, Question[Words]):
    """What do you say next? (the dual-prompt user, which goes on)"""

    kind: ClassVar[str] = "conversational.go-on"
    Reply: ClassVar[type[Record]] = Words

    def prompt(self) -> str:
        return (
            f"{self.situation.words()}\n\nYou go on with the dialogue. Say your next turn as a person would, in one to three "
            "short sentences, without giving all your wishes away at once."
        )

    def allowed(self) -> dict[str, Any]:
        return {}

    def offline(self, draw: Draw) -> Words:
        """The agenda's answer, put into the templates' words."""
        return self.mind.go_on(draw)

    def check(self, reply: Words) -> None:
        _check_words(reply.text)


def _check_item(end: Ending, item: str) -> None:
    if end == "satisfied" and not item:
        raise UnusableAnswer('end = "satisfied" takes an item, so name its id; or do not end satisfied')


def _check_words(text: str) -> None:
    if not text.strip():
        raise UnusableAnswer("you said nothing; say something")
