"""Question to an annotator: which information need did the user of a finished dialogue have?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Protocol

from pydantic import Field

from openiir.plugin import Draw, Question, Record, UnusableAnswer
from openiir.scenarios.conversational.model.dialogue import Dialogue, Need, Utterance
from openiir.scenarios.conversational.questions.understand import SPEAKERS, plain

SlotText = Annotated[str, Field(min_length=1, max_length=200)]


class NeedReader(Protocol):
    """Interface of an extractor that finds needs in dialogues by a catalogue, without a model."""

    def need(self, dialogue: Dialogue) -> Need:
        """Extract the user's need from a dialogue."""

    def spelt(self, slot: str, value: str) -> str:
        """Return a value in the catalogue's spelling."""

    def item(self, title: str) -> str | None:
        """Return the id of the item with this title; None if there is none."""

    def title(self, item: str) -> str:
        """Return the title of an item."""


class ExtractedConstraint(Record):
    """A value that an item must have."""

    slot: SlotText
    value: SlotText = Field(description="copied from the dialogue")


class ExtractedNeed(Record):
    """What a user was after."""

    constraints: tuple[ExtractedConstraint, ...] = Field(
        (), max_length=20, description="what it had to be, the most important first"
    )
    requests: tuple[SlotText, ...] = Field(
        (), max_length=20, description="what the person wanted to be told of it, as slots"
    )
    titles: tuple[SlotText, ...] = Field(
        (), max_length=20, description="the titles that the person took, or liked where none was taken"
    )


@dataclass(frozen=True)
class ExtractNeed(Question[ExtractedNeed]):
    """Question to an annotator about the information need behind a finished dialogue."""

    said: tuple[tuple[str, str], ...]
    """(speaker name, text) of each utterance, in order."""
    slots: tuple[str, ...]
    behaviour: NeedReader | None = field(default=None, compare=False, repr=False)
    """Extractor for the offline answer; it sees only the words of the dialogue."""
    kind: ClassVar[str] = "conversational.extract-need"
    example: ClassVar[Record] = ExtractedNeed(
        constraints=(ExtractedConstraint(slot="place", value="by the station"),),
        requests=("price",),
        titles=("Hotel Aurora",),
    )

    def system(self) -> str:
        return (
            "You annotate dialogues about recommendations. You take no side and add nothing that is not said."
        )

    def prompt(self) -> str:
        lines = "\n".join(f"{who}: {text}" for who, text in self.said)
        return f"""A person talked to a recommendation service:

{lines}

What was the person after: what did it have to be, what did the person want to be told of it, and which \
titles did the person take, or like where none was taken? A list stays empty where nothing was said. \
The slots: {", ".join(self.slots)}."""

    def allowed(self) -> Mapping[str, Sequence[str]]:
        return {"ExtractedConstraint.slot": self.slots, "requests": self.slots}

    def check(self, reply: ExtractedNeed) -> None:
        said = plain(" ".join(text for _, text in self.said))
        for value in (*(wanted.value for wanted in reply.constraints), *reply.titles):
            if plain(value) not in said:
                raise UnusableAnswer(f"nobody said {value!r}; quote the dialogue's words, or leave it out")

    def offline(self, draw: Draw) -> ExtractedNeed:
        """Extract the need by catalogue and patterns; return an empty need without an extractor."""
        if self.behaviour is None:
            return ExtractedNeed()
        found = self.behaviour.need(_dialogue(self.said))
        return ExtractedNeed(
            constraints=tuple(
                ExtractedConstraint(slot=slot, value=value[:200]) for slot, value in found.constraints[:20]
            ),
            requests=found.requests[:20],
            titles=tuple(self.behaviour.title(item)[:200] for item in found.targets[:20]),
        )

    def need(self, reply: ExtractedNeed) -> Need:
        """Convert a reply to a need in the catalogue's spelling; titles of no item are left out."""
        pairs, finder = [(wanted.slot, wanted.value) for wanted in reply.constraints], self.behaviour
        if finder is None:
            return Need(constraints=tuple(dict.fromkeys(pairs)), requests=reply.requests)
        spelt = dict.fromkeys((slot, finder.spelt(slot, value)) for slot, value in pairs)
        items = [item for title in reply.titles if (item := finder.item(title)) is not None]
        return Need(constraints=tuple(spelt), requests=reply.requests, targets=tuple(dict.fromkeys(items)))


def need_question(dialogue: Dialogue, slots: Sequence[str], finder: NeedReader | None = None) -> ExtractNeed:
    """Build the question about the need behind a dialogue."""
    said = tuple((SPEAKERS[utterance.speaker], utterance.text) for utterance in dialogue.utterances)
    return ExtractNeed(said, tuple(slots), finder)


def _dialogue(said: Sequence[tuple[str, str]]) -> Dialogue:
    speakers = {name: speaker for speaker, name in SPEAKERS.items()}
    utterances = tuple(Utterance(speaker=speakers[who], text=text) for who, text in said)
    return Dialogue(id="extracted", utterances=utterances)
