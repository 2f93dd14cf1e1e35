"""State of one dialogue in a reference system."""

from collections.abc import Callable, Iterable
from copy import copy
from typing import Any, Literal

from openiir.plugin import Draw
from openiir.scenarios.conversational.behaviour.systems.knowledge import Ints, Pair, SystemKnowledge
from openiir.scenarios.conversational.model.dialogue import TITLE, Act, Need
from openiir.scenarios.conversational.questions.system_turn import SystemTurn

Over = Literal["", "accepted", "left"]
CRITIQUED = 2.0
"""Weight of a constraint stated by a critique; a disclosed constraint weighs 1, and weights add up."""


class DialogueState:
    """State of a dialogue in a reference system: what the user said and the system did.

    Items are indices into the collection.
    """

    def __init__(
        self, known: SystemKnowledge, take_turn: Callable[["DialogueState", Draw], SystemTurn], need: Need
    ) -> None:
        self.known = known
        self.take_turn = take_turn
        """Function that computes the system's next turn without changing the state."""
        self.need = need
        """The user's need; only the oracle uses it."""
        self.wanted: dict[Pair, float] = {}
        """Required values with their weights, in the order first stated."""
        self.fond: dict[Pair, None] = {}
        """Values that the user likes in general, which are not required."""
        self.unwanted: dict[Pair, None] = {}
        self.recommended: dict[int, None] = {}
        self.liked: dict[int, None] = {}
        self.disliked: dict[int, None] = {}
        self.consumed: dict[int, None] = {}
        self.named: dict[int, None] = {}
        """Items that the user asked for by title and that have not been recommended since."""
        self.asked: dict[str, None] = {}
        """Slots that were elicited."""
        self.open: tuple[tuple[str, str | None], ...] = ()
        """Slots, or slot values, elicited in the system's last turn."""
        self.offered: tuple[str, ...] = ()
        """Slots that the system's last turn offered to tell."""
        self.shown: tuple[int, ...] = ()
        """Items recommended last, best first."""
        self.pending: dict[str, None] = {}
        """Slots of the current item that the user asked about."""
        self.told: dict[int, None] = {}
        """Items about which the system gave or offered more information."""
        self.last: tuple[Act, ...] = ()
        """Acts of the user's last turn."""
        self.lines: list[tuple[str, str]] = []
        """(speaker, text) of every utterance."""
        self.over: Over = ""
        self.turns = 0
        """Number of user turns."""
        self.spoken = 0
        """Number of system turns."""
        self.about: int | None = None
        """Item under discussion."""

    def snapshot(self) -> "DialogueState":
        """Copy the current state, for a question that is answered later."""
        same = copy(self)
        vars(same).update({k: copy(v) for k, v in vars(self).items() if isinstance(v, (dict, list))})
        return same

    def respond(self, draw: Draw) -> SystemTurn:
        """Compute the system's next turn without changing the state."""
        return self.take_turn(self, draw)

    def excluded_items(self) -> set[int]:
        """Return the items that must not be recommended: recommended before, consumed or disliked."""
        return {*self.recommended, *self.consumed, *self.disliked} - self.named.keys()

    def select_new(self, order: Ints, n: int, without: Iterable[int] = ()) -> list[int]:
        """Select the first n items of a ranking that are not excluded."""
        out = self.excluded_items().union(without)
        return [item for item in order[: n + len(out)].tolist() if item not in out][:n]

    def hear(self, text: str, acts: tuple[Act, ...] | None) -> None:
        """Update the state by the user's turn: by its acts, or by its words if acts are None."""
        if acts is None:
            acts = self.known.read(text) if self.known.read is not None else ()
        self.lines.append(("user", text))
        self.turns += 1
        self.last = acts
        for act in acts:
            self._take(act)
        self.open = self.offered = ()

    def note_turn(self, turn: SystemTurn) -> None:
        """Update the state by the system's own turn."""
        known = self.known
        self.lines.append(("system", turn.text))
        self.spoken += 1
        items = tuple(known.collection.index[id] for id in turn.items if id in known.collection.index)
        if items:
            self.shown, self.about = items, items[0]
            self.recommended.update(dict.fromkeys(items))
            _discard(items, self.named)
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
        known, intent = self.known, act.intent
        titles = [value for slot, value in act.pairs if slot.lower() == TITLE and value]
        # Of items with one title those recommended are meant, or else the first.
        meant = (
            (found, [i for i in found if i in self.recommended]) for found in map(known.items_titled, titles)
        )
        items = tuple(item for found, again in meant for item in again or found[:1])
        pairs = tuple(known.pair(slot, value) for slot, value in act.pairs if value and slot.lower() != TITLE)
        if intent in ("ACCEPT", "GIVE_UP", "BYE"):
            self.over = "accepted" if intent == "ACCEPT" or self.over == "accepted" else "left"
        elif intent in ("DISCLOSE", "CRITIQUE", "YES", "LIKE"):
            self._wish(act, pairs, items)
        elif intent in ("NO", "DISLIKE"):
            self._reject(act, pairs, items)
        elif intent == "CONSUMED":
            self.consumed.update(dict.fromkeys(items or self.shown))
            _discard(items or self.shown, self.named)
        elif intent == "INQUIRE":
            self.about = items[0] if items else self.about
            if (about := self.about) is not None:
                asked = [known.pair(s, value or "")[0] for s, value in act.pairs if s.lower() != TITLE]
                tellable = [s for s in known.facets.slots if known.collection.values(s, about)]
                self.pending.update(dict.fromkeys(asked or tellable[:3]))

    def _wish(self, act: Act, pairs: tuple[Pair, ...], items: tuple[int, ...]) -> None:
        known, asked_title = self.known, any(slot == TITLE for slot, _ in self.open)
        if act.intent == "LIKE":
            self.fond.update(dict.fromkeys(pairs))
        else:
            for pair in pairs:
                self._want(pair, CRITIQUED if act.intent == "CRITIQUE" else 1.0)
        if act.intent == "CRITIQUE":
            self.disliked.update(dict.fromkeys(self.shown))
            for slot in (known.pair(slot, "")[0] for slot, value in act.pairs if not value):
                if self.about is not None:
                    self._unwant((slot, value) for value in known.collection.values(slot, self.about))
        elif act.intent == "DISCLOSE":
            (self.liked if asked_title else self.named).update(dict.fromkeys(items))
        elif not act.slots or items:
            if act.intent == "YES" and (self.offered or self.open):
                self.pending.update(dict.fromkeys(self.offered))
                for slot, value in self.open:
                    if value:
                        self._want((slot, value), 1.0)
            else:
                self.liked.update(dict.fromkeys(items or self.shown))
        _discard(self.consumed, self.named)

    def _reject(self, act: Act, pairs: tuple[Pair, ...], items: tuple[int, ...]) -> None:
        self._unwant(pairs)
        if act.intent == "NO" and (self.offered or self.open):
            self._unwant((slot, value) for slot, value in self.open if value)
        elif not act.slots or items:
            self.disliked.update(dict.fromkeys(items or self.shown))
            _discard(items or self.shown, self.liked)

    def _want(self, pair: Pair, weight: float) -> None:
        """Add a required value; drop older values of the slot if no item has all of them."""
        facets = self.known.facets
        self.unwanted.pop(pair, None)
        self.wanted[pair] = self.wanted.get(pair, 0.0) + weight
        others = [other for other in self.wanted if other[0] == pair[0] and other != pair]
        if others and len(facets.having(*pair)) and not len(facets.satisfying([pair, *others])):
            _discard(others, self.wanted)

    def _unwant(self, pairs: Iterable[Pair]) -> None:
        gone = dict.fromkeys(pairs)
        _discard(gone, self.wanted, self.fond)
        self.unwanted |= gone


def _discard(keys: Iterable[Any], *groups: dict[Any, Any]) -> None:
    """Remove keys from these groups, where present."""
    for key in keys:
        for group in groups:
            group.pop(key, None)
