"""What a user of the feed can be asked: what they click on a page, and, when all is over, what it did to them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from openiir.kit.beliefs import BeliefRule
from openiir.kit.clicks import ClickModel
from openiir.kit.feeds.browsing import Habits, browse, reading_of
from openiir.kit.items import Catalogue
from openiir.kit.rankers import Shelf
from openiir.plugin import Draw, Question, Record, Unsplit, UnusableAnswer
from openiir.scenarios.curated_feed import wording

Position = Annotated[int, Field(ge=1, le=100)]


class Clicked(Record):
    """What a user clicked on one page."""

    clicked: tuple[Position, ...] = Field(max_length=100)
    """Positions from 1, each once; none is an answer too."""


@dataclass(frozen=True)
class Shown:
    """An item of the page."""

    text: str
    theta: tuple[float, ...]
    """The share of each topic."""
    valence: float
    quality: float


@dataclass(frozen=True)
class Browse(Unsplit[Clicked]):
    """Which of these items do you click? (what each user of the crowd does in every session)"""

    topics: tuple[str, ...]
    issues: tuple[str, ...]
    """What each topic's two sides are for or against."""
    belief: tuple[float, ...]
    """As the session begins, -1 (against) to 1 (for) on each topic."""
    items: tuple[Shown, ...]
    """From the top."""
    session: int
    """Of the run, from 0."""
    clicks: ClickModel
    beliefs: BeliefRule
    kind: ClassVar[str] = "curated_feed.browse"
    Reply: ClassVar[type[Record]] = Clicked
    of_crowd: ClassVar[bool] = True

    @property
    def subject(self) -> str:
        return f"session {self.session + 1}"

    def prompt(self) -> str:
        views = "\n".join(
            f"- {topic}: {wording.view(issue, belief)} ({belief:+.3f})"
            for topic, issue, belief in zip(self.topics, self.issues, self.belief, strict=True)
        )
        items = "\n".join(
            f"{n}. {item.text}\n   {wording.facts(self.topics, item.theta, item.valence, item.quality)}"
            for n, item in enumerate(self.items, 1)
        )
        return f"""You open a news feed, for the {wording.nth(self.session + 1)} time, and go through its page from the top.

Where you stand today (-1 wholly against, +1 wholly for):
{views}

The page:
{items}

How people read such a page:
{wording.looking(self.clicks, len(self.items))}
{wording.clicking(self.clicks)}
{wording.moving(self.beliefs)}

Which items do you click? Give the numbers of their positions, each once, and an empty list if you click none."""

    def offline(self, draw: Draw) -> Clicked:
        """What a user of the crowd with this draw clicks: the study's click model; see `kit.clicks`."""
        return self.offline_all([self], [draw])[0]

    @classmethod
    def offline_all(cls, questions: "Sequence[Question[Clicked]]", draws: Sequence[Draw]) -> list[Clicked]:
        pages: dict[object, list[int]] = {}
        for n, (question, draw) in enumerate(zip(questions, draws, strict=True)):
            assert isinstance(question, Browse)
            like = (question.session, question.topics, question.clicks, question.beliefs, len(question.items))
            pages.setdefault((*like, draw.seed, draw.purpose), []).append(n)
        replies: dict[int, Clicked] = {}
        for places in pages.values():
            replies |= dict(zip(places, _browsed([questions[n] for n in places], [draws[n] for n in places]), strict=True))  # type: ignore[misc]
        return [replies[n] for n in range(len(questions))]

    def allowed(self) -> Mapping[str, Sequence[int]]:
        return {"clicked": range(1, len(self.items) + 1)}

    def check(self, reply: Clicked) -> None:
        twice = sorted({n for n in reply.clicked if reply.clicked.count(n) > 1})
        if twice:
            raise UnusableAnswer(f"clicked names position {twice[0]} twice; name each position once")


def _browsed(questions: Sequence[Browse], draws: Sequence[Draw]) -> list[Clicked]:
    """Pages of one length, gone through by one user each under one rule, as `browse` lets a crowd do it."""
    first, length = questions[0], len(questions[0].items)
    shown = [item for question in questions for item in question.items]
    catalogue = Catalogue(
        first.topics,
        np.array([item.theta for item in shown], dtype=np.float64).reshape(len(shown), len(first.topics)),
        np.array([item.valence for item in shown], dtype=np.float64),
        np.array([item.quality for item in shown], dtype=np.float64),
        np.ones(len(shown), dtype=np.int64),
    )
    belief = np.array([question.belief for question in questions], dtype=np.float64)
    items = np.arange(len(shown)).reshape(len(questions), length)
    habits = Habits(first.clicks, first.beliefs)
    reading = reading_of(habits, draws[0], np.array([draw.agent for draw in draws]), first.session, length)
    clicks = browse(belief, belief, items, Shelf(catalogue), habits, reading).clicks
    return [Clicked(clicked=tuple(int(slot) + 1 for slot in np.flatnonzero(row))) for row in clicks]


class Told(Record):
    """An answer after the run."""

    answer: str = Field(min_length=1, max_length=1_500)


@dataclass(frozen=True)
class Standing:
    """What came of one topic for one user."""

    topic: str
    issue: str
    first: float
    """Belief at the start."""
    now: float
    shown: float
    """Items shown on it; one of two topics counts by its shares."""
    clicked: float


@dataclass(frozen=True)
class AfterFeed(Unsplit[Told]):
    """What do you say, after the run, on what you were shown, clicked and came to believe?"""

    asked: str
    weeks: int
    """On record; 0 where nothing is."""
    standings: tuple[Standing, ...]
    kind: ClassVar[str] = "curated_feed.interview"
    Reply: ClassVar[type[Record]] = Told

    def prompt(self) -> str:
        if not self.standings:
            record = "There is no record of what you were shown or clicked."
        else:
            lines = "\n".join(f"- {wording.course(s.topic, s.issue, s.first, s.now, s.shown, s.clicked)}" for s in self.standings)
            record = f"In {wording.counted(self.weeks, 'week')} of it, this is all that is on record of you:\n{lines}"
        return f"""You have been reading a news feed that a ranker put together for you.
{record}

You are now asked: {self.asked}
Answer from this record, in one to four sentences. Say so where it does not speak to the question."""

    def offline(self, draw: Draw) -> Told:
        """Tells the record of the topics that the question names; of the two that moved or were shown most otherwise."""
        if not self.standings:
            return Told(answer="I cannot tell: there is no record of what I was shown or clicked.")
        named = [s for s in self.standings if wording.names(self.asked, s.topic, s.issue)]
        moved = sorted(self.standings, key=lambda s: (-abs(s.now - s.first), -s.shown, s.topic))
        told = [wording.told(s.issue, s.first, s.now, s.shown, s.clicked) for s in (named or moved)[:2]]
        return Told(answer=" ".join([wording.diet(self.standings), *told]))
