"""Baseline systems: random, popularity and oracle."""

import numpy as np

from openiir.plugin import Draw
from openiir.scenarios.conversational.behaviour.systems.dialogue_state import DialogueState
from openiir.scenarios.conversational.behaviour.systems.system import NONE, ReferenceSystem
from openiir.scenarios.conversational.behaviour.systems.turn_builder import TurnBuilder
from openiir.scenarios.conversational.model.dialogue import Need

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
        return self.recommend(talk, say, talk.fresh(self.known.order, self.options.at_once))


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
        return self.recommend(talk, say, talk.fresh(order, self.options.at_once))
