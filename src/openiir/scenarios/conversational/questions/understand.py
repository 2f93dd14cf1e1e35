"""Question about an utterance: which dialogue acts it contains.

It is asked for a simulated user about the system's words, and of an annotator about human dialogues.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

from pydantic import Field

from openiir.plugin import Draw, Question, Record, Source, UnusableAnswer
from openiir.scenarios.conversational.model.dialogue import Act, Speaker, build_act
from openiir.scenarios.conversational.model.understanding.trained import ActReader

MEANINGS: Mapping[Speaker, Mapping[str, tuple[str, str]]] = {
    "user": {
        "GREET": ("greets", ""),
        "DISCLOSE": ("wishes", "what is wanted; the slot, and the value copied"),
        "INQUIRE": ("asks", "for a slot of the title talked about"),
        "CONSUMED": ("knows it", "the title was had before"),
        "LIKE": ("likes", "the title, or what is named"),
        "NEUTRAL": ("does not mind", "neither liking nor disliking it"),
        "DISLIKE": ("dislikes", "the title, or what is named"),
        "CRITIQUE": ("misses", "what the title should have had; the slot, and the value copied"),
        "ACCEPT": ("takes", "the title"),
        "YES": ("says yes", ""),
        "NO": ("says no", ""),
        "DONT_KNOW": ("does not know", "has no answer"),
        "GIVE_UP": ("gives up", "leaves in vain"),
        "BYE": ("says goodbye", ""),
        "OTHER": ("something else", ""),
    },
    "system": {
        "GREET": ("greets", ""),
        "ELICIT": ("asks", "what is wanted; the slot alone, or with the value that it suggests"),
        "RECOMMEND": ("recommends", "titles; the slot title, and each title copied"),
        "INFORM": ("tells", "facts of the title talked about; the slot, and the value copied"),
        "OFFER": ("offers to tell", "more, of named slots or any"),
        "NOTHING_FOUND": ("finds nothing", "that fits"),
        "ACKNOWLEDGE": ("takes note", "or thanks"),
        "BYE": ("says goodbye", ""),
        "OTHER": ("something else", ""),
    },
}
"""For each intent, its plain name in the prompt and an explanation if the name needs one."""
MOST = 20
"""Maximum number of dialogue acts of an utterance."""


class NamedSlot(Record):
    """A slot, with its value if the utterance gives one."""

    slot: str = Field(min_length=1, max_length=200)
    value: str | None = Field(
        None, max_length=1_000, description="copied from the utterance; null where none is said"
    )


class UnderstoodAct(Record):
    """One dialogue act found in an utterance."""

    does: str = Field(max_length=100)
    about: tuple[NamedSlot, ...] = Field((), max_length=20)


class Understood(Record):
    """The dialogue acts found in an utterance."""

    things: tuple[UnderstoodAct, ...] = Field(
        (), max_length=MOST, description="in the order said; an empty list where it does nothing"
    )


@dataclass(frozen=True)
class Understand(Question[Understood]):
    """Question to a model about an utterance: which dialogue acts it contains."""

    text: str
    who: str
    """Name of the speaker in the prompt: Service or Person."""
    before: tuple[tuple[str, str], ...]
    """(speaker name, text) of the preceding utterances."""
    slots: tuple[str, ...]
    """Slots that an act may be about, such as `genre` and `title`."""
    known: tuple[tuple[str, str], ...]
    """Names of the possible acts with explanations."""
    meant: Annotated[tuple[str, ...], Source("study")]
    """Intents behind the names of acts in the prompt."""
    behaviour: ActReader = field(compare=False, repr=False)
    """Reader for the offline answer; it sees only the text and its context."""
    kind: ClassVar[str] = "conversational.understand"
    example: ClassVar[Record] = Understood(
        things=(
            UnderstoodAct(
                does="asks", about=(NamedSlot(slot="price"), NamedSlot(slot="room", value="double room"))
            ),
        )
    )

    def system(self) -> str:
        return (
            "You annotate dialogues about recommendations. You take no side and add nothing that is not said."
        )

    def prompt(self) -> str:
        known = "\n".join(f"- {name}{': ' if meaning else ''}{meaning}" for name, meaning in self.known)
        before = "\n".join(f"{who}: {text}" for who, text in self.before)
        return f"""{f"Said before:{chr(10)}{before}{chr(10)}{chr(10)}" if before else ""}The utterance:
{self.who}: {self.text}

What does the utterance do? List all that applies:
{known}
What it is about has one of these slots: {", ".join(self.slots)}."""

    def allowed(self) -> Mapping[str, Sequence[str]]:
        return {"UnderstoodAct.does": [name for name, _ in self.known], "NamedSlot.slot": self.slots}

    def check(self, reply: Understood) -> None:
        said = plain(self.text)
        for one in reply.things:
            for named in one.about:
                if named.value is not None and plain(named.value) not in said:
                    raise UnusableAnswer(
                        f"the utterance does not say {named.value!r}; copy its words, or let the value "
                        "be null"
                    )

    def offline(self, draw: Draw) -> Understood:
        """Read acts by the reader, with values as worded in the utterance."""
        read = self.behaviour.user_acts if self.who == SPEAKERS["user"] else self.behaviour.system_acts
        context = [(_SPEAKER[who], text) for who, text in self.before]
        found = [with_text_values(act, self.text) for act in read(self.text, context)]
        return Understood.of_own(things=tuple(map(self._understood_act, found[:MOST])))

    def _understood_act(self, act: Act) -> UnderstoodAct:
        named = tuple(NamedSlot.of_own(slot=slot, value=value) for slot, value in act.pairs[:20])
        return UnderstoodAct.of_own(does=self.known[self.meant.index(act.intent)][0], about=named)

    def acts(self, reply: Understood) -> tuple[Act, ...]:
        """Convert a reply to dialogue acts, with the catalogue's spelling of values."""
        names = [name for name, _ in self.known]
        acts = tuple(
            build_act(self.meant[names.index(one.does)], *((named.slot, named.value) for named in one.about))
            for one in reply.things
        )
        return self.behaviour.ground(acts, self.text)


SPEAKERS: Mapping[Speaker, str] = {"user": "Person", "system": "Service"}
_SPEAKER = {name: speaker for speaker, name in SPEAKERS.items()}


def understand_question(
    text: str,
    speaker: Speaker,
    slots: Iterable[str],
    context: Iterable[tuple[str, str]],
    reader: ActReader,
) -> Understand:
    """Build the question about an utterance; `context` is (speaker, text) of the preceding ones."""
    known = MEANINGS[speaker]
    before = tuple((SPEAKERS["user" if who == "user" else "system"], said) for who, said in context)
    names = tuple(known.values())
    return Understand(text, SPEAKERS[speaker], before, tuple(slots), names, tuple(known), reader)


def plain(text: str) -> str:
    """Normalise text for comparison: lower case, no quotes, single blanks."""
    return " ".join(text.casefold().translate(_PLAIN).split())


_PLAIN = str.maketrans({"“": None, "”": None, '"': None, "‘": None, "’": None, "'": None, "`": None})


def with_text_values(act: Act, text: str) -> Act:
    """Replace an act's values by the words at their offsets in the text, where known."""
    slots = [
        slot if slot.start is None else slot.model_copy(update={"value": text[slot.start : slot.end]})
        for slot in act.slots
    ]
    return act.model_copy(update={"slots": tuple(slots)})
