"""Entries of a recommender study's log, which alone measures and views read."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from openiir.plugin import Action, Record
from openiir.scenarios.recommender.choice_model import Liking, Tiredness
from openiir.scenarios.recommender.perception.captions import CaptionsMade
from openiir.scenarios.recommender.perception.thumbnails import ThumbnailsMade
from openiir.scenarios.recommender.persona import PersonaCandidate
from openiir.scenarios.recommender.questions.act import Mood, Move


class DataRead(Action):
    """The data set and its split."""

    kind: ClassVar[str] = "recommender.data"
    name: str
    noun: str
    """What an item is called."""
    digest: str
    licence: str
    users: int
    items: int
    ratings: int
    train: int
    validation: int
    test: int
    skipped: Mapping[str, int]
    """What the loader left out, by reason."""
    notes: Mapping[str, int]
    """Fields with few values, with how often."""
    shares: tuple[int, ...]
    """How often each rating from 1 to 5 was given in training, other scales brought to that one."""
    duplicates: str
    """Which of several ratings of a pair stood."""
    strict: bool
    """Whether ratings of unknown users and items were errors."""


class VisitorReady(Action):
    """A visitor is ready; `truth` holds the data set's demographics of a user, which measures alone read."""

    kind: ClassVar[str] = "recommender.visitor"
    persona: PersonaCandidate | None
    scores: tuple[float | None, ...]
    """Of the personas that it was chosen from; None for one that was never scored."""
    calls: int
    """Questions that the matching took."""
    taste: str
    levels: tuple[int, ...]
    """Pickiness, engagement and so on, 0 to 2 each."""
    ratings: int
    """In training."""
    truth: Mapping[str, str]


class PageServed(Action):
    """A declared system's page had fewer usable items than wanted, or unusable ones."""

    kind: ClassVar[str] = "recommender.served"
    user: str
    page: int
    unknown: int
    repeated: int
    known: int
    """Items that the user has rated."""
    missing: int


class PageFailed(Action):
    """A declared system gave no usable answer to the request for a page."""

    kind: ClassVar[str] = "recommender.page-failed"
    system: str
    user: str
    page: int


class SeenTitle(Record):
    """A title on a page and the visitor's verdict."""

    item: str
    title: str
    watch: Literal["yes", "no"]
    reason: str
    rating: int | None
    feeling: str


class PageBrowsed(Action):
    """A page was gone through, or one title of it opened."""

    kind: ClassVar[str] = "recommender.browsed"
    system: str
    page: int
    gone: int
    """Pages gone through by then, those gone back to included."""
    opened: bool
    items: tuple[SeenTitle, ...]
    recalled: tuple[str, ...]
    """Ids of the records that came to mind, nearest first."""


class VisitorMoved(Action):
    """How a visitor felt about a page and what it did next, in the answerer's words."""

    kind: ClassVar[str] = "recommender.acted"
    system: str
    page: int
    mood: Mood
    like_it_so_far: Liking
    tiredness: Tiredness
    do: Move
    number: int | None
    """The place on the page of a title that it opened."""
    why: str
    satisfied: float | None
    """By the behaviour model, 0 to 1, of a visitor that it answers for; null of others."""


class LearntInsight(Record):
    """Something learnt, with the records of memory that it rests on."""

    text: str
    records: tuple[str, ...]


class InsightsLearnt(Action):
    """A visitor looked back on its visit and learnt something about its taste."""

    kind: ClassVar[str] = "recommender.reflected"
    system: str
    page: int
    questions: tuple[str, ...]
    insights: tuple[LearntInsight, ...]


class VisitorInterviewed(Action):
    """A visitor left and said how satisfied it was, 1 to 10."""

    kind: ClassVar[str] = "recommender.interviewed"
    system: str
    rating: int
    reason: str


class VisitJudged(Action):
    """A judge said how human a visit looks, 1 to 5; the actor is the visitor."""

    kind: ClassVar[str] = "recommender.judged"
    system: str
    grade: int
    reason: str


class OfflineListMeasures(Action):
    """Offline measures of a system's lists, from held-out ratings."""

    kind: ClassVar[str] = "recommender.offline"
    system: str
    at: int
    """Places of the list."""
    measures: Mapping[str, Mapping[str, Any]]
    """Value and reason by name."""


class BatteryFailed(Action):
    """Items of a battery that a visitor was asked to rate and gave no usable answer for."""

    kind: ClassVar[str] = "recommender.battery-failed"
    system: str
    page: int
    items: int


class SignalsWeighed(Action):
    """Fitted weights of the signals of interest, by kind of negatives."""

    kind: ClassVar[str] = "recommender.signals"
    weights: Mapping[str, Mapping[str, float]]


class ThresholdFitted(Action):
    """Decision thresholds of a scorer, fitted on other users."""

    kind: ClassVar[str] = "recommender.threshold"
    against: Literal["uniform", "popular"]
    ratio: int
    scorer: str
    blind: float
    """Fitted at 1:1 for accuracy."""
    aware: float
    """Fitted at this ratio for F1."""
    users: int


ACTIONS = (
    DataRead,
    VisitorReady,
    PageServed,
    PageFailed,
    PageBrowsed,
    VisitorMoved,
    InsightsLearnt,
    VisitorInterviewed,
    VisitJudged,
    OfflineListMeasures,
    BatteryFailed,
    SignalsWeighed,
    ThresholdFitted,
    CaptionsMade,
    ThumbnailsMade,
)
