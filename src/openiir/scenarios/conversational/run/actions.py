"""Log events of a conversational study: its set-up, dialogues, judge grades and human dialogues."""

from collections.abc import Iterable, Mapping
from typing import ClassVar, Literal

from openiir.plugin import Action, Record
from openiir.scenarios.conversational.model.dialogue import Need, Utterance
from openiir.scenarios.conversational.model.grading.judged_dialogue import Aspect, Probe

End = Literal["satisfied", "gave-up", "turn-limit", "system-ended", "system-error", "simulator-error"]
"""Why a dialogue ended: the user accepted an item, gave up, or reached the turn limit; the system said
goodbye; the system failed; the simulator failed."""
FAILED: tuple[End, ...] = ("system-error", "simulator-error")
"""Ends of failed dialogues, which are not scored."""


class StudyOpened(Action):
    """Event logged at the start of a run: its catalogue, ratings, simulators and systems."""

    kind: ClassVar[str] = "conversational.opened"
    data: str
    noun: str
    """Noun for an item in texts, such as "movie"."""
    digest: str
    licence: str
    items: int
    slots: tuple[str, ...]
    catalogue: str
    """SHA-256 digest of all items and their attributes."""
    users: int
    ratings: int
    held_out: int
    """Number of held-out ratings, which systems do not see."""
    skipped: Mapping[str, int]
    """Number of rows that the loader left out, by reason."""
    notes: Mapping[str, int]
    """Weak points of the data, such as missing values, with their counts."""
    duplicates: str
    """Rule that chose among several ratings of one user for one item."""
    strict: bool
    """Whether ratings of unknown users or items were errors."""
    turns: int
    """Maximum number of user turns of a dialogue."""
    simulators: tuple[str, ...]
    systems: tuple[str, ...]
    targets: tuple[int, ...]
    """Number of target items of each need, ascending."""


class DialogueOffer(Record):
    """Items recommended in one system turn, with their utility to the user."""

    turn: int
    """Number of the user turn that the system answered; 0 before the first."""
    items: tuple[str, ...]
    """Item ids, best first; "" for an item that is not in the catalogue."""
    titles: tuple[str, ...]
    utilities: tuple[float, ...]
    """Utility of each item, 0 to 1: .7 x share of constraints met + .3 x expected rating; 0 for an item
    consumed before or missing from the catalogue."""
    met: tuple[tuple[int, ...], ...] = ()
    """For each item, the indices of the constraints in `need.constraints` that it meets; empty where this was
    not checked."""


class DialogueLogged(Action):
    """Event with a whole dialogue, its need and the reason for its end; the actor is the user."""

    kind: ClassVar[str] = "conversational.dialogue"
    number: int
    """Number of the need. Dialogues with the same number share the need and the user and, with the same
    simulator, the random draws."""
    simulator: str
    system: str
    group: str
    """Population group of the user."""
    need: Need
    difficulty: float
    """Difficulty of the need, 0 to 1: log(items / targets) / log(items)."""
    utterances: tuple[Utterance, ...]
    offers: tuple[DialogueOffer, ...]
    informed: tuple[str, ...]
    """Requested slots that the system told the user."""
    accepted: str | None
    """Id of the item that the user accepted; None without one."""
    end: End
    reason: str
    """Explanation of the end, where `end` alone does not give it."""


class DialogueJudged(Action):
    """Event with a judge's grade of one aspect of a dialogue; the actor is the user of the dialogue."""

    kind: ClassVar[str] = "conversational.judged"
    number: int
    simulator: str
    system: str
    aspect: Aspect
    probe: Probe = ""
    repeat: int = 1
    """Number of the repetition of this question, from 1."""
    score: int | None
    """Grade from 1 to 5; None (missing) where the judge gave no usable answer."""
    explanation: str = ""


class HumanDialogueLogged(Action):
    """Event with a dialogue between people, for comparison with simulated dialogues."""

    kind: ClassVar[str] = "conversational.observed"
    source: str
    """Path of the file that holds the dialogue."""
    dialogue: str
    """Id of the dialogue in that file."""
    utterances: tuple[Utterance, ...]
    """Utterances, with dialogue acts in openiir's intents."""


def first_answers(speakers: Iterable[str]) -> dict[int, int]:
    """Map each number of user turns to the index of the first system utterance after them."""
    answers: dict[int, int] = {}
    turns = 0
    for place, speaker in enumerate(speakers):
        turns += speaker == "user"
        if speaker == "system":
            answers.setdefault(turns, place)
    return answers


ACTIONS = (StudyOpened, DialogueLogged, DialogueJudged, HumanDialogueLogged)
