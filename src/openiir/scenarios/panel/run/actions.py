"""Actions of a panel, as logged: rounds, utterances, estimates, pitches, votes and rankings."""

from typing import ClassVar

from openiir.plugin import Action, Citation
from openiir.scenarios.panel.model.speaking.utterances import SpeechAct


class RoundOpened(Action):
    """A round of the panel was opened."""

    kind: ClassVar[str] = "panel.round"
    name: str
    goal: str
    cap: int


class RoundClosed(Action):
    """A round of the panel ended."""

    kind: ClassVar[str] = "panel.round-closed"
    name: str
    reason: str
    turns: int


class Spoke(Action):
    """A panelist said something."""

    kind: ClassVar[str] = "panel.speak"
    number: int
    round: str
    act: SpeechAct
    text: str
    address: str
    """Id of the claim addressed; empty for the round's goal."""
    cites: tuple[Citation, ...]
    stance: float
    """The speaker's stance at that moment."""
    claims: tuple[str, ...]
    """Ids of the new claims found in the utterance."""
    tokens_left: int


class Passed(Action):
    """A panelist whose turn it was said nothing."""

    kind: ClassVar[str] = "panel.pass"
    round: str
    reason: str


class Estimated(Action):
    """A panelist gave or revised an estimate."""

    kind: ClassVar[str] = "panel.estimate"
    number: int
    round: str
    value: int
    reason: str
    cites: tuple[Citation, ...]
    claims: tuple[str, ...] = ()


class SweepFeedback(Action):
    """Median, quartiles and stability of the estimates after an iteration of a Delphi round."""

    kind: ClassVar[str] = "panel.feedback"
    round: str
    median: float
    low: float
    high: float
    p: float | None
    """P value of the Wilcoxon signed-rank test against the previous sweep; null after the first."""
    iqr_change: float | None
    stable: bool


class Pitched(Action):
    """An idea was pitched; a duplicate is merged into the earlier idea."""

    kind: ClassVar[str] = "panel.pitch"
    idea: str
    title: str
    text: str
    cites: tuple[Citation, ...]
    merged_into: str | None


class Voted(Action):
    """A panelist voted on an idea."""

    kind: ClassVar[str] = "panel.vote"
    idea: str
    keep: bool
    reason: str


class RankedIdeas(Action):
    """A panelist ranked the ideas that the vote kept."""

    kind: ClassVar[str] = "panel.rank"
    order: tuple[str, ...]


class RankingOutcome(Action):
    """The ideas that remain, best first, with Borda points; `shortfall` counts how many are missing."""

    kind: ClassVar[str] = "panel.outcome"
    ideas: tuple[str, ...]
    points: tuple[float, ...]
    shortfall: int
    by_coverage: tuple[str, ...]
    """The ideas that a greedy cover of the cited passages would choose."""
