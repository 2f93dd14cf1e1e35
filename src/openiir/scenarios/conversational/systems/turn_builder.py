"""Build a system's turn act by act, so that text, acts and items agree."""

import re
from collections.abc import Iterable, Sequence
from itertools import groupby

from openiir.plugin import Draw, int_sum
from openiir.scenarios.conversational.dialogue import TITLE, Act, Slot
from openiir.scenarios.conversational.questions.system_turn import LONGEST, SystemTurn
from openiir.scenarios.conversational.systems import wording
from openiir.scenarios.conversational.systems.dialogue_state import Over
from openiir.scenarios.conversational.systems.knowledge import Pair, SystemKnowledge

MOST_VALUES = 10
"""Values of one slot that are told at once."""
LONGEST_WISH = 100
"""Characters of a slot and its value; longer wishes are not repeated."""
LONGEST_VALUE = 200
"""Characters; a longer value is told by its first words."""


class TurnBuilder:
    """Builds one turn of a system; the draw chooses each act's wording by its place in the turn."""

    def __init__(self, known: SystemKnowledge, draw: Draw) -> None:
        self._known = known
        self._bits = int(draw.at("wording").bits())
        self._text = ""
        self._acts: list[Act] = []
        self._items: tuple[str, ...] = ()

    def room(self) -> bool:
        """Whether one more fact fits into the turn."""
        return len(self._text) < LONGEST // 2

    def greet(self) -> None:
        """Say hello."""
        self._say("GREET", wording.GREET)

    def elicit(self, slot: str) -> None:
        """Ask for a slot."""
        known = wording.ELICIT.get(slot, wording.ELICIT_OTHER)
        self._say("ELICIT", known, ((slot, None),), slot=_noun(slot))

    def recommend(self, items: Sequence[int]) -> None:
        """Name items, best first; as many as fit into a turn, one at least."""
        titles = [self._known.collection.titles[item] for item in items]
        while len(titles) > 1 and int_sum(map(len, titles)) > LONGEST // 3:
            titles.pop()
        ways = wording.RECOMMEND if len(titles) == 1 else wording.SEVERAL
        self._say("RECOMMEND", ways, tuple((TITLE, title) for title in titles), titles="; ".join(titles))
        self._items = tuple(self._known.collection.ids[item] for item in items[: len(titles)])

    def inform(self, item: int, slot: str, wanted: Iterable[Pair]) -> None:
        """Tell what is known of an item's slot, the values that are wanted first, or that nothing is."""
        known = self._known.collection.values(slot, item)
        first = [value for value in known if (slot, value) in wanted]
        values = [shorten_value(value) for value in dict.fromkeys((*first, *known)) if value][:MOST_VALUES]
        if not values:
            self._say("INFORM", wording.UNKNOWN, ((slot, None),), slot=_noun(slot))
            return
        ways = wording.INFORM.get(slot, wording.INFORM_OTHER)
        self._say(
            "INFORM",
            ways,
            tuple((slot, value) for value in values),
            slot=_noun(slot),
            values=_list_words(values),
        )

    def fits(self, pairs: Sequence[Pair]) -> None:
        """Tell what the item just recommended has in the slots that wishes are about."""
        self._say("INFORM", wording.FITS, pairs, facts=_facts(pairs))

    def acknowledge(self, pairs: Sequence[Pair]) -> None:
        """Repeat what was asked for."""
        self._say("ACKNOWLEDGE", wording.ACKNOWLEDGE, pairs, facts=_facts(pairs))

    def offer(self, slots: Sequence[str]) -> None:
        """Offer to tell slots of the item talked about."""
        self._say(
            "OFFER",
            wording.OFFER,
            tuple((slot, None) for slot in slots),
            slots=_list_words(list(map(_noun, slots))),
        )

    def nothing(self, dropped: Sequence[Pair] = ()) -> None:
        """Say that nothing is left, without the wishes dropped or at all."""
        if dropped:
            self._say("NOTHING_FOUND", wording.NOTHING, dropped, facts=_facts(dropped))
        else:
            self._say("NOTHING_FOUND", wording.NOTHING_LEFT)

    def bye(self, over: Over) -> None:
        """Say goodbye."""
        self._say("BYE", wording.BYE[over])

    def turn(self, ended: bool = False) -> SystemTurn:
        """All of it."""
        return SystemTurn.of_own(
            text=self._text, acts=tuple(self._acts), items=self._items, ended=ended, fault=""
        )

    def _say(
        self, intent: str, ways: Sequence[str], pairs: Sequence[tuple[str, str | None]] = (), **parts: str
    ) -> None:
        way = ways[((self._bits >> 5 * (len(self._acts) % 12)) & 31) % len(ways)]
        piece = way.format(**parts)
        begun = len(self._text) + 1 if self._text else 0
        self._text = f"{self._text} {piece}" if self._text else piece
        self._acts.append(Act.of_own(intent=intent, slots=tuple(_place_slots(pairs, piece, begun))))


def shorten_value(value: str) -> str:
    """A value as it is said: whole, or its first words where it is very long."""
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


def _noun(slot: str, values: int = 1) -> str:
    """What a slot is called, as one with so many values."""
    noun = slot.replace("_", " ")
    if values == 1 or noun.endswith("s"):
        return noun
    return f"{noun[:-1]}ies" if re.search("[^aeiou]y$", noun) else f"{noun}s"


def _facts(pairs: Sequence[Pair]) -> str:
    """Values behind their slots, in the order of the pairs; a slot is named once for values that follow each other."""
    groups = [
        (slot, [value for _, value in group]) for slot, group in groupby(pairs, key=lambda pair: pair[0])
    ]
    return ", ".join(f"{_noun(slot, len(values))} {_list_words(values)}" for slot, values in groups)


def _list_words(values: Sequence[str]) -> str:
    return values[0] if len(values) == 1 else f"{', '.join(values[:-1])} and {values[-1]}"
