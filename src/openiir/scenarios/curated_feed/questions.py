"""Questions to users of a feed: what they open on a page, where they stand, and interviews after the run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from openiir.kit.beliefs import BeliefRule
from openiir.kit.clicks import ClickModel, SlateReading
from openiir.kit.feeds.browsing import browse
from openiir.kit.interviewing import AfterRunAnswer, AfterRunFacts
from openiir.kit.items import Catalogue, ItemWords
from openiir.kit.prompting import ThoughtfulReply, bullet_lines, count_noun, number_lines
from openiir.kit.rankers import Shelf
from openiir.plugin import Count, Draw, Facts, Question, Record, Source, Stance, UnusableAnswer, stance_word
from openiir.scenarios.curated_feed import wording
from openiir.scenarios.curated_feed.wording import IssueStance, TopicOutcome

Position = Annotated[int, Field(ge=1, le=100)]
Study, Drawn = Source("study"), Source("drawn")


class OpenedItems(ThoughtfulReply):
    """What a user opened on one page."""

    open: tuple[Position, ...] = Field(
        max_length=100, description="the numbers of those you open, each once; [] for none"
    )


@dataclass(frozen=True)
class FeedBrowseFacts(Facts):
    """Facts about a page of the feed: the items on it, and the user's stances and memories."""

    week: Count
    again: bool
    """Whether the user has seen the feed before."""
    views: tuple[IssueStance, ...]
    """Stances that the user stated when last surveyed."""
    last: tuple[str, ...]
    """The user's memories of the last visit."""
    remembered: tuple[str, ...]
    """The user's memories of earlier visits that are relevant to this page."""
    page: tuple[ItemWords, ...]
    """Items of the page, from the top."""

    def prompt(self) -> str:
        times = (
            f"You are in week {self.week} of reading it."
            if self.again
            else "It is the first time that you see it."
        )
        parts = [f"You open your news feed. {times}"]
        if self.views:
            parts.append(
                f"When you were last asked where you stand, you said:\n{wording.list_stances(self.views)}"
            )
        if self.last:
            parts.append(f"The last time you were here:\n{bullet_lines(self.last)}")
        if self.remembered:
            parts.append(f"What you remember from before:\n{bullet_lines(self.remembered)}")
        items = number_lines(self.page)
        parts.append(f"The page, from the top:\n{items}")
        task = "You read from the top and stop when you have had enough. Which do you open, if any?"
        return "\n\n".join([*parts, task])

    def allowed(self) -> Mapping[str, Sequence[int]]:
        return {"open": range(1, len(self.page) + 1)}

    def check(self, reply: OpenedItems) -> None:
        twice = sorted({n for n in reply.open if reply.open.count(n) > 1})
        if twice:
            raise UnusableAnswer(f"open names number {twice[0]} twice; name each once")


@dataclass(frozen=True)
class ItemFeatures:
    """Features of an item that the click model and the belief rule use."""

    theta: tuple[float, ...]
    """The share of each topic."""
    valence: float
    quality: float


@dataclass(frozen=True)
class FeedBrowseDispositions:
    """Beliefs, items and click model from which the clicks of a user are simulated."""

    topics: Annotated[tuple[str, ...], Study]
    belief: Annotated[tuple[float, ...], Study]
    """Beliefs at the start of the session, -1 (against) to 1 (for) on each topic."""
    items: Annotated[tuple[ItemFeatures, ...], Drawn]
    """Features of the items from the top; the page itself stays unwritten where nobody reads it."""
    session: Annotated[int, Study]
    """Number of the session in the run, from 0."""
    clicks: Annotated[ClickModel, Study]
    beliefs: Annotated[BeliefRule, Study]


@dataclass(frozen=True)
class FeedBrowse(Question[OpenedItems]):
    """Question to a promoted user: which of these items do you open? Models what the crowd does in every session."""

    facts: FeedBrowseFacts
    dispositions: FeedBrowseDispositions
    kind: ClassVar[str] = "curated_feed.browse"
    example: ClassVar[Record] = OpenedItems(
        thoughts="The second is about my street; the rest can wait.", open=(2,)
    )
    of_crowd: ClassVar[bool] = True

    @property
    def subject(self) -> str:
        return f"session {self.dispositions.session + 1}"

    def offline(self, draw: Draw) -> OpenedItems:
        """Draw the clicks that a user of the crowd with this draw has by the study's click model; see `kit.clicks`."""
        return self.offline_all([self], [draw])[0]

    @classmethod
    def offline_all(
        cls, questions: Sequence[Question[OpenedItems]], draws: Sequence[Draw]
    ) -> list[OpenedItems]:
        pages: dict[object, list[int]] = {}
        for n, (question, draw) in enumerate(zip(questions, draws, strict=True)):
            assert isinstance(question, FeedBrowse)
            by = question.dispositions
            like = (by.session, by.topics, by.clicks, by.beliefs, len(by.items))
            pages.setdefault((*like, draw.seed, draw.purpose), []).append(n)
        replies: dict[int, OpenedItems] = {}
        for places in pages.values():
            readers = [questions[n].dispositions for n in places]  # type: ignore[attr-defined]
            replies |= dict(zip(places, _simulate_browsing(readers, [draws[n] for n in places]), strict=True))
        return [replies[n] for n in range(len(questions))]


