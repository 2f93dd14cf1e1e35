"""What does this utterance do? (asked for the simulated user, of the system's words; or of people's, to annotate them)"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

from pydantic import Field

from openiir.kit.dialogue import Act
from openiir.kit.dialogue.records import Speaker
from openiir.plugin import Draw, Record, Unsplit, UnusableAnswer
from openiir.scenarios.conversational.understanding.notation import format_acts, parse_acts

MEANINGS: Mapping[Speaker, Mapping[str, str]] = {
    "user": {
        "GREET": "says hello",
        "DISCLOSE": "says what is wanted (slot=value)",
        "INQUIRE": "asks for a slot of the item talked about",
        "CONSUMED": "knows the item already",
        "LIKE": "likes the item, or what is named",
        "NEUTRAL": "neither likes nor dislikes it",
        "DISLIKE": "dislikes the item, or what is named",
        "CRITIQUE": "says what the item should have had (slot=value)",
        "ACCEPT": "takes the item",
        "YES": "says yes",
        "NO": "says no",
        "DONT_KNOW": "has no answer",
        "GIVE_UP": "leaves in vain",
        "BYE": "says goodbye",
        "OTHER": "none of these",
    },
    "system": {
        "GREET": "says hello",
        "ELICIT": "asks what is wanted in a slot, or whether a slot=value is wanted",
        "RECOMMEND": "recommends items (title=...)",
        "INFORM": "tells slots of the item talked about",
        "OFFER": "offers to tell more, about named slots or any",
        "NOTHING_FOUND": "found nothing that fits",
        "ACKNOWLEDGE": "takes note or thanks",
        "BYE": "says goodbye",
        "OTHER": "none of these",
    },
}
"""What our own intents mean, in a line."""


class Reads(Protocol):
    """What finds acts in words without a model."""

    def user_acts(self, text: str, context: Sequence[tuple[str, str]] = ()) -> tuple[Act, ...]:
        """Those of a user."""
        ...

    def system_acts(self, text: str, context: Sequence[tuple[str, str]] = ()) -> tuple[Act, ...]:
        """Those of a system."""
        ...

    def ground(self, acts: Sequence[Act], text: str) -> tuple[Act, ...]:
        """Values as the catalogue spells them, with their places in the text."""
        ...


class Understood(Record):
    """What an utterance does."""

    acts: str = Field("", max_length=1_000)
    """In the notation that the prompt describes; empty where it does nothing."""


@dataclass(frozen=True)
class Understand(Unsplit[Understood]):
    """Which acts are in this utterance?"""

    text: str
    speaker: Speaker
    slots: tuple[str, ...]
    """What acts may be about, such as `genre` and `title`."""
    context: tuple[tuple[str, str], ...] = ()
    """(speaker, text) of the last few utterances before it."""
    intents: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Names with meanings; ours where none are given."""
    reader: Reads | None = field(default=None, compare=False, repr=False)
    """Who answers without a model: by the text and the context alone."""
    kind: ClassVar[str] = "conversational.understand"
    Reply: ClassVar[type[Record]] = Understood

    @property
    def known(self) -> Mapping[str, str]:
        """The intents that there are, with their meanings."""
        return self.intents or MEANINGS[self.speaker]

    def system(self) -> str:
        return "You annotate dialogues about recommendations. You add nothing that is not said."

    def prompt(self) -> str:
        intents = "\n".join(f"- {name}: {meaning}" for name, meaning in self.known.items())
        before = "\n".join(f"{speaker.upper()}: {text}" for speaker, text in self.context) or "(nothing)"
        return f"""Annotate a dialogue, whatever you think of it yourself: what does its last utterance do? The acts that there are:
{intents}
The slots: {", ".join(self.slots)}.
Write the acts in one line, such as INTENT(slot="value",slot)|INTENT(). A value is quoted as the utterance has it; \
a quote or backslash inside it follows a backslash. A slot alone is one asked about.

Said before:
{before}

The last utterance:
{self.speaker.upper()}: {self.text}"""

    def offline(self, draw: Draw) -> Understood:
        """The reader's acts, with values as the utterance has them; without a reader, nothing."""
        if self.reader is None:
            return Understood()
        read = self.reader.user_acts if self.speaker == "user" else self.reader.system_acts
        acts = [as_said(act, self.text) for act in read(self.text, self.context)]
        while len(line := format_acts(acts)) > 1_000:
            acts.pop()
        return Understood.of_own(acts=line)

    def check(self, reply: Understood) -> None:
        said = plain(self.text)
        for act in parse_acts(reply.acts):
            if act.intent not in self.known:
                raise UnusableAnswer(f"there is no act {act.intent!r}; take one of {', '.join(self.known)}")
            for slot, value in act.pairs:
                if slot not in self.slots:
                    raise UnusableAnswer(f"there is no slot {slot!r}; take one of {', '.join(self.slots)}")
                if value is not None and plain(value) not in said:
                    raise UnusableAnswer(
                        f"the utterance does not say {value!r}; quote its words, or leave the value out"
                    )

    def acts(self, reply: Understood) -> tuple[Act, ...]:
        """A reply's acts, with values as the catalogue spells them where there is a reader."""
        acts = parse_acts(reply.acts)
        return self.reader.ground(acts, self.text) if self.reader is not None else acts


def plain(text: str) -> str:
    """For comparing what was said: without case, kinds of quotes and runs of blanks."""
    return " ".join(text.casefold().translate(_PLAIN).split())


_PLAIN = str.maketrans({"“": None, "”": None, '"': None, "‘": None, "’": None, "'": None, "`": None})


def as_said(act: Act, text: str) -> Act:
    """With values as the text has them, where it is known where they stand."""
    if all(slot.start is None or slot.value == text[slot.start : slot.end] for slot in act.slots):
        return act
    slots = [
        slot if slot.start is None else slot.model_copy(update={"value": text[slot.start : slot.end]})
        for slot in act.slots
    ]
    return act.model_copy(update={"slots": tuple(slots)})
