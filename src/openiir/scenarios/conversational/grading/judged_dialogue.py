"""A dialogue as judges see it."""

from dataclasses import dataclass

from openiir.scenarios.conversational.dialogue import Need


@dataclass(frozen=True)
class JudgedTurn:
    """An utterance as judges see it."""

    speaker: str
    """user or system."""
    text: str
    acts: tuple[str, ...] = ()
    """Intents of what it does, where that is known."""
    asks: tuple[str, ...] = ()
    """Slots that it asks for."""
    tells: tuple[str, ...] = ()
    """Slots that it tells of an item."""
    misses: tuple[tuple[str, str], ...] = ()
    """(slot, value) pairs that a user misses in what was recommended."""


@dataclass(frozen=True)
class JudgedItem:
    """An item that the system recommended."""

    turn: int
    """Number of the turn, from 1."""
    title: str
    facts: tuple[tuple[str, str], ...] = ()
    """(slot, value) pairs of the catalogue."""
    worth: float | None = None
    """To this user, 0 to 1; None where the need is not known."""
    seen: bool | None = None
    """Whether the user had had it before; None where nobody knows."""


@dataclass(frozen=True)
class JudgedDialogue:
    """A dialogue with what a judge may know of it."""

    turns: tuple[JudgedTurn, ...]
    shown: tuple[JudgedItem, ...] = ()
    need: Need | None = None
    """None where nobody wrote it down."""
    end: str = ""
    """Why it ended (satisfied, gave-up, turn-limit, system-ended); empty where nobody wrote it down."""
    taken: str = ""
    """The title that the user took, where that is known."""
    person: str = ""
    """What is known of the user's temper, in a sentence."""
