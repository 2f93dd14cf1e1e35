"""Question to an annotator: which information need did the user of a finished dialogue have?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

from pydantic import Field

from openiir.plugin import Draw, Question, Record, UnusableAnswer
from openiir.scenarios.conversational.model.dialogue import Dialogue, Need, build_act, build_utterance
from openiir.scenarios.conversational.model.understanding.annotating import find_need
from openiir.scenarios.conversational.model.understanding.catalogue import CatalogueReader
from openiir.scenarios.conversational.questions.understand import SPEAKERS, plain

SlotText = Annotated[str, Field(min_length=1, max_length=200)]


class ExtractedConstraint(Record):
    """A (slot, value) that an item must have."""

    slot: SlotText
    value: SlotText = Field(description="copied from the dialogue")


class ExtractedNeed(Record):
    """The information need read from a dialogue."""

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
    behaviour: CatalogueReader = field(compare=False, repr=False)
    """Reader for the offline answer and the catalogue's spelling; it sees only the words of the dialogue."""
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
        """Extract the need by catalogue and patterns."""
        speakers = {name: speaker for speaker, name in SPEAKERS.items()}
        utterances = tuple(build_utterance(speakers[who], text) for who, text in self.said)
        found = find_need(Dialogue(id="extracted", utterances=utterances), self.behaviour)
        collection = self.behaviour.collection
        return ExtractedNeed(
            constraints=tuple(
                ExtractedConstraint(slot=slot, value=value[:200]) for slot, value in found.constraints[:20]
            ),
            requests=found.requests[:20],
            titles=tuple(collection.titles[collection.index[id]][:200] for id in found.targets[:20]),
        )

    def need(self, reply: ExtractedNeed) -> Need:
        """Convert a reply to a need in the catalogue's spelling; titles of no item are left out."""
        reader = self.behaviour
        spelt: dict[tuple[str, str], None] = {}
        for wanted in reply.constraints:
            (act,) = reader.ground([build_act("DISCLOSE", (wanted.slot, wanted.value))], wanted.value)
            spelt[wanted.slot, act.slots[0].value or wanted.value] = None
        titles = build_act("ACCEPT", *((reader.title, title) for title in reply.titles))
        return Need(constraints=tuple(spelt), requests=reply.requests, targets=reader.items_of([titles]))


def build_need_question(dialogue: Dialogue, reader: CatalogueReader) -> ExtractNeed:
    """Build the question about the need behind a dialogue."""
    said = tuple((SPEAKERS[utterance.speaker], utterance.text) for utterance in dialogue.utterances)
    return ExtractNeed(said, reader.slots, reader)
