"""What was this user after? (asked of an annotator, of a dialogue that is over)"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Protocol

from pydantic import Field

from openiir.kit.dialogue import Dialogue, Need, Utterance
from openiir.kit.dialogue.records import Speaker
from openiir.plugin import Draw, Record, Unsplit, UnusableAnswer
from openiir.scenarios.conversational.questions.understand import plain

Words = Annotated[str, Field(min_length=1, max_length=200)]


class Finds(Protocol):
    """What finds a need in a dialogue without a model, and knows the catalogue."""

    def need(self, dialogue: Dialogue) -> Need:
        """The need that a dialogue shows."""
        ...

    def spelt(self, slot: str, value: str) -> str:
        """A value as the catalogue spells it."""
        ...

    def item(self, title: str) -> str | None:
        """The id of the item that has a title."""
        ...

    def title(self, item: str) -> str:
        """The title of an item."""
        ...


class Wanted(Record):
    """A value that an item must have."""

    slot: Words
    value: Words


class Extracted(Record):
    """What a user was after."""

    constraints: tuple[Wanted, ...] = Field((), max_length=20)
    """The weightiest first."""
    requests: tuple[Words, ...] = Field((), max_length=20)
    """Slots that the user wanted to be told."""
    titles: tuple[Words, ...] = Field((), max_length=20)
    """Of items that the user took, or else liked."""


@dataclass(frozen=True)
class ExtractNeed(Unsplit[Extracted]):
    """Which need does this dialogue show?"""

    said: tuple[tuple[Speaker, str], ...]
    """(speaker, text), in order."""
    slots: tuple[str, ...]
    finder: Finds | None = field(default=None, compare=False, repr=False)
    """Who answers without a model: by the words said alone."""
    kind: ClassVar[str] = "conversational.extract-need"
    Reply: ClassVar[type[Record]] = Extracted

    def system(self) -> str:
        return "You annotate dialogues about recommendations. You add nothing that is not said."

    def prompt(self) -> str:
        lines = "\n".join(f"{speaker.upper()}: {text}" for speaker, text in self.said)
        return f"""A user talked to a system that recommends items:

{lines}

What was the user after? Give the constraints that an item had to meet (a slot and a value in the dialogue's words, \
the weightiest first), the slots that the user wanted to be told of an item, and the titles of items that the user took, \
or liked where none was taken. The slots: {", ".join(self.slots)}."""

    def offline(self, draw: Draw) -> Extracted:
        """What catalogue and patterns find; without a finder, nothing."""
        if self.finder is None:
            return Extracted()
        found = self.finder.need(_dialogue(self.said))
        return Extracted(
            constraints=tuple(Wanted(slot=slot, value=value[:200]) for slot, value in found.constraints[:20]),
            requests=found.requests[:20],
            titles=tuple(self.finder.title(item)[:200] for item in found.targets[:20]),
        )

    def check(self, reply: Extracted) -> None:
        said = plain(" ".join(text for _, text in self.said))
        named = (*(wanted.slot for wanted in reply.constraints), *reply.requests)
        for slot in named:
            if slot not in self.slots:
                raise UnusableAnswer(f"there is no slot {slot!r}; take one of {', '.join(self.slots)}")
        for value in (*(wanted.value for wanted in reply.constraints), *reply.titles):
            if plain(value) not in said:
                raise UnusableAnswer(f"nobody said {value!r}; quote the dialogue's words, or leave it out")

    def need(self, reply: Extracted) -> Need:
        """A reply as a need, in the catalogue's spelling; titles that no item has are left out."""
        pairs = [(wanted.slot, wanted.value) for wanted in reply.constraints]
        if self.finder is None:
            return Need(constraints=tuple(dict.fromkeys(pairs)), requests=reply.requests)
        spelt = dict.fromkeys((slot, self.finder.spelt(slot, value)) for slot, value in pairs)
        items = [item for title in reply.titles if (item := self.finder.item(title)) is not None]
        return Need(constraints=tuple(spelt), requests=reply.requests, targets=tuple(dict.fromkeys(items)))


def need_question(dialogue: Dialogue, slots: Sequence[str], finder: Finds | None = None) -> ExtractNeed:
    """The question for a dialogue."""
    said = tuple((utterance.speaker, utterance.text) for utterance in dialogue.utterances)
    return ExtractNeed(said, tuple(slots), finder)


def _dialogue(said: Sequence[tuple[Speaker, str]]) -> Dialogue:
    utterances = tuple(Utterance(speaker=speaker, text=text) for speaker, text in said)
    return Dialogue(id="extracted", utterances=utterances)
