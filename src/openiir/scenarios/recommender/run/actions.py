"""Log entries of a recommender study, from which its measures and views are computed."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from openiir.plugin import Action, Record
from openiir.scenarios.recommender.behaviour.systems import PageFailed, PageServed
from openiir.scenarios.recommender.model.choice_model import Liking, Tiredness
from openiir.scenarios.recommender.model.persona.traits import PersonaCandidate
from openiir.scenarios.recommender.model.pictures.variants import Variant
from openiir.scenarios.recommender.questions.act import Mood, Move


class DataRead(Action):
    """Log entry: the data set that was read and the sizes of its split."""

    kind: ClassVar[str] = "recommender.data"
    name: str
    noun: str
    """Noun for an item, such as `movie`."""
    digest: str
    licence: str
    users: int
    items: int
    ratings: int
    train: int
    validation: int
    test: int
    skipped: Mapping[str, int]
    """Number of rows that the loader left out, by reason."""
    notes: Mapping[str, int]
    """Number of incomplete users and items that were kept, by kind."""
    shares: tuple[int, ...]
    """Number of training ratings of each value from 1 to 5, after conversion of other scales."""
    duplicates: str
    """Rule for several ratings of one item by one user, as in `RowRules`."""
    strict: bool
    """Whether ratings of unknown users and items were errors."""


class VisitorReady(Action):
    """Log entry: a visitor was set up with its persona and habits.

    `truth` holds the data set's demographics of the user, which only measures read.
    """

    kind: ClassVar[str] = "recommender.visitor"
    describes: ClassVar[tuple[str, ...]] = ("persona", "taste", "truth")
    persona: PersonaCandidate | None
    scores: tuple[float | None, ...]
    """Scores of the candidate personas; None for a candidate that was never scored."""
    calls: int
    """Number of questions asked to match the persona."""
    taste: str
    levels: tuple[int, ...]
    """Levels of pickiness, engagement, conformity and variety, 0 to 2 each."""
    ratings: int
    """Number of training ratings."""
    truth: Mapping[str, str]


class SeenTitle(Record):
    """A title on a page with the visitor's verdict."""

    item: str
    title: str
    watch: Literal["yes", "no"]
    reason: str
    rating: int | None
    feeling: str


class PageBrowsed(Action):
    """Log entry: a visitor judged the titles of a page, or one title that it opened."""

    kind: ClassVar[str] = "recommender.browsed"
    system: str
    page: int
    gone: int
    """Number of pages seen so far, including those seen again."""
    opened: bool
    items: tuple[SeenTitle, ...]
    recalled: tuple[str, ...]
    """Ids of the recalled memory records, most relevant first."""


class VisitorMoved(Action):
    """Log entry: a visitor's mood after a page and its next move."""

    kind: ClassVar[str] = "recommender.acted"
    system: str
    page: int
    mood: Mood
    like_it_so_far: Liking
    tiredness: Tiredness
    do: Move
    number: int | None
    """Position on the page of a title that the visitor opens."""
    why: str
    satisfied: float | None
    """Satisfaction by the behaviour model, 0 to 1; None where another answerer decided."""


class LearntInsight(Record):
    """An insight of a visitor, with the memory records that support it."""

    text: str
    records: tuple[str, ...]


class InsightsLearnt(Action):
    """Log entry: a visitor reflected on its visit and learnt something about its taste."""

    kind: ClassVar[str] = "recommender.reflected"
    system: str
    page: int
    questions: tuple[str, ...]
    insights: tuple[LearntInsight, ...]


class VisitorInterviewed(Action):
    """Log entry: a visitor's satisfaction in the exit interview, 1 to 10."""

    kind: ClassVar[str] = "recommender.interviewed"
    system: str
    rating: int
    reason: str


class VisitJudged(Action):
    """Log entry: a judge's grade of how human a visit looks, 1 to 5; the actor is the visitor."""

    kind: ClassVar[str] = "recommender.judged"
    system: str
    grade: int
    reason: str


class OfflineListMeasures(Action):
    """Log entry: offline measures of a system's top-N lists against held-out ratings."""

    kind: ClassVar[str] = "recommender.offline"
    system: str
    at: int
    """Length of the lists."""
    measures: Mapping[str, Mapping[str, Any]]
    """Value of each measure by name, with the reason where it is undefined."""


class BatteryFailed(Action):
    """Log entry: items of a battery of ratings for which a visitor gave no usable answer."""

    kind: ClassVar[str] = "recommender.battery-failed"
    system: str
    page: int
    items: int


class SignalsWeighed(Action):
    """Log entry: fitted weights of the interest signals, by the way negatives are drawn."""

    kind: ClassVar[str] = "recommender.signals"
    weights: Mapping[str, Mapping[str, float]]


class ThresholdFitted(Action):
    """Log entry: decision thresholds of a scorer, fitted on other users."""

    kind: ClassVar[str] = "recommender.threshold"
    against: Literal["uniform", "popular"]
    ratio: int
    scorer: str
    blind: float
    """Threshold fitted for accuracy with one negative for each positive."""
    aware: float
    """Threshold fitted for F1 at this task's ratio of negatives."""
    users: int


class CaptionsMade(Action):
    """Log entry: sources of the captions, and pictures that could not be used."""

    kind: ClassVar[str] = "recommender.captions"
    given: int
    """Number of captions in the data."""
    made: int
    pictures: int
    """Number of distinct pictures that were captioned."""
    failed: int
    skipped: tuple[Mapping[str, str], ...]
    """Skipped items with the reason."""


class ThumbnailsMade(Action):
    """Log entry: a picture variant, with the mean appeal of its captions."""

    kind: ClassVar[str] = "recommender.thumbnails"
    variant: Variant
    items: int
    appeal: float
    made_up: bool
    """Whether the posters were drawn from title and genres instead of read from the data."""


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
