"""What a simulated user does next: the acts of its turn, and whether it ends the dialogue."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal, Protocol

from pydantic import Field

from openiir.kit.dialogue import TITLE, Act, Slot, UserIntent
from openiir.plugin import Draw, Record, Unsplit, UnusableAnswer
from openiir.scenarios.conversational.questions.sight import ACCEPT, Sight
from openiir.scenarios.conversational.questions.understand import MEANINGS

Ending = Literal["no", "satisfied", "gave-up"]
_CLOSING: Mapping[str, tuple[Ending, ...]] = {"ACCEPT": ("satisfied",), "GIVE_UP": ("gave-up",), "BYE": ("satisfied", "gave-up")}
"""Acts that go with an ending alone."""


class Move(Record):
    """One act of a turn."""

    intent: UserIntent
    about: tuple[Annotated[str, Field(max_length=2_300)], ...] = Field((), max_length=20)
    """`slot=value`, or the slot alone."""


class Response(Record):
    """A user's turn, before it is put into words."""

    acts: tuple[Move, ...] = Field(min_length=1, max_length=8)
    end: Ending
    item: Annotated[str, Field(max_length=200)] = ""
    """The id of the item taken; empty without one."""


class Decided(Protocol):
    """What a behaviour model decided."""

    @property
    def acts(self) -> tuple[Act, ...]:
        """The acts of the turn; one at least."""
        ...

    @property
    def end(self) -> Ending:
        """Whether it is the last."""
        ...

    @property
    def item(self) -> str:
        """The id of the item taken; empty without one."""
        ...


@dataclass(frozen=True)
class Respond(Unsplit[Response]):
    """What do you do next?

    An act can be about nothing but what the user knows of: its need and its taste, what the system has just said, and
    what was offered.
    """

    sight: Sight
    slots: tuple[str, ...]
    """What can be asked about."""
    decide: Callable[[Sight, Draw], Decided] = field(compare=False, repr=False)
    """The behaviour model."""
    kind: ClassVar[str] = "conversational.respond"
    Reply: ClassVar[type[Record]] = Response

    def prompt(self) -> str:
        last = " or ".join(intent for intent in self._intents if intent in _CLOSING)
        meanings = "\n".join(f"- {intent}: {MEANINGS['user'][intent]}" for intent in self._intents)
        return f"""{self.sight.words()}

Decide what you do in your next turn. You may do several of these things at once:
{meanings}
Say under `about` what an act is about: slot=value, or the slot alone where you ask for it or do not know it. First \
answer what the system asks and judge what it offers; tell a wish or two at a time. What there is to be about: \
{"; ".join(self._about)}.
{ending_words(self.sight)} Whoever does {last} ends it."""

    @cached_property
    def _about(self) -> dict[str, tuple[str, str | None]]:
        """What acts may be about, as it is written, with what it stands for."""
        sight = self.sight
        heard = [pair for act in sight.heard for pair in act.pairs]
        titles = (*sight.liked, *(title for _, title in sight.items), *sight.strangers)
        known: list[tuple[str, str | None]] = [(slot, None) for slot in self._slots]
        known += [*sight.need.constraints, *heard, *sight.favourites, *((TITLE, title) for title in titles)]
        found: dict[str, tuple[str, str | None]] = {}
        for pair in known:
            found.setdefault(written(*pair), pair)
        return found

    @cached_property
    def _slots(self) -> tuple[str, ...]:
        """What acts may be about without a value."""
        need, heard = self.sight.need, (slot for act in self.sight.heard for slot, _ in act.pairs)
        return tuple(dict.fromkeys((TITLE, *self.slots, *need.wanted, *need.requests, *heard)))

    def _pair(self, one: str) -> tuple[str, str | None]:
        slot, sign, value = one.partition("=")
        if not sign:
            return one, None
        return self._about[one] if any("=" in name for name in self._slots) else (slot, value)

    @property
    def _intents(self) -> list[str]:
        """What can be done as things stand."""
        sight = self.sight
        lacking = {
            "ACCEPT": not sight.items,
            "CONSUMED": not sight.items and not sight.strangers,
            "CRITIQUE": not sight.items and not sight.strangers,
            "INQUIRE": sight.table is None,
        }
        return [intent for intent in MEANINGS["user"] if not lacking.get(intent)]

    def allowed(self) -> dict[str, Any]:
        """Only what was offered can be taken; nobody ends satisfied before."""
        return {
            "item": [id for id, _ in self.sight.items],
            "end": list(endings(self.sight)),
            "Move.intent": self._intents,
            "Move.about": list(self._about),
        }

    def offline(self, draw: Draw) -> Response:
        """The agenda's answer (Schatzmann et al., NAACL 2007; cases after Lyu et al., WWW 2021)."""
        decided = self.decide(self.sight, draw)
        moves = [Move.of_own(intent=act.intent, about=tuple(written(*pair) for pair in act.pairs)) for act in decided.acts]
        return Response.of_own(acts=tuple(moves), end=decided.end, item=decided.item)

    def acts(self, reply: Response) -> tuple[Act, ...]:
        """The acts of a reply."""
        return tuple(
            Act.of_own(intent=move.intent, slots=tuple(_slot(*self._pair(one)) for one in move.about)) for move in reply.acts
        )

    def check(self, reply: Response) -> None:
        check_item(reply.end, reply.item)
        taken = dict(self.sight.items).get(reply.item)
        for act in self.acts(reply):
            ends = _CLOSING.get(act.intent, (reply.end,))
            if reply.end not in ends:
                raise UnusableAnswer(f"{act.intent} goes with end = {' or '.join(ends)}; leave it out, or end")
            for slot, value in act.pairs:
                wish = act.intent == "DISCLOSE" or (act.intent == "CRITIQUE" and value is not None)
                if wish and (slot, value) not in self.sight.need.constraints:
                    raise UnusableAnswer(f"{act.intent} names wishes of yours as slot=value; {written(slot, value)} is none")
                if act.intent == "ACCEPT" and value not in (None, taken):
                    raise UnusableAnswer(f"you ACCEPT {written(slot, value)}, but the item that you name is {taken}")


def written(slot: str, value: str | None) -> str:
    """A slot, with its value where it has one, as a reply names it."""
    return slot if value is None else f"{slot}={value}"


def _slot(slot: str, value: str | None) -> Slot:
    return Slot.of_own(slot=slot, value=value, start=None, end=None)


def endings(sight: Sight) -> tuple[Ending, ...]:
    """Whether the dialogue can end now, and how."""
    return ("no", "satisfied", "gave-up") if sight.items else ("no", "gave-up")


def ending_words(sight: Sight) -> str:
    """How a user ends a dialogue, for a prompt."""
    leave = 'end = "gave-up" when you have had enough, which is the sooner the less patient you are'
    if not sight.items:
        return f'Nothing was offered that you could take. Say {leave}; else end = "no".'
    return (
        'Say end = "satisfied", with its id as `item`, to take one that was offered: one that you have not had and do not '
        f"dislike, that has all you want or is worth more than {ACCEPT:g} of 1 to you, and of which there is nothing left that "
        "you want to know. "
        f"Say {leave}. "
        'Else say end = "no" and leave `item` empty.'
    )


def check_item(end: Ending, item: str) -> None:
    """Whoever is satisfied names what is taken, and nobody else does; raises UnusableAnswer."""
    if end == "satisfied" and not item:
        raise UnusableAnswer('end = "satisfied" takes an item, so name its id; or do not end satisfied')
    if end != "satisfied" and item:
        raise UnusableAnswer(f'you name {item!r} as the item that you take, and end = "{end}"; leave item empty, or end satisfied')
