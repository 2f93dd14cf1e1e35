"""What happens in a recommender study, as entries of its log; measures and views are made from nothing else."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from openiir.plugin import Action, Record
from openiir.scenarios.recommender.brain import Liking, Tiredness
from openiir.scenarios.recommender.perception.captions import Captioned
from openiir.scenarios.recommender.perception.thumbnails import Pictured
from openiir.scenarios.recommender.persona import Candidate
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
    """What is thin, with how often."""
    shares: tuple[int, ...]
    """How often each rating from 1 to 5 was given in training, other scales brought to that one."""
    duplicates: str
    """Which of several ratings of a pair stood."""
    strict: bool
    """Whether ratings of unknown users and items were errors."""


class Visits(Action):
    """A visitor is ready; of a user, with what the data set says of it too, which nobody but the measures sees."""

    kind: ClassVar[str] = "recommender.visitor"
    persona: Candidate | None
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


class Served(Action):
    """A declared system's page had fewer usable items than wanted, or others."""

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


class Seen(Record):
    """A title on a page, and what came of it."""

    item: str
    title: str
    watch: Literal["yes", "no"]
    reason: str
    rating: int | None
    feeling: str


class Browsed(Action):
    """A page was gone through, or one title of it opened."""

    kind: ClassVar[str] = "recommender.browsed"
    system: str
    page: int
    gone: int
    """Pages gone through by then, those gone back to included."""
    opened: bool
    items: tuple[Seen, ...]
    recalled: tuple[str, ...]
    """Ids of the records that came to mind, nearest first."""


class Moved(Action):
    """How a visitor felt about a page, and what it did next, as whoever answered said."""

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


class Learnt(Action):
    """A visitor looked back."""

    kind: ClassVar[str] = "recommender.reflected"
    system: str
    page: int
    questions: tuple[str, ...]
    insights: tuple[LearntInsight, ...]


class Interviewed(Action):
    """A visitor left and said how satisfied it was, 1 to 10."""

    kind: ClassVar[str] = "recommender.interviewed"
    system: str
    rating: int
    reason: str


class Judged(Action):
    """A judge said how human a visit looks, 1 to 5; the actor is the visitor."""

    kind: ClassVar[str] = "recommender.judged"
    system: str
    grade: int
    reason: str


class RatedOffline(Action):
    """What the held-out ratings say of a system's lists."""

    kind: ClassVar[str] = "recommender.offline"
    system: str
    at: int
    """Places of the list."""
    measures: Mapping[str, Mapping[str, Any]]
    """Value and reason by name."""


class BatteryFailed(Action):
    """Items that a visitor was asked to rate in between, and did not."""

    kind: ClassVar[str] = "recommender.battery-failed"
    system: str
    page: int
    items: int


class Weighed(Action):
    """How the signals of interest were weighed, by kind of items never met."""

    kind: ClassVar[str] = "recommender.signals"
    weights: Mapping[str, Mapping[str, float]]


class Threshold(Action):
    """The place from which on a scorer says yes, fitted on other users."""

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
    Visits,
    Served,
    PageFailed,
    Browsed,
    Moved,
    Learnt,
    Interviewed,
    Judged,
    RatedOffline,
    BatteryFailed,
    Weighed,
    Threshold,
    Captioned,
    Pictured,
)
