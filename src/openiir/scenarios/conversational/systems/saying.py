"""A turn put together act by act: text, acts and items say the same."""

from collections.abc import Iterable, Sequence
from itertools import groupby

from openiir.kit.dialogue import TITLE, Act, Slot
from openiir.plugin import Draw, int_sum
from openiir.scenarios.conversational.questions.turn import LONGEST, Turn
from openiir.scenarios.conversational.systems import wording
from openiir.scenarios.conversational.systems.known import Known, Pair
from openiir.scenarios.conversational.systems.talk import Over

MOST_VALUES = 10
"""Values of one slot that are told at once."""
LONGEST_WISH = 100
"""Characters of a slot and its value; longer wishes are not repeated."""
LONGEST_VALUE = 200
"""Characters; a longer value is told by its first words."""


class Saying:
    """What a system is about to say. Wordings are chosen by the draw, each act's by its place in the turn."""

    def __init__(self, known: Known, draw: Draw) -> None:
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
        values = [told(value) for value in dict.fromkeys((*first, *known)) if value][:MOST_VALUES]
        if not values:
            self._say("INFORM", wording.UNKNOWN, ((slot, None),), slot=_noun(slot))
            return
        ways = wording.INFORM.get(slot, wording.INFORM_OTHER)
        self._say(
            "INFORM", ways, tuple((slot, value) for value in values), slot=_noun(slot), values=_listed(values)
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
            slots=_listed(list(map(_noun, slots))),
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

    def turn(self, ended: bool = False) -> Turn:
        """All of it."""
        return Turn.of_own(text=self._text, acts=tuple(self._acts), items=self._items, ended=ended, fault="")

    def _say(
        self, intent: str, ways: Sequence[str], pairs: Sequence[tuple[str, str | None]] = (), **parts: str
    ) -> None:
        way = ways[((self._bits >> 5 * (len(self._acts) % 12)) & 31) % len(ways)]
        piece = way.format(**parts)
        begun = len(self._text) + 1 if self._text else 0
        self._text = f"{self._text} {piece}" if self._text else piece
        self._acts.append(Act.of_own(intent=intent, slots=tuple(_placed(pairs, piece, begun))))


def told(value: str) -> str:
    """A value as it is said: whole, or its first words where it is very long."""
    if len(value) <= LONGEST_VALUE:
        return value
    return value[:LONGEST_VALUE].rsplit(" ", 1)[0]


def _placed(pairs: Iterable[tuple[str, str | None]], piece: str, begun: int) -> Iterable[Slot]:
    at = 0
    for slot, value in pairs:
        start = piece.find(value, at) if value else -1
        if start < 0 or not value:
            yield Slot.of_own(slot=slot, value=value, start=None, end=None)
        else:
            at = start + len(value)
            yield Slot.of_own(slot=slot, value=value, start=begun + start, end=begun + at)


def _noun(slot: str) -> str:
    return slot.replace("_", " ")


def _facts(pairs: Sequence[Pair]) -> str:
    """Values behind their slots, in the order of the pairs; a slot is named once for values that follow each other."""
    groups = groupby(pairs, key=lambda pair: pair[0])
    return ", ".join(f"{_noun(slot)} {_listed([value for _, value in group])}" for slot, group in groups)


def _listed(values: Sequence[str]) -> str:
    return values[0] if len(values) == 1 else f"{', '.join(values[:-1])} and {values[-1]}"
