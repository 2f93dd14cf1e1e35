"""Base class of reference systems: greeting, answers, offers of information, recommendations and goodbye."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import islice
from typing import Any, ClassVar

from pydantic import Field

from openiir.plugin import Draw, Record
from openiir.scenarios.conversational.behaviour.systems.dialogue_state import DialogueState
from openiir.scenarios.conversational.behaviour.systems.knowledge import Pair, SystemKnowledge
from openiir.scenarios.conversational.behaviour.systems.turn_builder import LONGEST_WISH, TurnBuilder
from openiir.scenarios.conversational.model.dialogue import TITLE, Need
from openiir.scenarios.conversational.questions.system_turn import SystemTurn

AT_A_TIME = 5
"""Maximum number of user questions answered, or constraints repeated, in one turn."""


NONE = Need()
"""Need of a user whose need is unknown."""


class SystemOptions(Record):
    """Options common to all reference systems."""

    at_once: int = Field(1, ge=1, le=10)
    """Number of items per recommendation."""


class ReferenceSystem(ABC):
    """Base class of conversational recommenders, built once per run and used for any number of dialogues.

    It takes turns by a fixed course: it greets in its first turn, answers what it was asked, and then goes on
    in its own way. After the user took an item or left it says goodbye, and also when it has nothing left to
    recommend.
    """

    name: ClassVar[str]
    SystemOptions: ClassVar[type[SystemOptions]] = SystemOptions
    attentive: ClassVar[bool] = True
    """Whether the system answers the user's questions."""

    def __init__(self, known: SystemKnowledge, options: Any) -> None:
        self.known = known
        self.options = options

    def open(self, need: Need = NONE, user: int | None = None) -> DialogueState:
        """Start a dialogue with a user; only the oracle uses `need`.

        `user` indexes the ratings; None is a user without any.
        """
        return DialogueState(self.known, self.turn, need)

    def turn(self, talk: DialogueState, draw: Draw) -> SystemTurn:
        """Compute the next turn of a dialogue, deterministically for a given draw, without side effects."""
        say = TurnBuilder(self.known, draw)
        if not talk.spoken:
            say.greet()
        answered = self.attentive and self._answer(talk, say)
        if talk.over:
            say.bye(talk.over)
            return say.turn(ended=True)
        if answered or (self.attentive and self._offer(talk, say)):
            return say.turn()
        return say.turn(ended=self.advance(talk, say, draw))

    @abstractmethod
    def advance(self, talk: DialogueState, say: TurnBuilder, draw: Draw) -> bool:
        """Elicit a preference or recommend items; return True if this ends the dialogue instead."""

    def recommend(self, talk: DialogueState, say: TurnBuilder, items: Sequence[int]) -> bool:
        """Recommend these items, or end the dialogue if there are none; return True if it ended."""
        if items:
            say.recommend(items)
            return False
        say.nothing()
        say.bye("")
        return True

    def _answer(self, talk: DialogueState, say: TurnBuilder) -> bool:
        if talk.about is None or not talk.pending:
            return False
        for slot in islice(talk.pending, AT_A_TIME):
            if say.room():
                say.inform(talk.about, slot, talk.wanted)
        return True

    def _offer(self, talk: DialogueState, say: TurnBuilder) -> bool:
        """Offer more information on an item that the user likes but has not accepted, once per item."""
        item = talk.about
        likes = [
            act.intent == "LIKE" and all(slot.lower() == TITLE for slot, _ in act.pairs) for act in talk.last
        ]
        if item is None or not likes or not all(likes) or item not in talk.liked or item in talk.told:
            return False
        slots = [slot for slot in self.known.facets.slots if self.known.collection.values(slot, item)]
        if slots:
            say.offer(slots[:AT_A_TIME])
        return bool(slots)


def select_short_pairs(pairs: Sequence[Pair]) -> list[Pair]:
    """Select the constraints that are short enough to be repeated in a turn."""
    return [pair for pair in pairs if len(pair[0]) + len(pair[1]) <= LONGEST_WISH][:AT_A_TIME]
