"""What a simulated user says next, and whether it stops: the questions of the single-prompt and dual-prompt users."""

from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Protocol

from pydantic import Field

from openiir.plugin import Draw, Record, Unsplit, UnusableAnswer
from openiir.scenarios.conversational.questions.realise import LONGEST
from openiir.scenarios.conversational.questions.respond import Ending, check_item, ending_words, endings
from openiir.scenarios.conversational.questions.sight import Sight

Item = Annotated[str, Field(max_length=200)]
_SAY = """Say your next turn as this person would, in one to three short sentences. Answer what the system asks; tell a wish or \
two at a time, never all of them at once, and nothing of what an item is worth to you as a number."""


class Speech(Record):
    """A user's words, and whether they are its last."""

    text: str = Field(max_length=LONGEST)
    end: Ending
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


class Mouth(Protocol):
    """The behaviour model of a prompted user: it decides by what the user sees, and has words."""

    def speak(self, sight: Sight, draw: Draw) -> Speech:
        """What the user says, endings included."""
        ...

    def go_on(self, sight: Sight, draw: Draw) -> Words:
        """What the user says when it does not stop."""
        ...

    def stop(self, sight: Sight, draw: Draw) -> Stopping:
        """Whether the user stops."""
        ...


@dataclass(frozen=True)
class _OfSight:
    """What these questions share: what the user sees, and the behaviour model that sees the same."""

    sight: Sight
    mouth: Mouth = field(compare=False, repr=False)

    def allowed(self) -> dict[str, Any]:
        """Only what was offered can be taken; nobody ends satisfied before."""
        return {"item": [id for id, _ in self.sight.items], "end": list(endings(self.sight))}


@dataclass(frozen=True)
class Speak(_OfSight, Unsplit[Speech]):
    """What do you say next, and are you done? (the single-prompt user)"""

    kind: ClassVar[str] = "conversational.speak"
    Reply: ClassVar[type[Record]] = Speech

    def prompt(self) -> str:
        return (
            f"{self.sight.words()}\n\n{_SAY}\n{ending_words(self.sight)} Words that take an item or say goodbye are your "
            "last, so end with them."
        )

    def offline(self, draw: Draw) -> Speech:
        """The agenda's answer, put into the templates' words."""
        return self.mouth.speak(self.sight, draw)

    def check(self, reply: Speech) -> None:
        check_item(reply.end, reply.item)
        _check_words(reply.text)


@dataclass(frozen=True)
class Stop(_OfSight, Unsplit[Stopping]):
    """Do you stop here? (the dual-prompt user, before it speaks)"""

    kind: ClassVar[str] = "conversational.stop"
    Reply: ClassVar[type[Record]] = Stopping

    def prompt(self) -> str:
        return f"{self.sight.words()}\n\nDo you end the dialogue here? {ending_words(self.sight)}"

    def offline(self, draw: Draw) -> Stopping:
        """The agenda's decision: an item that would do is taken; else one leaves by the hazard of MODELS 8."""
        return self.mouth.stop(self.sight, draw)

    def check(self, reply: Stopping) -> None:
        check_item(reply.end, reply.item)


@dataclass(frozen=True)
class GoOn(_OfSight, Unsplit[Words]):
    """What do you say next? (the dual-prompt user, which goes on)"""

    kind: ClassVar[str] = "conversational.go-on"
    Reply: ClassVar[type[Record]] = Words

    def prompt(self) -> str:
        return f"{self.sight.words()}\n\nYou go on with the dialogue. {_SAY} You take no item and do not say goodbye."

    def allowed(self) -> dict[str, Any]:
        return {}

    def offline(self, draw: Draw) -> Words:
        """The agenda's answer, put into the templates' words."""
        return self.mouth.go_on(self.sight, draw)

    def check(self, reply: Words) -> None:
        _check_words(reply.text)


def _check_words(text: str) -> None:
    if not text.strip():
        raise UnusableAnswer("you said nothing; say something")
