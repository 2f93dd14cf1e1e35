"""Utterances as measures read them: plain tuples, made from records or from a log."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from openiir.scenarios.conversational.dialogue import Act, Utterance

Pair = tuple[str, str | None]


class PlainAct(NamedTuple):
    """An act: its intent and its (slot, value) pairs."""

    intent: str
    pairs: tuple[Pair, ...] = ()


class PlainUtterance(NamedTuple):
    """One utterance as measures read it."""

    speaker: str
    """user or system."""
    text: str = ""
    acts: tuple[PlainAct, ...] = ()
    items: tuple[str, ...] = ()

    def does(self, intent: str) -> bool:
        """Whether one of its acts has this intent."""
        return any(act.intent == intent for act in self.acts)

    @property
    def offers(self) -> bool:
        """Whether it is a system's recommendation: an act says so, or it has no acts and names items."""
        return self.speaker == "system" and (self.does("RECOMMEND") or (not self.acts and bool(self.items)))


def plain_utterances(utterances: Iterable[Utterance | Mapping[str, Any]]) -> tuple[PlainUtterance, ...]:
    """Convert utterances, or their plain form in a log, to the tuples that measures read."""
    return tuple(_record(one) if isinstance(one, Utterance) else _plain(one) for one in utterances)


def rounds(dialogue: Iterable[PlainUtterance]) -> Iterator[list[PlainUtterance]]:
    """The dialogue's rounds: each from one recommendation up to the next.

    What comes before the first recommendation belongs to none.
    """
    current: list[PlainUtterance] | None = None
    for said in dialogue:
        if said.offers:
            if current is not None:
                yield current
            current = [said]
        elif current is not None:
            current.append(said)
    if current is not None:
        yield current


def _record(one: Utterance) -> PlainUtterance:
    return PlainUtterance(one.speaker, one.text, tuple(map(_did, one.acts)), one.items)


def _did(act: Act) -> PlainAct:
    return PlainAct(act.intent, act.pairs)


def _plain(one: Mapping[str, Any]) -> PlainUtterance:
    acts = tuple(
        PlainAct(act["intent"], tuple((slot["slot"], slot.get("value")) for slot in act.get("slots", ())))
        for act in one.get("acts", ())
    )
    return PlainUtterance(one["speaker"], one["text"], acts, tuple(one.get("items", ())))
