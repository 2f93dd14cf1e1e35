"""Questions of the exit interview (B14) and of the interview after the run."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from openiir.kit.interviewing import AfterRun, AfterRunAnswer
from openiir.kit.prompting import join_words
from openiir.plugin import Count, Draw, Question, Record
from openiir.scenarios.recommender.model import choice_model
from openiir.scenarios.recommender.questions.act import Opinion
from openiir.scenarios.recommender.questions.page import Study
from openiir.scenarios.recommender.questions.wording import insight_words

RECALLED = 12
"""Number of taken titles listed in the exit interview."""


class ExitRating(Record):
    """A visitor's satisfaction rating on leaving."""

    why: str = Field("", max_length=600, description="in one or two sentences")
    satisfied: int = Field(ge=1, le=10, description="1 not at all, 10 fully")


@dataclass(frozen=True, kw_only=True)
class ExitInterview(Question[ExitRating]):
    """Question to a visitor on leaving: how satisfied are you with the recommender, from 1 to 10?"""

    noun: str
    pages: Count
    shown: Count
    taken: tuple[Opinion, ...]
    """Latest titles taken, at most RECALLED."""
    others: Count
    """Number of titles taken before these."""
    parting: str
    """Last remark of the visitor."""
    learnt: tuple[str, ...] = ()
    """Latest insights of the visitor."""
    gains: Annotated[tuple[float, ...], Study]
    """Gain of each page, 0 to 1, three decimals."""
    liked: Annotated[str, Study] = ""
    """First title that was liked."""
    kind: ClassVar[str] = "recommender.interview"
    example: ClassVar[Record] = ExitRating(
        why="The guide knew the paths, but we waited a long time.", satisfied=6
    )

    def prompt(self) -> str:
        pages = "one page" if self.pages == 1 else f"{self.pages} pages"
        others = f"; before that, {self.others} others" if self.others else ""
        parting = f' The last that you said was: "{self.parting}"' if self.parting else ""
        learnt = f"{insight_words(*self.learnt)}\n\n" if self.learnt else ""
        return f"""You have left the {self.noun} recommender. On {pages} you saw {self.shown} {self.noun}s \
and took {join_words([str(one) for one in self.taken]) or "none"}{others}.{parting}

{learnt}How satisfied are you with this recommender, from 1 (not at all) to 10 (fully), and why?"""

    def offline(self, draw: Draw) -> ExitRating:
        """Rate satisfaction by the peak-end rule, rounded to a whole number."""
        satisfied = max(1, min(10, round(choice_model.peak_end_rating(self.gains))))
        tones = ((7, "It knew what I like"), (4, "It was a mixed bag"), (1, "It hardly knew me"))
        tone = next(words for least, words in tones if satisfied >= least)
        best = f", such as {self.liked}" if self.liked else ""
        why = f"{tone}: I took {len(self.taken) + self.others} of {self.shown} titles{best}."
        return ExitRating.of_own(why=why, satisfied=satisfied)


@dataclass(frozen=True)
class VisitSummary:
    """Summary of one visit from the log."""

    system: str
    pages: Count
    shown: Count
    watched: Count
    liked: tuple[str, ...]
    """Titles liked, at most five."""
    satisfaction: Count | None
    """Satisfaction on leaving, 1 to 10."""
    reason: str


@dataclass(frozen=True)
class AfterVisits(AfterRun):
    """Question to a visitor after the run, about its visits."""

    noun: Annotated[str, Study]
    visits: Annotated[tuple[VisitSummary, ...], Study]
    """Summaries of the visitor's visits from the log."""
    kind: ClassVar[str] = "recommender.after"
    example: ClassVar[Record] = AfterRunAnswer(
        answer="The first guide showed me what I wanted; the second one only talked."
    )

    def offline(self, draw: Draw) -> AfterRunAnswer:
        """Describe the visits to recommenders that the question names, else the best and worst visit."""
        visits, noun = self.visits, self.noun
        if not visits:
            return self.answer("I cannot tell: there is no record of a visit.")
        named = [v for v in visits if v.system in self.asked.lower()]
        ranked = sorted(visits, key=lambda v: (-(v.satisfaction or 0), v.system))
        chosen: Sequence[VisitSummary] = named or ([ranked[0], ranked[-1]] if len(ranked) > 1 else ranked)
        return self.answer(" ".join(describe_visit(visit, noun) for visit in chosen))


def describe_visit(visit: VisitSummary, noun: str) -> str:
    """Describe a visit in a sentence or two."""
    liked = f" I liked {', '.join(visit.liked)}." if visit.liked else ""
    given = visit.satisfaction
    verdict = f" On leaving I gave it {given} of 10: {visit.reason}" if given else ""
    return f"At {visit.system} I saw {visit.shown} {noun}s on {visit.pages} pages and took \
{visit.watched}.{liked}{verdict}"
