"""Prompted system: a model writes the next turn, given items found by a search of the catalogue."""

from collections.abc import Iterable, Sequence
from functools import cached_property

from pydantic import Field

from openiir.kit.lexical import BM25, nearest_texts
from openiir.kit.prompting import cut_text
from openiir.scenarios.conversational.behaviour.systems.attribute import AttributeOptions, AttributeSystem
from openiir.scenarios.conversational.behaviour.systems.dialogue_state import DialogueState
from openiir.scenarios.conversational.questions.system_turn import SystemLine
from openiir.scenarios.conversational.questions.understand import SPEAKERS

LONGEST_LINE = 200
"""Maximum number of characters of an item's description in the prompt."""


class PromptedOptions(AttributeOptions):
    """Options of the `prompted` system, in addition to those of `attribute`."""

    shown: int = Field(20, ge=2, le=100)
    """Number of items listed to the model; at most half of them are there because they meet all
    constraints."""


class PromptedSystem(AttributeSystem):
    """Prompted system: a model writes the turn, given items found by a search for the user's words.

    Shown first are items that have all that is wanted, as `attribute` finds them, then those whose title and
    values share words with all the user said (BM25), and then the most rated. Items that are not to be
    recommended are not shown. Offline it is `attribute`.
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
        lines, listed = tuple(map(self._line, found)), tuple(ids[item] for item in found)
        return SystemLine(said, lines, about, self.options.at_once, listed, talk.snapshot().respond)

    def find_items(self, talk: DialogueState) -> list[int]:
        """Search the items to list in the prompt, including all that the offline answer could recommend."""
        most = max(self.options.shown, self.options.at_once)
        out = talk.excluded_items()
        wishes = talk.wanted or talk.fond or talk.unwanted
        half = max(most // 2 if wishes else 0, self.options.at_once)
        first = self.requested_items(talk) + self.candidates(talk, half)[0]
        words = " ".join(text for speaker, text in talk.lines if speaker == "user")
        searched: Iterable[int] = nearest_texts(self._index, words, most + len(out)).tolist() if words else ()
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
