"""Entries of a dialogue study's log, from which alone measures and views are computed."""

from collections.abc import Mapping
from typing import ClassVar, Literal

from openiir.plugin import Action, Record
from openiir.scenarios.conversational.dialogue import Need, Utterance

Aspect = Literal["relevance", "style", "fluency", "flow", "satisfaction"]
"""What a judge grades: the recommendations, the way of putting things, the language, the course of the talk, all in all."""
Probe = Literal["", "order", "verbosity"]
"""Variant of the judge's question: none; grades listed from worst to best; dialogue padded with polite filler."""
End = Literal["satisfied", "gave-up", "turn-limit", "system-ended", "system-error", "simulator-error"]
"""Why a dialogue ended: the user took an item, left in vain, or had no turn left; the system said goodbye; the system
failed; the simulator failed."""
FAILED: tuple[End, ...] = ("system-error", "simulator-error")
"""Ends of failed dialogues, which have no scores."""


class StudyOpened(Action):
    """The data, simulators and systems of a run."""

    kind: ClassVar[str] = "conversational.opened"
    data: str
    noun: str
    """What an item is called."""
    digest: str
    licence: str
    items: int
    slots: tuple[str, ...]
    catalogue: str
    """sha256 over all that is known of the items."""
    users: int
    ratings: int
    held_out: int
    """Ratings that nobody sees."""
    skipped: Mapping[str, int]
    """What the loader left out, by reason."""
    notes: Mapping[str, int]
    """What is thin, with how often."""
    duplicates: str
    """Which of several ratings of a pair stood."""
    strict: bool
    """Whether ratings of unknown users and items were errors."""
    turns: int
    """The user's turns of one dialogue, at most."""
    simulators: tuple[str, ...]
    systems: tuple[str, ...]
    targets: tuple[int, ...]
    """How many items would do, need by need, ascending."""


class DialogueOffer(Record):
    """Items that a system recommended at once, with their utility to the user."""

    turn: int
    """Which of the user's turns it was the answer to; 0 before the first."""
    items: tuple[str, ...]
    """Best first; an item that is not in the catalogue has the id ""."""
    titles: tuple[str, ...]
    utilities: tuple[float, ...]
    """0 to 1, by the need and the user's taste (.7 share of constraints met + .3 of the rating expected); 0 for what one has
    had already and for what the catalogue does not have."""
    met: tuple[tuple[int, ...], ...] = ()
    """For each item the places in `need.constraints` of those that it meets; empty where that was not looked up."""


class DialogueLogged(Action):
    """A whole dialogue and why it ended. The actor is the user."""

    kind: ClassVar[str] = "conversational.dialogue"
    number: int
    """Of the need: dialogues of one number have the same need and user, and with one simulator the same noise."""
    simulator: str
    system: str
    group: str
    """Which part of the population the user belongs to."""
    need: Need
    difficulty: float
    """0 to 1: minus the logarithm of the share of the catalogue that would do, over that of one item in it."""
    utterances: tuple[Utterance, ...]
    offers: tuple[DialogueOffer, ...]
    informed: tuple[str, ...]
    """Slots requested and told."""
    accepted: str | None
    """The item that the user took."""
    end: End
    reason: str
    """In words, where the end does not say it all."""


class DialogueJudged(Action):
    """A judge's grade of one aspect of a dialogue. The actor is the user of that dialogue."""

    kind: ClassVar[str] = "conversational.judged"
    number: int
    simulator: str
    system: str
    aspect: Aspect
    probe: Probe = ""
    repeat: int = 1
    """Which time it was asked, from 1."""
    score: int | None
    """1 to 5; None where no usable answer came, which is missing and no grade."""
    explanation: str = ""


class HumanDialogueLogged(Action):
    """A dialogue that people held, which simulated ones are compared with."""

    kind: ClassVar[str] = "conversational.observed"
    source: str
    """The file that it is from."""
    dialogue: str
    """Its id there."""
    utterances: tuple[Utterance, ...]
    """With acts in our own intents."""


ACTIONS = (StudyOpened, DialogueLogged, DialogueJudged, HumanDialogueLogged)
