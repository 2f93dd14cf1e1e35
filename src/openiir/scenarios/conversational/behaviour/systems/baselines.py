"""Reference systems without questions about attributes: random, popularity, oracle, neighbours, retrieval."""

from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import islice

import numpy as np
from pydantic import Field

from openiir.kit.lexical import BM25, nearest_texts
from openiir.plugin import Draw, InputError, order_by
from openiir.scenarios.conversational.behaviour.systems.dialogue_state import DialogueState
from openiir.scenarios.conversational.behaviour.systems.knowledge import Ints, SystemKnowledge
from openiir.scenarios.conversational.behaviour.systems.system import NONE, ReferenceSystem, SystemOptions
from openiir.scenarios.conversational.behaviour.systems.turn_builder import TurnBuilder
from openiir.scenarios.conversational.model.dialogue import TITLE, Dialogue, Need, Utterance
from openiir.scenarios.conversational.model.item_similarity import ItemSimilarity
from openiir.scenarios.conversational.model.titles.linking import Linker
from openiir.scenarios.conversational.questions.system_turn import LONGEST, SystemTurn

_TRIES = 30


class RandomSystem(ReferenceSystem):
    """Lower baseline: recommends random items, never the same twice, and ignores what the user says."""

    name = "random"
    attentive = False

    def advance(self, talk: DialogueState, say: TurnBuilder, draw: Draw) -> bool:
        """Recommend random items that were not recommended before."""
        order, out, found = self.known.order, talk.excluded_items(), []
        wanted = min(self.options.at_once, len(order))
        for n in range(_TRIES if wanted else 0):
            item = int(order[draw.at(f"item/{n}").below(len(order))])
            if item not in out:
                out.add(item)
                found.append(item)
            if len(found) == wanted:
                return self.recommend(talk, say, found)
        rest = np.sort(order)
        rest = rest[~np.isin(rest, np.fromiter(out, dtype=np.int64, count=len(out)))]
        start = draw.at("rest").below(max(len(rest), 1))
        found += np.roll(rest, -start)[: wanted - len(found)].tolist()
        return self.recommend(talk, say, found)


class PopularitySystem(ReferenceSystem):
    """Baseline that recommends the most rated items, except those refused or already consumed."""

    name = "popularity"

    def advance(self, talk: DialogueState, say: TurnBuilder, draw: Draw) -> bool:
        """Recommend the next items by number of ratings."""
        return self.recommend(talk, say, talk.select_new(self.known.order, self.options.at_once))


class OracleSystem(ReferenceSystem):
    """Upper bound: sees the need and recommends its target items, the most rated first, without asking.

    The upper end of the scale, and no system that could be built. Items that the user has had are left out:
    those rated and those said to be. Where a need names no targets, they are the items that have all it asks
    for.
    """

    name = "oracle"

    def open(self, need: Need = NONE, user: int | None = None) -> DialogueState:
        """Start a dialogue with a user whose need is known to the system."""
        talk = super().open(need, user)
        if user is not None and self.known.ratings is not None:
            talk.consumed.update(dict.fromkeys(self.known.ratings.of(user)[0].tolist()))
        return talk

    def advance(self, talk: DialogueState, say: TurnBuilder, draw: Draw) -> bool:
        """Recommend the next targets; end the dialogue if none is left."""
        known, need = self.known, talk.need
        targets = {known.collection.index[id] for id in need.targets if id in known.collection.index}
        order = known.order[np.isin(known.order, list(targets))]
        if not need.targets:
            order = known.rank_items(known.pair(*pair) for pair in need.constraints)
        return self.recommend(talk, say, talk.select_new(order, self.options.at_once))


_KEPT = 4_096
"""Number of cached rankings, by set of liked items."""


class NeighboursOptions(SystemOptions):
    """Options of the `neighbours` system."""

    neighbours: int = Field(100, ge=1, le=10_000)
    """Number of nearest neighbours kept for each item."""
    history: bool = False
    """Whether the system knows the user's ratings and starts from items rated at or above the user's mean."""


class NeighbourSystem(ReferenceSystem):
    """Neighbours system: asks for a liked title and recommends items that are similar by ratings.

    An item scores the sum of its cosines to the items liked that it is near to (`ItemSimilarity`); what is
    like none of them comes behind, the most rated first. An item that is liked when it is recommended counts
    from then on. Wishes are not heard. Raises InputError without ratings.
    """

    name = "neighbours"
    SystemOptions = NeighboursOptions
    options: NeighboursOptions

    def __init__(self, known: SystemKnowledge, options: NeighboursOptions) -> None:
        super().__init__(known, options)
        if known.ratings is None or not len(known.ratings):
            raise InputError(
                "the system 'neighbours' needs ratings to find neighbours by; name a data set that has some"
            )
        self._likeness = ItemSimilarity(known.ratings, options.neighbours)
        self.near = lru_cache(_KEPT)(self._near)

    def open(self, need: Need = NONE, user: int | None = None) -> DialogueState:
        """Start a dialogue, from the user's well-rated items if `history` is set."""
        talk = super().open(need, user)
        if self.options.history and user is not None and self.known.ratings is not None:
            items, values = self.known.ratings.of(user)
            if len(items):
                talk.liked.update(dict.fromkeys(items[values >= values.mean()].tolist()))
        return talk

    def advance(self, talk: DialogueState, say: TurnBuilder, draw: Draw) -> bool:
        """Ask once for a liked title if none is known; else recommend."""
        liked = list(talk.liked)
        if not liked and TITLE not in talk.asked and not talk.recommended:
            say.elicit(TITLE)
            return False
        n = self.options.at_once
        found = talk.select_new(self.near(frozenset(liked)), n, liked)
        found += talk.select_new(self.known.order, n - len(found), [*liked, *found])
        return self.recommend(talk, say, found)

    def _near(self, liked: frozenset[int]) -> Ints:
        """Rank items by similarity to the liked ones, ties by popularity; items without similarity are left
        out."""
        scores = self._likeness.score_similar(liked)
        rank = self.known.rank
        items = np.flatnonzero((scores > 0) & (rank < len(rank)))
        return items[order_by(-scores[items], rank[items])]


MOST_ITEMS = 100


class RetrievalOptions(SystemOptions):
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
    SystemOptions = RetrievalOptions
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
                f"{options.dialogues}: no dialogue has a system's utterance after a user's, so there is "
                "nothing to answer with; name other dialogues"
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
