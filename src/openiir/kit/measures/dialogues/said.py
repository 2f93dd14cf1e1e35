"""A dialogue as measures read it: plain tuples, made from records or from what a log holds of them."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from openiir.kit.dialogue import Act, Utterance

Pair = tuple[str, str | None]


class Did(NamedTuple):
    """An act: its intent and its (slot, value) pairs."""

    intent: str
    pairs: tuple[Pair, ...] = ()


class Said(NamedTuple):
    """What was said at one go."""

    speaker: str
    """user or system."""
    text: str = ""
    acts: tuple[Did, ...] = ()
    items: tuple[str, ...] = ()

    def does(self, intent: str) -> bool:
        """Whether one of its acts has this intent."""
        return any(act.intent == intent for act in self.acts)

    @property
    def offers(self) -> bool:
        """Whether it is a system's recommendation: an act says so, or it has no acts and names items."""
        return self.speaker == "system" and (self.does("RECOMMEND") or (not self.acts and bool(self.items)))


def told(utterances: Iterable[Utterance | Mapping[str, Any]]) -> tuple[Said, ...]:
    """Utterances, or their plain form in a log, as measures read them."""
    return tuple(_record(one) if isinstance(one, Utterance) else _plain(one) for one in utterances)


def rounds(dialogue: Iterable[Said]) -> Iterator[list[Said]]:
    """The dialogue's rounds: each from one recommendation up to the next.

    What comes before the first recommendation belongs to none.
    """
    current: list[Said] | None = None
    for said in dialogue:
        if said.offers:
            if current is not None:
                yield current
            current = [said]
        elif current is not None:
            current.append(said)
    if current is not None:
        yield current


def _record(one: Utterance) -> Said:
    return Said(one.speaker, one.text, tuple(map(_did, one.acts)), one.items)


def _did(act: Act) -> Did:
    return Did(act.intent, act.pairs)


def _plain(one: Mapping[str, Any]) -> Said:
    acts = tuple(
        Did(act["intent"], tuple((slot["slot"], slot.get("value")) for slot in act.get("slots", ())))
        for act in one.get("acts", ())
    )
    return Said(one["speaker"], one["text"], acts, tuple(one.get("items", ())))
