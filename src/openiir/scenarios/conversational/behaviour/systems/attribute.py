"""Reference systems that find items by attributes, one of them worded by a model."""

from collections.abc import Iterable, Sequence
from functools import cached_property

from pydantic import Field

from openiir.kit.lexical import BM25, nearest_texts
from openiir.kit.prompting import cut_text
from openiir.plugin import Draw, InputError
from openiir.scenarios.conversational.behaviour.systems.dialogue_state import DialogueState
from openiir.scenarios.conversational.behaviour.systems.knowledge import Pair, SystemKnowledge
from openiir.scenarios.conversational.behaviour.systems.system import (
    AT_A_TIME,
    ReferenceSystem,
    SystemOptions,
    select_short_pairs,
)
from openiir.scenarios.conversational.behaviour.systems.turn_builder import TurnBuilder
from openiir.scenarios.conversational.model.dialogue import pairs_of
from openiir.scenarios.conversational.questions.system_turn import SystemLine
from openiir.scenarios.conversational.questions.understand import SPEAKERS


class AttributeOptions(SystemOptions):
    """Options of the `attribute` system."""

    asks: int = Field(4, ge=0, le=20)
    """Maximum number of slots elicited in one dialogue; each is asked for once."""
    few: int = Field(3, ge=1, le=1_000)
    """Number of matching items at or below which the system stops asking and recommends."""
    ask_at_once: int = Field(1, ge=1, le=3)
    """Maximum number of slots elicited in one turn."""
    slots: tuple[str, ...] = Field((), max_length=100)
    """Slots that may be elicited; all slots with short values if empty."""


class AttributeSystem(ReferenceSystem):
    """Attribute system: elicits slots by information gain, then recommends items that meet all constraints.

    Of such items those come first that have what the user likes in general, and then the most rated.

    What an item should have had replaces values of the slot that go together with it in no item, and is
    wished for otherwise; what is not wanted is left out. Where nothing is left, it says so and gives up one
    wish: the least weighty without which something is left, or the least weighty of all and then further
    ones.
    """

    name = "attribute"
    SystemOptions = AttributeOptions
    options: AttributeOptions

    def __init__(self, known: SystemKnowledge, options: AttributeOptions) -> None:
        super().__init__(known, options)
        if unknown := [slot for slot in options.slots if slot not in known.facets.slots]:
            has = ", ".join(known.facets.slots) or "none"
            raise InputError(
                f"the option slots names {unknown[0]!r}, which no item has; the catalogue has {has}"
            )

    def advance(self, talk: DialogueState, say: TurnBuilder, draw: Draw) -> bool:
        """Acknowledge a critique, drop constraints that no item meets, then elicit or recommend."""
        options = self.options
        pairs = [self.known.pair(slot, value) for slot, value in pairs_of(talk.last, "CRITIQUE") if value]
        if missed := select_short_pairs([pair for pair in dict.fromkeys(pairs) if pair in talk.wanted]):
            say.acknowledge(missed)
        if named := self.requested_items(talk):
            return self._offer_items(talk, say, named)
        items, dropped = self.candidates(talk, max(options.few + 1, options.at_once))
        if dropped and items:
            if told := select_short_pairs(dropped):
                say.nothing(told)
        elif len(items) > options.few and (slots := self.asking(talk)):
            for slot in slots:
                say.elicit(slot)
            return False
        return self._offer_items(talk, say, items[: options.at_once])

    def candidates(self, talk: DialogueState, n: int) -> tuple[list[int], list[Pair]]:
        """Return the n best items that meet the constraints, and which constraints had to be dropped."""
        # The lightest first, of equal ones the latest; what is unwanted weighs most.
        latest = sorted(enumerate(talk.wanted.items()), key=lambda one: (one[1][1], -one[0]))
        wishes = [pair for _, (pair, _) in latest]
        kept = [*wishes, *reversed(talk.unwanted)]
        dropped: list[Pair] = []
        while True:
            if (found := self._best_items(talk, kept, n)) or not kept:
                return found, dropped
            for pair in kept:
                if found := self._best_items(talk, [other for other in kept if other != pair], n):
                    return found, [*dropped, pair]
            dropped.append(kept.pop(0))

    def asking(self, talk: DialogueState) -> list[str]:
        """List the slots to elicit next, by information gain; empty if enough have been asked."""
        options = self.options
        left = options.asks - len(talk.asked)
        if left <= 0:
            return []
        known = {slot for slot, _ in talk.wanted} | talk.asked.keys()
        gains = (slot for slot, _ in self.known.gains(talk.wanted) if slot not in known)
        able = [slot for slot in gains if not options.slots or slot in options.slots]
        return able[: min(options.ask_at_once, left)]

    def _best_items(self, talk: DialogueState, pairs: list[Pair], n: int) -> list[int]:
        """Rank the n best items that meet these constraints, preferring those with values that the user
        likes."""
        wanted = [pair for pair in pairs if pair not in talk.unwanted]
        unwanted = [pair for pair in pairs if pair in talk.unwanted]
        every = talk.select_new(self.known.rank_items(wanted, unwanted), n)
        if not talk.fond or not every:
            return every
        first: dict[int, None] = {}
        for liked in dict.fromkeys((tuple(talk.fond), *((pair,) for pair in talk.fond))):
            first.update(
                dict.fromkeys(talk.select_new(self.known.rank_items([*wanted, *liked], unwanted), n))
            )
        return [*first, *(item for item in every if item not in first)][:n]

    def _offer_items(self, talk: DialogueState, say: TurnBuilder, items: list[int]) -> bool:
        ended = self.recommend(talk, say, items)
        if len(items) == 1 and (told := self._constrained_values(talk, items[0])):
            say.fits(told)
        return ended

    def _constrained_values(self, talk: DialogueState, item: int) -> list[Pair]:
        """List the item's values in all slots in which it meets a constraint."""
        met = dict.fromkeys(pair[0] for pair in talk.wanted if self.known.has(item, pair))
        found: list[Pair] = []
        for slot in met:
            pairs = [(slot, value) for value in self.known.collection.values(slot, item) if value]
            if len(found) + len(pairs) <= AT_A_TIME and len(select_short_pairs(pairs)) == len(pairs):
                found += pairs
        return found

    def requested_items(self, talk: DialogueState) -> list[int]:
        """List the items that the user asked for by title, at most `at_once`."""
        rank = self.known.rank
        return [item for item in talk.named if rank[item] < len(rank)][: self.options.at_once]


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
    SystemOptions = PromptedOptions
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
        return found + talk.select_new(self.known.order, most - len(found), found)

    @cached_property
    def _index(self) -> BM25:
        """BM25 index of the titles and values of all items."""
        collection = self.known.collection
        columns = [collection.attributes[slot] for slot in self.known.facets.slots]
        values = ([value for column in columns for value in column[n]] for n in range(len(collection)))
        rows = zip(collection.titles, values, strict=True)
        return BM25([" ".join([title, *of_item]) for title, of_item in rows])

    def _line(self, item: int) -> str:
        collection = self.known.collection
        title = collection.titles[item]
        known = ((slot, collection.values(slot, item)) for slot in self.known.facets.slots)
        facts = "; ".join(
            f"{slot}: {', '.join(values)}"
            for slot, values in known
            if values and not title.endswith(f"({values[0]})")
        )
        story = collection.text("descriptions", item) or collection.text("summaries", item)
        story = cut_text(story, LONGEST_LINE - len(facts))
        shown = f"{title} ({cut_text(facts, LONGEST_LINE)})" if facts else title
        return f"{shown}. {story}" if story else shown
