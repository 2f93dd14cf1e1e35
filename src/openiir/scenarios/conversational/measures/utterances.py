"""Plain tuples of utterances for the metrics, made from records or from a log."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from openiir.scenarios.conversational.model.dialogue import Utterance

Pair = tuple[str, str | None]


class PlainAct(NamedTuple):
    """A dialogue act: its intent and (slot, value) pairs."""

    intent: str
    pairs: tuple[Pair, ...] = ()


class PlainUtterance(NamedTuple):
    """An utterance as input of the metrics."""

    speaker: str
    """`user` or `system`."""
    text: str = ""
    acts: tuple[PlainAct, ...] = ()
    items: tuple[str, ...] = ()

    def does(self, intent: str) -> bool:
        """Whether one of its acts has this intent."""
        return any(act.intent == intent for act in self.acts)

    @property
    def offers(self) -> bool:
        """Whether it recommends items: it has a RECOMMEND act, or items but no acts."""
        return self.speaker == "system" and (self.does("RECOMMEND") or (not self.acts and bool(self.items)))


def plain_utterances(utterances: Iterable[Utterance | Mapping[str, Any]]) -> tuple[PlainUtterance, ...]:
    """Convert utterances, as records or as logged JSON, to plain tuples."""
    return tuple(
        PlainUtterance(
            one.speaker, one.text, tuple(PlainAct(act.intent, act.pairs) for act in one.acts), one.items
        )
        if isinstance(one, Utterance)
        else _plain(one)
        for one in utterances
    )


def rounds(dialogue: Iterable[PlainUtterance]) -> Iterator[list[PlainUtterance]]:
    """Split a dialogue into rounds, each from one recommendation up to the next.

    What comes before the first recommendation belongs to none.
    """
    spoken = list(dialogue)
    starts = [n for n, said in enumerate(spoken) if said.offers]
    for start, end in pairwise([*starts, len(spoken)]):
        yield spoken[start:end]


def _plain(one: Mapping[str, Any]) -> PlainUtterance:
    acts = tuple(
        PlainAct(act["intent"], tuple((slot["slot"], slot.get("value")) for slot in act.get("slots", ())))
        for act in one.get("acts", ())
    )
    return PlainUtterance(one["speaker"], one["text"], acts, tuple(one.get("items", ())))
