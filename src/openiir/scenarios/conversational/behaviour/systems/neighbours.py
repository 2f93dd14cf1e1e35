"""Neighbours system: item-based nearest neighbours on ratings, without attributes."""

from functools import lru_cache

import numpy as np
from pydantic import Field

from openiir.plugin import Draw, InputError, order_by
from openiir.scenarios.conversational.behaviour.systems.dialogue_state import DialogueState
from openiir.scenarios.conversational.behaviour.systems.knowledge import Ints, SystemKnowledge
from openiir.scenarios.conversational.behaviour.systems.system import NONE, Options, ReferenceSystem
from openiir.scenarios.conversational.behaviour.systems.turn_builder import TurnBuilder
from openiir.scenarios.conversational.model.dialogue import TITLE, Need
from openiir.scenarios.conversational.model.item_similarity import ItemSimilarity

_KEPT = 4_096
"""Number of cached rankings, by set of liked items."""


class NeighboursOptions(Options):
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
    Options = NeighboursOptions
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
        found = talk.fresh(self.near(frozenset(liked)), n, liked)
        found += talk.fresh(self.known.order, n - len(found), [*liked, *found])
        return self.recommend(talk, say, found)

    def _near(self, liked: frozenset[int]) -> Ints:
        """Rank items by similarity to the liked ones, ties by popularity; items without similarity are left
        out."""
        scores = self._likeness.beside(liked)
        rank = self.known.rank
        items = np.flatnonzero((scores > 0) & (rank < len(rank)))
        return items[order_by(-scores[items], rank[items])]
