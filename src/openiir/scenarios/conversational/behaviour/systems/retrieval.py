"""Retrieval system: repeats the human reply of the most similar past dialogue."""

from collections.abc import Iterator
from functools import cache
from itertools import islice

from pydantic import Field

from openiir.kit.lexical import BM25, nearest_texts
from openiir.plugin import Draw, InputError
from openiir.scenarios.conversational.behaviour.systems.baselines import PopularitySystem
from openiir.scenarios.conversational.behaviour.systems.dialogue_state import DialogueState
from openiir.scenarios.conversational.behaviour.systems.knowledge import SystemKnowledge
from openiir.scenarios.conversational.behaviour.systems.system import Options
from openiir.scenarios.conversational.behaviour.systems.turn_builder import TurnBuilder
from openiir.scenarios.conversational.model.dialogue import Dialogue, Utterance
from openiir.scenarios.conversational.model.titles.linking import Linker
from openiir.scenarios.conversational.questions.system_turn import LONGEST, SystemTurn

MOST_ITEMS = 100


class RetrievalOptions(Options):
    """Options of the `retrieval` system."""

    dialogues: str = Field("", max_length=500)
    """File of past dialogues (DialogueKit JSON)."""
    window: int = Field(3, ge=1, le=20)
    """Number of utterances before a reply that form its context, both in past dialogues and in the query."""
    depth: int = Field(20, ge=1, le=1_000)
    """Number of retrieved contexts searched for a usable reply."""


class RetrievalSystem(PopularitySystem):
    """Retrieval system: repeats the human recommender's reply to the nearest past context (BM25).

    It gives no reply twice, and none that names an item recommended or had before, or items of which the
    catalogue has none; where the nearest contexts have no other, it recommends the most rated item. Items are
    those that the dialogue's record names or, without any, that the text does (`Linker`). A turn tells its
    items and no acts: what people say is to be understood from their words. Raises InputError where no
    dialogues are named, or none of them has a reply.
    """

    name = "retrieval"
    Options = RetrievalOptions
    options: RetrievalOptions

    def __init__(self, known: SystemKnowledge, options: RetrievalOptions) -> None:
        super().__init__(known, options)
        if not options.dialogues or known.dialogues is None:
            raise InputError(
                "the system 'retrieval' answers from past dialogues, and its option `dialogues` names none; "
                "name a file of them (DialogueKit JSON)"
            )
        found = [pair for dialogue in known.dialogues(options.dialogues) for pair in self._replies(dialogue)]
        if not found:
            raise InputError(
                f"{options.dialogues}: no dialogue has a system's utterance after a user's, so there "
                "is nothing to "
                "answer with; name other dialogues"
            )
        self._said = [reply for _, reply in found]
        self._contexts = BM25([context for context, _ in found])
        self._items = cache(self._items_named)
        self._linker = Linker(known.collection, known.titles)

    def turn(self, talk: DialogueState, draw: Draw) -> SystemTurn:
        """Greet, say goodbye, or repeat a retrieved reply."""
        if not talk.over and talk.lines:
            spoken = {text for speaker, text in talk.lines if speaker == "system"}
            query = " ".join(text for _, text in talk.lines[-self.options.window :])
            out = talk.excluded_items()
            for place in nearest_texts(self._contexts, query, self.options.depth).tolist():
                reply, items = self._said[place], self._items(place)
                if reply.text not in spoken and not any(
                    self.known.collection.index[id] in out for id in items
                ):
                    return SystemTurn.of_own(text=reply.text, acts=(), items=items, ended=False, fault="")
        if talk.lines:
            return super().turn(talk, draw)
        say = TurnBuilder(self.known, draw)
        say.greet()
        return say.turn()

    def _replies(self, dialogue: Dialogue) -> Iterator[tuple[str, Utterance]]:
        """Yield each system utterance after a user's, with the context before it."""
        index, before = self.known.collection.index, list[str]()
        for utterance in dialogue.utterances:
            known = not utterance.items or any(id in index for id in utterance.items)
            said = utterance.text.strip()
            if utterance.speaker == "system" and before and said and known and len(utterance.text) <= LONGEST:
                yield " ".join(before[-self.options.window :]), utterance
            before.append(utterance.text)

    def _items_named(self, place: int) -> tuple[str, ...]:
        """Return the ids of the catalogue's items that a reply names."""
        reply, collection = self._said[place], self.known.collection
        if reply.items:
            ids = [id for id in reply.items if id in collection.index]
        else:
            ids = [collection.ids[mention.items[0]] for mention in self._linker.link(reply.text)]
        return tuple(islice(dict.fromkeys(ids), MOST_ITEMS))
