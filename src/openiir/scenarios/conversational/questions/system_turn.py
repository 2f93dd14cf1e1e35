"""Questions to a system under test and to the model behind the system `prompted`: the next turn in a
dialogue."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

from pydantic import Field

from openiir.kit.prompting import number_lines
from openiir.plugin import Count, Draw, Question, Record, Source, UnusableAnswer
from openiir.scenarios.conversational.model.dialogue import SYSTEM_INTENTS, Act

LONGEST = 4_000
"""Maximum number of characters of a system turn; a longer turn counts as a fault."""
_MOST = 20


class SystemTurn(Record):
    """A system's turn: its words and what it recommends."""

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
class TakeTurn(Question[SystemTurn]):
    """Question to the system under test: what to say next, given only the words of the dialogue."""

    said: str
    """The user's words; empty if the system may speak first."""
    history: tuple[tuple[str, str], ...]
    """(speaker, text) of every utterance so far, including the user's last words."""
    kind: ClassVar[str] = "conversational.turn"

    def prompt(self) -> str:
        lines = [f"{speaker.upper()}: {text}" for speaker, text in self.history]
        return "\n".join(["You recommend items in a dialogue.", *lines, "What do you say next?"])

    def says(self) -> str:
        """Return the message to a declared system: the user's words."""
        return self.said

    def read_answer(self, text: str, data: Any, ended: bool, fault: str) -> Mapping[str, Any]:
        """Convert a declared system's answer to the fields of a SystemTurn."""
        if len(text) > LONGEST:
            return {"fault": f"said {len(text)} characters at once; {LONGEST} is the most"}
        return {"text": text, "acts": _acts(data), "ended": ended, "fault": fault[:500]}

    def offline(self, draw: Draw) -> SystemTurn:
        """Return a fixed question, to try a study without the declared system."""
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


MOST_ITEMS = 10
"""Maximum number of items of a recommendation, equal to the limit of `SystemOptions.at_once`."""


class SystemLineReply(Record):
    """What a model says when it plays the system."""

    thoughts: str = Field(
        "", max_length=600, description="what you make of it, at most 60 words; nobody sees it"
    )
    say: str = Field(
        max_length=LONGEST, description="your words to the person, with the titles that you recommend"
    )
    recommend: tuple[Annotated[int, Field(ge=1, le=110)], ...] = Field(
        (),
        max_length=MOST_ITEMS,
        description="the numbers of the titles that you recommend, best first; an empty list for none",
    )
    goodbye: bool = Field(False, description="whether the dialogue is over with this")


@dataclass(frozen=True)
class SystemLine(Question[SystemLineReply]):
    """Question to a model that plays the system: what to say next, given these items.

    The offline answer is what the system `attribute` says.
    """

    history: tuple[tuple[str, str], ...]
    """(speaker name, text) of every utterance so far."""
    shown: tuple[str, ...]
    """Descriptions of the items that may be recommended."""
    about: str
    """Description of the item under discussion; empty if there is none."""
    at_once: Count
    """Maximum number of items of one recommendation."""
    ids: Annotated[tuple[str, ...], Source("study")]
    """Ids of the listed items."""
    behaviour: Callable[[Draw], SystemTurn] = field(compare=False, repr=False)
    """Function that computes the turn of the system `attribute`."""
    kind: ClassVar[str] = "conversational.say-over"
    example: ClassVar[Record] = SystemLineReply(
        thoughts="Near the station and cheap: the second one is both.",
        say="How about Hotel Aurora? It is two minutes from the station, and one of the cheapest.",
        recommend=(2,),
    )

    def system(self) -> str:
        return (
            "You are a recommendation service that people talk to. You find out what somebody wants and "
            "recommend what fits."
        )

    def prompt(self) -> str:
        said = "\n".join(f"{who}: {text}" for who, text in self.history)
        shown = number_lines(self.shown)
        about = f"\n\nThe title talked about: {self.about}" if self.about else ""
        begun = f"The dialogue so far:\n{said}" if said else "Nobody has spoken yet: you begin."
        most = "one" if self.at_once == 1 else f"at most {self.at_once}"
        return f"""{begun}{about}

What a search of the catalogue found:
{shown or "(nothing)"}

What do you say next? Ask a question, answer one, or recommend {most} of these by title. Recommend nothing \
that the person has had before, refused or been offered. Say goodbye only where the person does."""

    def allowed(self) -> Mapping[str, Sequence[int]]:
        """Limit recommendations to the numbers of the listed items."""
        return {"recommend": range(1, len(self.shown) + 1)}

    def check(self, reply: SystemLineReply) -> None:
        """Reject an empty turn and a recommendation of too many items."""
        if not reply.say.strip():
            raise UnusableAnswer("say is empty; say something to the person")
        if len(reply.recommend) > self.at_once:
            raise UnusableAnswer(
                f"recommend holds {len(reply.recommend)} numbers; name at most {self.at_once}"
            )

    def offline(self, draw: Draw) -> SystemLineReply:
        """Answer as the reference system `attribute` does."""
        turn = self.behaviour(draw)
        numbers = tuple(self.ids.index(id) + 1 for id in turn.items)
        return SystemLineReply.of_own(thoughts="", say=turn.text, recommend=numbers, goodbye=turn.ended)

    def items(self, reply: SystemLineReply) -> tuple[str, ...]:
        """Return the ids of the items that a reply recommends, best first."""
        return tuple(dict.fromkeys(self.ids[number - 1] for number in reply.recommend))
