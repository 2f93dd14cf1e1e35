"""The state of one dialogue in a reference system."""

from collections.abc import Iterable, Sequence
from copy import copy
from typing import Any, Literal, Protocol

from openiir.plugin import Draw
from openiir.scenarios.conversational.dialogue import TITLE, Act, Need
from openiir.scenarios.conversational.questions.system_turn import SystemTurn
from openiir.scenarios.conversational.systems.knowledge import Ints, Pair, SystemKnowledge

Over = Literal["", "accepted", "left"]
CRITIQUED = 2.0
"""What a value weighs that an item should have had; one that is wished for weighs 1, and each time so much more."""


class TurnTaker(Protocol):
    """A system as its dialogues use it."""

    @property
    def known(self) -> SystemKnowledge:
        """What it knows."""

    def turn(self, talk: "DialogueState", draw: Draw) -> SystemTurn:
        """What it says next; changes nothing."""


class DialogueState:
    """A dialogue's state: what the user said and what the system did. Items are indices into the collection."""

    def __init__(self, system: TurnTaker, need: Need, user: int | None) -> None:
        self.system = system
        self.need = need
        """What the user is after; only the oracle looks at it."""
        self.user = user
        """Index into the ratings; None for somebody who has none."""
        self.wanted: dict[Pair, float] = {}
        """Values wished for, in the order in which they were first said, with their weights."""
        self.fond: dict[Pair, None] = {}
        """Values liked in general, which are no requirements."""
        self.unwanted: dict[Pair, None] = {}
        self.recommended: dict[int, None] = {}
        self.liked: dict[int, None] = {}
        self.disliked: dict[int, None] = {}
        self.consumed: dict[int, None] = {}
        self.named: dict[int, None] = {}
        """Items that the user asked for by title and that were not recommended since."""
        self.asked: dict[str, None] = {}
        """Slots that the user was asked for."""
        self.open: tuple[tuple[str, str | None], ...] = ()
        """What the system's last turn asked for: slots, or whether a slot's value is wanted."""
        self.offered: tuple[str, ...] = ()
        """Slots that the system's last turn offered to tell."""
        self.shown: tuple[int, ...] = ()
        """The items last recommended, best first."""
        self.pending: dict[str, None] = {}
        """Slots that the user wants to know of the item talked about."""
        self.told: dict[int, None] = {}
        """Items that the system told more of, or offered to."""
        self.last: tuple[Act, ...] = ()
        """What the user did last."""
        self.lines: list[tuple[str, str]] = []
        """(speaker, text) of all that was said."""
        self.over: Over = ""
        self.turns = 0
        """The user's turns."""
        self.spoken = 0
        """The system's turns."""
        self.about: int | None = None
        """The item talked about."""

    def snapshot(self) -> "DialogueState":
        """The dialogue as it stands now, for a question that outlives the moment."""
        same = copy(self)
        vars(same).update({k: copy(v) for k, v in vars(self).items() if isinstance(v, (dict, list))})
        return same

    def respond(self, draw: Draw) -> SystemTurn:
        """What the system says next; changes nothing."""
        return self.system.turn(self, draw)

    def excluded_items(self) -> set[int]:
        """Items that are not recommended (again)."""
        return {*self.recommended, *self.consumed, *self.disliked} - self.named.keys()

    def fresh(self, order: Ints, n: int, without: Iterable[int] = ()) -> list[int]:
        """The first n items of an order that are not excluded."""
        out = self.excluded_items().union(without)
        return [item for item in order[: n + len(out)].tolist() if item not in out][:n]

    def hear(self, text: str, acts: tuple[Act, ...] | None) -> None:
        """Take in the user's turn: by its acts, or by its words where they are None."""
        if acts is None:
            acts = self.system.known.read(text) if self.system.known.read is not None else ()
        self.lines.append(("user", text))
        self.turns += 1
        self.last = acts
        for act in acts:
            self._take(act)
        self.open = self.offered = ()

    def note_turn(self, turn: SystemTurn) -> None:
        """Take in what the system said."""
        known = self.system.known
        self.lines.append(("system", turn.text))
        self.spoken += 1
        items = tuple(known.collection.index[id] for id in turn.items if id in known.collection.index)
        if items:
            self.shown, self.about = items, items[0]
            self._add(self.recommended, items, gone_from=self.named)
        elif self.about is not None and any(act.intent in ("OFFER", "INFORM") for act in turn.acts):
            self.told[self.about] = None
        if not turn.acts:
            self.pending.clear()
        for act in turn.acts:
            if act.intent == "ELICIT":
                self.open += act.pairs
                self.asked.update(dict.fromkeys(slot for slot, _ in act.pairs))
            elif act.intent == "OFFER":
                self.offered += tuple(slot for slot, _ in act.pairs)
            elif act.intent == "INFORM":
                _discard([slot for slot, _ in act.pairs], self.pending)
            elif act.intent == "NOTHING_FOUND":
                _discard([(slot, value or "") for slot, value in act.pairs], self.wanted, self.unwanted)

    def _take(self, act: Act) -> None:
        known, intent = self.system.known, act.intent
        titles = [value for slot, value in act.pairs if slot.lower() == TITLE and value]
        items = tuple(item for title in titles for item in self._resolve_title(known.items_titled(title)))
        pairs = tuple(known.pair(slot, value) for slot, value in act.pairs if value and slot.lower() != TITLE)
        if intent in ("ACCEPT", "GIVE_UP", "BYE"):
            self.over = "accepted" if intent == "ACCEPT" or self.over == "accepted" else "left"
        elif intent in ("DISCLOSE", "CRITIQUE", "YES", "LIKE"):
            self._wish(act, pairs, items)
        elif intent in ("NO", "DISLIKE"):
            self._reject(act, pairs, items)
        elif intent == "CONSUMED":
            self._add(self.consumed, items or self.shown, gone_from=self.named)
        elif intent == "INQUIRE":
            self.about = items[0] if items else self.about
            if (about := self.about) is not None:
                asked = [known.pair(s, value or "")[0] for s, value in act.pairs if s.lower() != TITLE]
                tellable = [s for s in known.facets.slots if known.collection.values(s, about)]
                self.pending.update(dict.fromkeys(asked or tellable[:3]))

    def _resolve_title(self, found: Sequence[int]) -> tuple[int, ...]:
        """Return those of several items with one title that were recommended, or else the first."""
        return tuple(item for item in found if item in self.recommended) or tuple(found[:1])

    def _wish(self, act: Act, pairs: tuple[Pair, ...], items: tuple[int, ...]) -> None:
        asked_title = any(slot == TITLE for slot, _ in self.open)
        if act.intent == "LIKE":
            self.fond.update(dict.fromkeys(pairs))
        else:
            for pair in pairs:
                self._want(pair, CRITIQUED if act.intent == "CRITIQUE" else 1.0)
        if act.intent == "CRITIQUE":
            self.disliked.update(dict.fromkeys(self.shown))
            for slot in (slot for slot, value in act.pairs if not value):
                self._unwant(self._values_of_item(slot))
        elif act.intent == "DISCLOSE":
            (self.liked if asked_title else self.named).update(dict.fromkeys(items))
        elif not act.slots or items:
            if act.intent == "YES" and (self.offered or self.open):
                self._agree()
            else:
                self.liked.update(dict.fromkeys(items or self.shown))
        _discard(self.consumed, self.named)

    def _agree(self) -> None:
        """A plain yes to what the system's last turn asked or offered."""
        self.pending.update(dict.fromkeys(self.offered))
        for slot, value in self.open:
            if value:
                self._want((slot, value), 1.0)

    def _reject(self, act: Act, pairs: tuple[Pair, ...], items: tuple[int, ...]) -> None:
        self._unwant(pairs)
        if act.intent == "NO" and (self.offered or self.open):
            self._unwant((slot, value) for slot, value in self.open if value)
        elif not act.slots or items:
            self._add(self.disliked, items or self.shown, gone_from=self.liked)

    def _want(self, pair: Pair, weight: float) -> None:
        """A further wish; where nothing has all values wanted of its slot, the older ones give way to it."""
        facets = self.system.known.facets
        self.unwanted.pop(pair, None)
        self.wanted[pair] = self.wanted.get(pair, 0.0) + weight
        others = [other for other in self.wanted if other[0] == pair[0] and other != pair]
        if others and len(facets.having(*pair)) and not len(facets.satisfying([pair, *others])):
            _discard(others, self.wanted)

    def _unwant(self, pairs: Iterable[Pair]) -> None:
        gone = dict.fromkeys(pairs)
        _discard(gone, self.wanted, self.fond)
        self.unwanted |= gone

    def _values_of_item(self, slot: str) -> list[Pair]:
        """The pairs in a slot of the item talked about."""
        known, about = self.system.known, self.about
        slot = known.pair(slot, "")[0]
        return [] if about is None else [(slot, value) for value in known.collection.values(slot, about)]

    @staticmethod
    def _add(group: dict[int, None], items: Sequence[int], gone_from: dict[int, None]) -> None:
        """Put items into one group, and out of another."""
        group.update(dict.fromkeys(items))
        _discard(items, gone_from)


def _discard(keys: Iterable[Any], *groups: dict[Any, Any]) -> None:
    """Take keys out of these groups, where they are there."""
    for key in keys:
        for group in groups:
            group.pop(key, None)