def _simulate_browsing(readers: Sequence[FeedBrowseDispositions], draws: Sequence[Draw]) -> list[OpenedItems]:
    """Simulate one user for each page with `browse`, as for the crowd; all pages have one length and one rule."""
    first, length = readers[0], len(readers[0].items)
    shown = [item for reader in readers for item in reader.items]
    catalogue = Catalogue(
        first.topics,
        np.array([item.theta for item in shown], dtype=np.float64).reshape(len(shown), len(first.topics)),
        np.array([item.valence for item in shown], dtype=np.float64),
        np.array([item.quality for item in shown], dtype=np.float64),
        np.ones(len(shown), dtype=np.int64),
    )
    belief = np.array([reader.belief for reader in readers], dtype=np.float64)
    items = np.arange(len(shown)).reshape(len(readers), length)
    users = np.array([draw.agent for draw in draws])
    reading = SlateReading(first.clicks, draws[0], users, first.session, length)
    clicks = browse(belief, belief, items, Shelf(catalogue), first.beliefs, reading).clicks
    return [OpenedItems(open=tuple(int(slot) + 1 for slot in np.flatnonzero(row))) for row in clicks]


class Stands(Record):
    """Where somebody stands on one of several topics."""

    number: int = Field(ge=1, le=256)
    where_you_stand: Stance


class SurveyReply(ThoughtfulReply):
    """Where somebody stands on all of them."""

    answers: tuple[Stands, ...] = Field(
        max_length=256, description="one for each number of the list, in its order"
    )


@dataclass(frozen=True)
class SurveyFacts(Facts):
    """Facts of a survey: the issues, and the memories and last stances of the person asked."""

    weeks: Count
    """Weeks of reading the feed; 0 before the first week, or without a feed."""
    remembered: tuple[str, ...]
    issues: tuple[str, ...]
    stood: tuple[Stance, ...]
    """Stances stated in the last survey, one for each issue; empty before the first survey."""

    def prompt(self) -> str:
        parts = ["A short survey asks what people think about matters of public debate."]
        if self.weeks:
            parts[0] += f" You have been reading your news feed for {count_noun(self.weeks, 'week')}."
        if self.remembered:
            parts.append(f"What you remember of it:\n{bullet_lines(self.remembered)}")
        before = [f" (last time: {one})" for one in self.stood] or [""] * len(self.issues)
        issues = number_lines([f"{issue}{was}" for issue, was in zip(self.issues, before, strict=True)])
        stay = " It is no failing to stay where you were." if self.stood else ""
        parts.append(f"Where do you stand today on each of these?{stay}\n{issues}")
        return "\n\n".join(parts)

    def allowed(self) -> Mapping[str, Sequence[int]]:
        return {"Stands.number": range(1, len(self.issues) + 1)}

    def lengths(self) -> Mapping[str, int]:
        return {"answers": len(self.issues)}

    def check(self, reply: SurveyReply) -> None:
        if sorted(one.number for one in reply.answers) != list(range(1, len(self.issues) + 1)):
            raise UnusableAnswer(f"answers needs each number from 1 to {len(self.issues)} once, and no other")


@dataclass(frozen=True)
class SurveyDispositions:
    """Numeric beliefs from which a survey is answered offline."""

    beliefs: Annotated[tuple[float, ...], Study]
    """Beliefs from -1 to 1, one for each issue."""


@dataclass(frozen=True)
class Survey(Question[SurveyReply]):
    """Question to a user before the first week and at the end of each: where do you stand on these issues?"""

    facts: SurveyFacts
    dispositions: SurveyDispositions
    kind: ClassVar[str] = "curated_feed.survey"
    example: ClassVar[Record] = SurveyReply(
        thoughts="I never cared for the one, and the other would cost us the market.",
        answers=(
            Stands(number=1, where_you_stand="undecided"),
            Stands(number=2, where_you_stand="firmly against"),
        ),
    )
    answered_with: ClassVar[str] = FeedBrowse.kind

    def offline(self, draw: Draw) -> SurveyReply:
        """Answer with the user's numeric beliefs, each in the nearest word."""
        stances = (stance_word(belief) for belief in self.dispositions.beliefs)
        return SurveyReply(
            answers=tuple(Stands(number=n, where_you_stand=one) for n, one in enumerate(stances, 1))
        )


@dataclass(frozen=True)
class AfterFeedDispositions:
    """Outcome of each topic for the user, in numbers."""

    standings: Annotated[tuple[TopicOutcome, ...], Study]


@dataclass(frozen=True)
class AfterFeed(Question[AfterRunAnswer]):
    """Question to a user after the run, on what it was shown, opened and came to believe."""

    facts: AfterRunFacts
    dispositions: AfterFeedDispositions
    kind: ClassVar[str] = "curated_feed.interview"
    example: ClassVar[Record] = AfterRunAnswer(
        answer="Mostly it showed me football, and I skipped nearly all of that."
    )

    def offline(self, draw: Draw) -> AfterRunAnswer:
        """Summarise the topics that the question names, or else the two on which beliefs moved most."""
        standings, asked = self.dispositions.standings, self.facts.asked
        if not standings:
            return AfterRunAnswer(answer="I cannot tell: there is no record of what I was shown or clicked.")
        named = [s for s in standings if wording.mentions_topic(asked, s)]
        moved = sorted(standings, key=lambda s: (-abs(s.now - s.first), -s.shown, s.topic))
        told = [wording.topic_statement(s) for s in (named or moved)[:2]]
        return AfterRunAnswer(answer=" ".join([wording.exposure_summary(standings), *told]))
