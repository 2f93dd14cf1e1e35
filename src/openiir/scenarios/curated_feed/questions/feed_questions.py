"""Questions to users of a feed: what they open on a page, where they stand, and interviews after the run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from openiir.kit.beliefs import BeliefRule
from openiir.kit.clicks import ClickModel, SlateReading
from openiir.kit.interviewing import AfterRun, AfterRunAnswer
from openiir.kit.page_questions import OpenedItems, PageQuestion
from openiir.kit.prompting import ThoughtfulReply, bullet_lines, count_noun, join_parts, number_lines
from openiir.kit.rankers import Shelf
from openiir.plugin import (
    Columns,
    Count,
    Draw,
    Question,
    Record,
    Source,
    Stance,
    UnusableAnswer,
    stance_word,
)
from openiir.scenarios.curated_feed.model.browsing import browse
from openiir.scenarios.curated_feed.model.items.item_text import ItemWords
from openiir.scenarios.curated_feed.questions import wording
from openiir.scenarios.curated_feed.questions.wording import IssueStance, TopicOutcome

Study, Drawn = Source("study"), Source("drawn")


@dataclass(frozen=True, eq=False)
class FeedSession:
    """Catalogue, and the rules by which users click and change their beliefs, in one session."""

    number: int
    """Number of the session in the run, from 0."""
    shelf: Shelf
    clicks: ClickModel
    beliefs: BeliefRule


@dataclass(frozen=True)
class FeedBrowse(PageQuestion[OpenedItems]):
    """Question to a user with a persona: which of these items do you open? Others follow the click model."""

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
    belief: Annotated[tuple[float, ...], Study]
    """Beliefs at the start of the session, -1 (against) to 1 (for) on each topic."""
    items: Annotated[tuple[int, ...], Drawn]
    """Items from the top, by their number on the shelf; -1 for an empty place."""
    behaviour: FeedSession
    kind: ClassVar[str] = "curated_feed.browse"
    example: ClassVar[Record] = OpenedItems(
        thoughts="The second is about my street; the rest can wait.", open=(2,)
    )

    @property
    def subject(self) -> str:
        return f"session {self.behaviour.number + 1}"

    def prompt(self) -> str:
        times = "It is the first time that you see it."
        if self.again:
            times = f"You are in week {self.week} of reading it."
        told = {
            "When you were last asked where you stand, you said": wording.list_stances(self.views),
            "The last time you were here": bullet_lines(self.last),
            "What you remember from before": bullet_lines(self.remembered),
            "The page, from the top": number_lines(self.page),
        }
        task = "You read from the top and stop when you have had enough. Which do you open, if any?"
        return join_parts(f"You open your news feed. {times}", told, task)

    @classmethod
    def answer_columns(cls, columns: Columns, draw: Draw, behaviour: FeedSession) -> Columns:
        """Draw the clicks of users without a persona by the study's click model; see `kit.clicks`."""
        belief, items = columns["belief"], columns["items"]
        session = draw.at(step=behaviour.number)
        reading = SlateReading(behaviour.clicks, session, np.asarray(draw.agent), items.shape[1])
        return {"open": browse(belief, belief, items, behaviour.shelf, behaviour.beliefs, reading).clicks}


class Stands(Record):
    """A user's stance on one of several topics."""

    number: int = Field(ge=1, le=256)
    where_you_stand: Stance


class SurveyReply(ThoughtfulReply):
    """A user's stances on all topics of a survey."""

    answers: tuple[Stands, ...] = Field(
        max_length=256, description="one for each number of the list, in its order"
    )


@dataclass(frozen=True)
class Survey(Question[SurveyReply]):
    """Question to a user before the first week and at the end of each: where do you stand on these issues?"""

    weeks: Count
    """Weeks of reading the feed; 0 before the first week, or without a feed."""
    remembered: tuple[str, ...]
    issues: tuple[str, ...]
    stood: tuple[Stance, ...]
    """Stances stated in the last survey, one for each issue; empty before the first survey."""
    beliefs: Annotated[tuple[float, ...], Study]
    """Beliefs from -1 to 1, one for each issue."""
    kind: ClassVar[str] = "curated_feed.survey"
    example: ClassVar[Record] = SurveyReply(
        thoughts="I never cared for the one, and the other would cost us the market.",
        answers=(
            Stands(number=1, where_you_stand="undecided"),
            Stands(number=2, where_you_stand="firmly against"),
        ),
    )
    answered_with: ClassVar[str] = FeedBrowse.kind

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

    def offline(self, draw: Draw) -> SurveyReply:
        """Answer with the user's numeric beliefs, each in the nearest word."""
        stances = enumerate(map(stance_word, self.beliefs), 1)
        return SurveyReply(answers=tuple(Stands(number=n, where_you_stand=one) for n, one in stances))


@dataclass(frozen=True)
class AfterFeed(AfterRun):
    """Question to a user after the run, on what it was shown, opened and came to believe."""

    standings: Annotated[tuple[TopicOutcome, ...], Study]
    """Outcome of each topic for the user, in numbers."""
    kind: ClassVar[str] = "curated_feed.interview"
    example: ClassVar[Record] = AfterRunAnswer(
        answer="Mostly it showed me football, and I skipped nearly all of that."
    )

    def offline(self, draw: Draw) -> AfterRunAnswer:
        """Summarise the topics that the question names, or else the two on which beliefs moved most."""
        standings, asked = self.standings, self.asked
        if not standings:
            return self.answer("I cannot tell: there is no record of what I was shown or clicked.")
        named = [s for s in standings if wording.mentions_topic(asked, s)]
        moved = sorted(standings, key=lambda s: (-abs(s.now - s.first), -s.shown, s.topic))
        told = [wording.word_topic_stance(s) for s in (named or moved)[:2]]
        return self.answer(" ".join([wording.exposure_summary(standings), *told]))
