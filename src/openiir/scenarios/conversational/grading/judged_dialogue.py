"""The judge's view of a dialogue."""

from dataclasses import dataclass

from openiir.scenarios.conversational.dialogue import Need


@dataclass(frozen=True)
class JudgedTurn:
    """An utterance in the judge's view."""

    speaker: str
    """`user` or `system`."""
    text: str
    acts: tuple[str, ...] = ()
    """Intents of the dialogue acts, where known."""
    asks: tuple[str, ...] = ()
    """Slots that the turn elicits."""
    tells: tuple[str, ...] = ()
    """Slots of an item that the turn informs about."""
    misses: tuple[tuple[str, str], ...] = ()
    """(slot, value) pairs that the user's critique found missing in a recommended item."""


@dataclass(frozen=True)
class JudgedItem:
    """A recommended item in the judge's view."""

    turn: int
    """Number of the turn that recommended it, from 1."""
    title: str
    facts: tuple[tuple[str, str], ...] = ()
    """(slot, value) pairs from the catalogue."""
    worth: float | None = None
    """Utility to the user, 0 to 1; None if the need is unknown."""
    seen: bool | None = None
    """Whether the user had consumed it before; None if unknown."""


@dataclass(frozen=True)
class JudgedDialogue:
    """A dialogue with only what a judge may know about it."""

    turns: tuple[JudgedTurn, ...]
    shown: tuple[JudgedItem, ...] = ()
    need: Need | None = None
    """Information need of the user; None if unknown."""
    end: str = ""
    """Why the dialogue ended (satisfied, gave-up, turn-limit, system-ended); empty if unknown."""
    taken: str = ""
    """Title of the accepted item; empty if none or unknown."""
    person: str = ""
    """Sentence about the user's patience."""
