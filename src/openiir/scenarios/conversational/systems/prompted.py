"""Prompted system: a model writes the next turn, given items found by a search of the catalogue."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, ClassVar

from pydantic import Field

from openiir.kit.lexical import BM25, nearest
from openiir.kit.prompting import cut_text, number_lines
from openiir.plugin import Count, Draw, Facts, Question, Record, Source, UnusableAnswer
from openiir.scenarios.conversational.questions.system_turn import LONGEST, SystemTurn
from openiir.scenarios.conversational.questions.understand import SPEAKERS
from openiir.scenarios.conversational.systems.attribute import AttributeOptions, AttributeSystem
from openiir.scenarios.conversational.systems.dialogue_state import DialogueState

LONGEST_LINE = 200
"""Maximum number of characters of an item's description in the prompt."""
MOST_ITEMS = 10
"""Maximum number of items of a recommendation, equal to the limit of `Options.at_once`."""


class SystemLineReply(Record):
    """What a model says as the system."""

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
class SystemLineFacts(Facts):
    """The system model's prompt: the dialogue so far and the items found for it."""

    history: tuple[tuple[str, str], ...]
    """(speaker name, text) of every utterance so far."""
    shown: tuple[str, ...]
    """Descriptions of the items that may be recommended."""
    about: str
    """Description of the item under discussion; empty if there is none."""
    at_once: Count
    """Maximum number of items of one recommendation."""

    def system(self) -> str:
        return "You are a recommendation service that people talk to. You find out what somebody wants and recommend what fits."

    def prompt(self) -> str:
        said = "\n".join(f"{who}: {text}" for who, text in self.history)
        shown = number_lines(self.shown)
        about = f"\n\nThe title talked about: {self.about}" if self.about else ""
        return f"""{f"The dialogue so far:{chr(10)}{said}" if said else "Nobody has spoken yet: you begin."}{about}

What a search of the catalogue found:
{shown or "(nothing)"}

What do you say next? Ask a question, answer one, or recommend {"one" if self.at_once == 1 else f"at most {self.at_once}"} of these by title. Recommend nothing \
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


@dataclass(frozen=True)
class SystemLine(Question[SystemLineReply]):
    """Question to a model that plays the system: what to say next, given these items.

    The offline answer is what the system `attribute` says.
    """

    facts: SystemLineFacts
    dispositions: Annotated[tuple[str, ...], Source("study")]
    """Ids of the listed items."""
    behaviour: DialogueState | None = field(compare=False, repr=False)
    """Snapshot of the dialogue state, from which the offline answer is computed."""
    kind: ClassVar[str] = "conversational.say-over"
    Reply: ClassVar[type[Record]] = SystemLineReply
    example: ClassVar[Record] = SystemLineReply(
        thoughts="Near the station and cheap: the second one is both.",
        say="How about Hotel Aurora? It is two minutes from the station, and one of the cheapest.",
        recommend=(2,),
    )

    def offline(self, draw: Draw) -> SystemLineReply:
        """Answer as the reference system `attribute` does."""
        turn = (
            self.behaviour.respond(draw)
            if self.behaviour is not None
            else SystemTurn(text="What are you looking for?")
        )
        numbers = tuple(self.dispositions.index(id) + 1 for id in turn.items)
        return SystemLineReply.of_own(thoughts="", say=turn.text, recommend=numbers, goodbye=turn.ended)

    def items(self, reply: SystemLineReply) -> tuple[str, ...]:
        """Return the ids of the items that a reply recommends, best first."""
        return tuple(dict.fromkeys(self.dispositions[number - 1] for number in reply.recommend))


class PromptedOptions(AttributeOptions):
    """Options of the `prompted` system, in addition to those of `attribute`."""

    shown: int = Field(20, ge=2, le=100)
    """Number of items listed to the model; at most half of them are there because they meet all constraints."""


class PromptedSystem(AttributeSystem):
    """Prompted system: a model writes the turn, given items found by a search for the user's words.

    Shown first are items that have all that is wanted, as `attribute` finds them, then those whose title and values
    share words with all the user said (BM25), and then the most rated. Items that are not to be recommended are not
    shown. Offline it is `attribute`.
    """

    name = "prompted"
    Options = PromptedOptions
    options: PromptedOptions

    def question(self, talk: DialogueState, history: Sequence[tuple[str, str]]) -> SystemLine:
        """Build the question for the next turn, with the items found."""
        ids = self.known.collection.ids
        found = self.find_items(talk)
        about = self._line(talk.about) if talk.about is not None else ""
        said = tuple((SPEAKERS["user" if who == "user" else "system"], text) for who, text in history)
        facts = SystemLineFacts(said, tuple(map(self._line, found)), about, self.options.at_once)
        return SystemLine(facts, tuple(ids[item] for item in found), talk.snapshot())

    def find_items(self, talk: DialogueState) -> list[int]:
        """Search the items to list in the prompt, including all that the offline answer could recommend."""
        most = max(self.options.shown, self.options.at_once)
        out = talk.excluded_items()
        wishes = talk.wanted or talk.fond or talk.unwanted
        half = max(most // 2 if wishes else 0, self.options.at_once)
        first = self.requested_items(talk) + self.candidates(talk, half)[0]
        words = " ".join(text for speaker, text in talk.lines if speaker == "user")
        searched: Iterable[int] = nearest(self._index, words, most + len(out)).tolist() if words else ()
        rank = self.known.rank
        able = [item for item in searched if item not in out and rank[item] < len(rank)]
        found = list(dict.fromkeys([*first, *able]))[:most]
        return found + talk.fresh(self.known.order, most - len(found), found)

    @cached_property
    def _index(self) -> BM25:
        """BM25 index of the titles and values of all items."""
        collection = self.known.collection
        columns = [collection.attributes[slot] for slot in self.known.facets.slots]
        return BM25(
            [
                " ".join([title, *(value for column in columns for value in column[item])])
                for item, title in enumerate(collection.titles)
            ]
        )

    def _line(self, item: int) -> str:
        collection = self.known.collection
        title = collection.titles[item]
        known = ((slot, collection.values(slot, item)) for slot in self.known.facets.slots)
        facts = "; ".join(
            f"{slot}: {', '.join(values)}"
            for slot, values in known
            if values and not title.endswith(f"({values[0]})")
        )
        story = cut_text(
            collection.text("descriptions", item) or collection.text("summaries", item),
            LONGEST_LINE - len(facts),
        )
        shown = f"{title} ({cut_text(facts, LONGEST_LINE)})" if facts else title
        return f"{shown}. {story}" if story else shown
