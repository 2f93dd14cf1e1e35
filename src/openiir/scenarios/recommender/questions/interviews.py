"""How satisfied are you? (B14), and what a visitor tells after the run."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from openiir.kit.interviewing import AfterRunAnswer, AfterRunFacts
from openiir.kit.prompting import join_words
from openiir.plugin import Count, Draw, Facts, Question, Record
from openiir.scenarios.recommender import choice_model
from openiir.scenarios.recommender.questions.act import Opinion
from openiir.scenarios.recommender.questions.page import Study
from openiir.scenarios.recommender.wording import insight_words

RECALLED = 12
"""Titles taken that one recalls on leaving."""


class ExitRating(Record):
    """On leaving."""

    why: str = Field("", max_length=600, description="in one or two sentences")
    satisfied: int = Field(ge=1, le=10, description="1 not at all, 10 fully")


@dataclass(frozen=True)
class ExitInterviewFacts(Facts):
    """A visit as the visitor recalls it on leaving."""

    noun: str
    pages: Count
    shown: Count
    taken: tuple[Opinion, ...]
    """At most the latest RECALLED."""
    others: Count
    """How many were taken before these."""
    parting: str
    """What the visitor said last."""
    learnt: tuple[str, ...] = ()
    """What the visitor noticed when it looked back, the latest."""

    def prompt(self) -> str:
        pages = "one page" if self.pages == 1 else f"{self.pages} pages"
        others = f"; before that, {self.others} others" if self.others else ""
        parting = f' The last that you said was: "{self.parting}"' if self.parting else ""
        learnt = f"{insight_words(*self.learnt)}\n\n" if self.learnt else ""
        return f"""You have left the {self.noun} recommender. On {pages} you saw {self.shown} {self.noun}s and took \
{join_words([str(one) for one in self.taken]) or "none"}{others}.{parting}

{learnt}How satisfied are you with this recommender, from 1 (not at all) to 10 (fully), and why?"""


@dataclass(frozen=True)
class ExitInterviewDispositions:
    """What the offline visitor's satisfaction rests on."""

    gains: Annotated[tuple[float, ...], Study]
    """What each page gave, 0 to 1, three decimals."""
    liked: Annotated[str, Study] = ""
    """The first title that was liked."""


@dataclass(frozen=True)
class ExitInterview(Question[ExitRating]):
    """How satisfied are you with the recommender, from 1 to 10?"""

    facts: ExitInterviewFacts
    dispositions: ExitInterviewDispositions
    kind: ClassVar[str] = "recommender.interview"
    example: ClassVar[Record] = ExitRating(
        why="The guide knew the paths, but we waited a long time.", satisfied=6
    )

    def offline(self, draw: Draw) -> ExitRating:
        """Rate satisfaction by the peak-end rule, rounded."""
        facts, by = self.facts, self.dispositions
        satisfied = max(1, min(10, round(choice_model.peak_end_rating(by.gains))))
        tone = (
            "It knew what I like"
            if satisfied >= 7
            else "It was a mixed bag"
            if satisfied >= 4
            else "It hardly knew me"
        )
        best = f", such as {by.liked}" if by.liked else ""
        why = f"{tone}: I took {len(facts.taken) + facts.others} of {facts.shown} titles{best}."
        return ExitRating.of_own(why=why, satisfied=satisfied)


@dataclass(frozen=True)
class VisitSummary:
    """One visit, as the record has it."""

    system: str
    pages: Count
    shown: Count
    watched: Count
    liked: tuple[str, ...]
    """At most five titles."""
    satisfaction: Count | None
    """Of 10, on leaving."""
    reason: str


@dataclass(frozen=True)
class AfterVisitsDispositions:
    """A visitor's visits, as the record has them."""

    noun: Annotated[str, Study]
    visits: Annotated[tuple[VisitSummary, ...], Study]


@dataclass(frozen=True)
class AfterVisits(Question[AfterRunAnswer]):
    """What do you say, after the run, of your visits?"""

    facts: AfterRunFacts
    dispositions: AfterVisitsDispositions
    kind: ClassVar[str] = "recommender.after"
    example: ClassVar[Record] = AfterRunAnswer(
        answer="The first guide showed me what I wanted; the second one only talked."
    )

    def offline(self, draw: Draw) -> AfterRunAnswer:
        """Describe the visits to the recommenders that the question names, else the best and the worst visit."""
        visits, noun = self.dispositions.visits, self.dispositions.noun
        if not visits:
            return AfterRunAnswer(answer="I cannot tell: there is no record of a visit.")
        named = [v for v in visits if v.system in self.facts.asked.lower()]
        ranked = sorted(visits, key=lambda v: (-(v.satisfaction or 0), v.system))
        chosen: Sequence[VisitSummary] = named or ([ranked[0], ranked[-1]] if len(ranked) > 1 else ranked)
        return AfterRunAnswer(answer=" ".join(describe_visit(visit, noun) for visit in chosen)[:1_500])


def describe_visit(visit: VisitSummary, noun: str) -> str:
    """Describe a visit in a sentence or two."""
    liked = f" I liked {', '.join(visit.liked)}." if visit.liked else ""
    verdict = (
        f" On leaving I gave it {visit.satisfaction} of 10: {visit.reason}" if visit.satisfaction else ""
    )
    return f"At {visit.system} I saw {visit.shown} {noun}s on {visit.pages} pages and took {visit.watched}.{liked}{verdict}"
