"""A model over the catalogue: it is shown what a search finds, and says the next turn."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, ClassVar

from pydantic import Field

from openiir.kit.lexical import BM25, nearest
from openiir.plugin import Draw, Record, Unsplit, UnusableAnswer
from openiir.scenarios.conversational.questions.turn import LONGEST, Turn
from openiir.scenarios.conversational.systems.attribute import Attribute, AttributeOptions
from openiir.scenarios.conversational.systems.talk import Talk

LONGEST_LINE = 240
"""Characters that tell what is known of an item."""
MOST_ITEMS = 10
"""Of one recommendation, as `Options.at_once` has it at most."""


class Line(Record):
    """What a model says as the system."""

    text: str = Field(max_length=LONGEST)
    items: tuple[Annotated[str, Field(max_length=200)], ...] = Field((), max_length=MOST_ITEMS)
    """Ids of the items recommended, best first."""
    ended: bool = False
    """Whether it ends the dialogue."""


@dataclass(frozen=True)
class SayOver(Unsplit[Line]):
    """What do you say next, given these items? (asked of a model that plays the system)

    The offline answer is what the system `attribute` says.
    """

    history: tuple[tuple[str, str], ...]
    """(speaker, text) of everything said so far."""
    shown: tuple[tuple[str, str], ...]
    """(id, what is known of it) of the items that may be recommended."""
    about: str
    """What is known of the item talked about; empty where there is none."""
    at_once: int
    """Items of one recommendation at most."""
    talk: Talk | None = field(compare=False, repr=False)
    """What the system has made of the history, as it stood when this was asked."""
    kind: ClassVar[str] = "conversational.say-over"
    Reply: ClassVar[type[Record]] = Line

    def system(self) -> str:
        return "You are a conversational recommender. You find out what somebody wants and recommend items that fit."

    def prompt(self) -> str:
        said = [f"{speaker.upper()}: {text}" for speaker, text in self.history]
        shown = [f"{id}: {line}" for id, line in self.shown]
        return "\n".join(
            [
                "The dialogue so far:",
                *(said or ["(nobody has spoken yet)"]),
                *(["", f"The item talked about: {self.about}"] if self.about else []),
                "",
                "Items of the catalogue that may fit:",
                *(shown or ["(none)"]),
                "",
                f"Say the next turn as `text`: ask a question, answer one, or recommend at most {self.at_once} of these "
                "items by title, with their ids in `items`. Recommend nothing that the user has had, refused or been "
                "offered. Set `ended` to true only to say goodbye.",
            ]
        )

    def allowed(self) -> Mapping[str, Sequence[str]]:
        """Of items those shown."""
        return {"items": tuple(id for id, _ in self.shown)}

    def offline(self, draw: Draw) -> Line:
        """The reference system `attribute`, which is told the same."""
        turn = self.talk.respond(draw) if self.talk is not None else Turn(text="What are you looking for?")
        return Line.of_own(text=turn.text, items=turn.items, ended=turn.ended)

    def check(self, reply: Line) -> None:
        """A model says something, and recommends no more than it may."""
        if not reply.text.strip():
            raise UnusableAnswer("text is empty; say something to the user")
        if len(reply.items) > self.at_once:
            raise UnusableAnswer(f"items holds {len(reply.items)} ids; name at most {self.at_once}")


class PromptedOptions(AttributeOptions):
    """Options of `prompted`: those of its offline answer, and what a model is shown."""

    shown: int = Field(20, ge=2, le=100)
    """Items shown to the model, half of them at most for having all that was understood as wanted."""


class Prompted(Attribute):
    """Has a model say the turn, over the items that a search finds for what the user said.

    Shown first are items that have all that is wanted, as `attribute` finds them, then those whose title and values
    share words with all the user said (BM25), and then the most rated. Items that are not to be recommended are not
    shown. Offline it is `attribute`.
    """

    name = "prompted"
    Options = PromptedOptions
    options: PromptedOptions

    def question(self, talk: Talk, history: Sequence[tuple[str, str]]) -> SayOver:
        """The question for the next turn, with the items found."""
        ids = self.known.collection.ids
        shown = tuple((ids[item], self._line(item)) for item in self.found(talk))
        about = self._line(talk.about) if talk.about is not None else ""
        return SayOver(tuple(history), shown, about, self.options.at_once, talk.snapshot())

    def found(self, talk: Talk) -> list[int]:
        """The items shown: every one that the offline answer could recommend is among them."""
        most = max(self.options.shown, self.options.at_once)
        out = talk.excluded()
        wishes = talk.wanted or talk.fond or talk.unwanted
        half = max(most // 2 if wishes else 0, self.options.at_once)
        first = self.named(talk) + self.candidates(talk, half)[0]
        words = " ".join(text for speaker, text in talk.lines if speaker == "user")
        searched: Iterable[int] = nearest(self._index, words, most + len(out)).tolist() if words else ()
        rank = self.known.rank
        able = [item for item in searched if item not in out and rank[item] < len(rank)]
        found = list(dict.fromkeys([*first, *able]))[:most]
        return found + talk.fresh(self.known.order, most - len(found), found)

    @cached_property
    def _index(self) -> BM25:
        """Titles and values of all items, to be searched."""
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
        known = ((slot, collection.values(slot, item)) for slot in self.known.facets.slots)
        facts = [f"{slot}: {', '.join(values)}" for slot, values in known if values]
        story = collection.text("descriptions", item) or collection.text("summaries", item)
        told = "; ".join([*facts, *([story] if story else [])])
        return f"{collection.titles[item]} ({told[:LONGEST_LINE]})" if told else collection.titles[item]
