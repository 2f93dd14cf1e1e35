"""Builder of a system turn, act by act, so that text, acts and items agree."""

import re
from collections.abc import Iterable, Sequence
from itertools import groupby

from openiir.kit.prompting import join_words
from openiir.plugin import Draw, int_sum
from openiir.scenarios.conversational.behaviour.systems.dialogue_state import Over
from openiir.scenarios.conversational.behaviour.systems.knowledge import Pair, SystemKnowledge
from openiir.scenarios.conversational.behaviour.systems.wording import WORDINGS
from openiir.scenarios.conversational.model.dialogue import TITLE, Act, Slot
from openiir.scenarios.conversational.questions.system_turn import LONGEST, SystemTurn

MOST_VALUES = 10
"""Maximum number of values of one slot told in a turn."""
LONGEST_WISH = 100
"""Maximum number of characters of a slot and its value for a constraint to be repeated."""
LONGEST_VALUE = 200
"""Maximum number of characters of a value in a turn; longer values are cut."""


class TurnBuilder:
    """Builds a system turn act by act, with wordings chosen by the random draw."""

    def __init__(self, known: SystemKnowledge, draw: Draw) -> None:
        self._known = known
        self._bits = int(draw.at("wording").bits())
        self._text = ""
        self._acts: list[Act] = []
        self._items: tuple[str, ...] = ()

    def room(self) -> bool:
        """Whether the turn has room for another fact."""
        return len(self._text) < LONGEST // 2

    def greet(self) -> None:
        """Add a GREET act."""
        self._say("GREET")

    def elicit(self, slot: str) -> None:
        """Add an ELICIT act for a slot."""
        self._say("ELICIT", ((slot, None),), f"ELICIT {slot}", slot=_name_slot(slot))

    def recommend(self, items: Sequence[int]) -> None:
        """Add a RECOMMEND act for items, best first; as many as fit into a turn, at least one."""
        titles = [self._known.collection.titles[item] for item in items]
        while len(titles) > 1 and int_sum(map(len, titles)) > LONGEST // 3:
            titles.pop()
        way = "RECOMMEND" if len(titles) == 1 else "SEVERAL"
        self._say("RECOMMEND", tuple((TITLE, title) for title in titles), way, titles="; ".join(titles))
        self._items = tuple(self._known.collection.ids[item] for item in items[: len(titles)])

    def inform(self, item: int, slot: str, wanted: Iterable[Pair]) -> None:
        """Add an INFORM act on a slot of an item: its values, wanted ones first, or that they are unknown."""
        known = self._known.collection.values(slot, item)
        first = [value for value in known if (slot, value) in wanted]
        values = [shorten_value(value) for value in dict.fromkeys((*first, *known)) if value][:MOST_VALUES]
        if not values:
            self._say("INFORM", ((slot, None),), "UNKNOWN", slot=_name_slot(slot))
            return
        pairs = tuple((slot, value) for value in values)
        self._say("INFORM", pairs, f"INFORM {slot}", slot=_name_slot(slot), values=join_words(values))

    def fits(self, pairs: Sequence[Pair]) -> None:
        """Add an INFORM act on the recommended item's values in the constrained slots."""
        self._say("INFORM", pairs, "FITS", facts=_word_pairs(pairs))

    def acknowledge(self, pairs: Sequence[Pair]) -> None:
        """Add an ACKNOWLEDGE act that repeats constraints."""
        self._say("ACKNOWLEDGE", pairs, facts=_word_pairs(pairs))

    def offer(self, slots: Sequence[str]) -> None:
        """Add an OFFER act: offer to tell these slots of the current item."""
        named = join_words(list(map(_name_slot, slots)))
        self._say("OFFER", tuple((slot, None) for slot in slots), slots=named)

    def nothing(self, dropped: Sequence[Pair] = ()) -> None:
        """Add a NOTHING_FOUND act, naming the dropped constraints if there are any."""
        way = "DROPPED" if dropped else "NOTHING_FOUND"
        self._say("NOTHING_FOUND", dropped, way, facts=_word_pairs(dropped))

    def bye(self, over: Over) -> None:
        """Add a BYE act."""
        self._say("BYE", (), f"BYE {over}")

    def turn(self, ended: bool = False) -> SystemTurn:
        """Return the finished turn."""
        return SystemTurn.of_own(
            text=self._text, acts=tuple(self._acts), items=self._items, ended=ended, fault=""
        )

    def _say(
        self, intent: str, pairs: Sequence[tuple[str, str | None]] = (), name: str = "", **parts: str
    ) -> None:
        """Add an act in one of the wordings of this name, or else of its intent."""
        ways = WORDINGS.get(name, WORDINGS[intent])
        way = ways[((self._bits >> 5 * (len(self._acts) % 12)) & 31) % len(ways)]
        piece = way.format(**parts)
        begun = len(self._text) + 1 if self._text else 0
        self._text = f"{self._text} {piece}" if self._text else piece
        self._acts.append(Act.of_own(intent=intent, slots=tuple(_place_slots(pairs, piece, begun))))


def shorten_value(value: str) -> str:
    """Cut a long value at a word boundary."""
    if len(value) <= LONGEST_VALUE:
        return value
    return value[:LONGEST_VALUE].rsplit(" ", 1)[0]


def _place_slots(pairs: Iterable[tuple[str, str | None]], piece: str, begun: int) -> Iterable[Slot]:
    at = 0
    for slot, value in pairs:
        start = piece.find(value, at) if value else -1
        if start < 0 or not value:
            yield Slot.of_own(slot=slot, value=value, start=None, end=None)
        else:
            at = start + len(value)
            yield Slot.of_own(slot=slot, value=value, start=begun + start, end=begun + at)


def _name_slot(slot: str, values: int = 1) -> str:
    """Return a slot's name as a noun, in the plural for several values."""
    noun = slot.replace("_", " ")
    if values == 1 or noun.endswith("s"):
        return noun
    return f"{noun[:-1]}ies" if re.search("[^aeiou]y$", noun) else f"{noun}s"


def _word_pairs(pairs: Sequence[Pair]) -> str:
    """Word (slot, value) pairs in order, naming a slot once for consecutive values."""
    groups = [
        (slot, [value for _, value in group]) for slot, group in groupby(pairs, key=lambda pair: pair[0])
    ]
    return ", ".join(f"{_name_slot(slot, len(values))} {join_words(values)}" for slot, values in groups)
