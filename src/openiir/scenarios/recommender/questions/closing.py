"""How satisfied are you? (B14), and what a visitor tells after the run."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from openiir.kit.prompting import bullet_lines, join_words
from openiir.plugin import Count, Draw, Facts, Question, Record
from openiir.scenarios.recommender import brain
from openiir.scenarios.recommender.questions.act import Opinion
from openiir.scenarios.recommender.questions.page import Study
from openiir.scenarios.recommender.wording import bullets

RECALLED = 12
"""Titles taken that one recalls on leaving."""


class Satisfied(Record):
    """On leaving."""

    why: str = Field("", max_length=600, description="in one or two sentences")
    satisfied: int = Field(ge=1, le=10, description="1 not at all, 10 fully")


@dataclass(frozen=True)
class InterviewFacts(Facts):
    """A visit, as who paid it recalls it on leaving."""

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
        return f"""You have left the {self.noun} recommender. On {pages} you saw {self.shown} {self.noun}s and took \
{join_words([str(one) for one in self.taken]) or "none"}{others}.{parting}

{bullets("When you looked back:", self.learnt)}How satisfied are you with this recommender, from 1 (not at all) to 10 (fully), and why?"""


@dataclass(frozen=True)
class InterviewDispositions:
    """What the offline visitor's satisfaction rests on."""

    gains: Annotated[tuple[float, ...], Study]
    """What each page gave, 0 to 1, three decimals."""
    liked: Annotated[str, Study] = ""
    """The first title that was liked."""


@dataclass(frozen=True)
class Interview(Question[Satisfied]):
    """How satisfied are you with the recommender, from 1 to 10?"""

    facts: InterviewFacts
    dispositions: InterviewDispositions
    kind: ClassVar[str] = "recommender.interview"
    Reply: ClassVar[type[Record]] = Satisfied
    example: ClassVar[Record] = Satisfied(
        why="The guide knew the paths, but we waited a long time.", satisfied=6
    )

    def offline(self, draw: Draw) -> Satisfied:
        """The peak-end rule, rounded."""
        facts, by = self.facts, self.dispositions
        satisfied = max(1, min(10, round(brain.interview(by.gains))))
        tone = (
            "It knew what I like"
            if satisfied >= 7
            else "It was a mixed bag"
            if satisfied >= 4
            else "It hardly knew me"
        )
        best = f", such as {by.liked}" if by.liked else ""
        why = f"{tone}: I took {len(facts.taken) + facts.others} of {facts.shown} titles{best}."
        return Satisfied.of_own(why=why, satisfied=satisfied)


class Told(Record):
    """An answer after the run."""

    answer: str = Field(min_length=1, max_length=1_500)


@dataclass(frozen=True)
class VisitTold:
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
    moods: tuple[str, ...] = ()
    """How it felt after each page, in its own words."""


@dataclass(frozen=True)
class AfterFacts(Facts):
    """A visitor's visits, and what is asked of them."""

    asked: str
    noun: str
    visits: tuple[VisitTold, ...]

    def prompt(self) -> str:
        told = bullet_lines([_recalled(visit, self.noun) for visit in self.visits])
        return f"""You have tried {self.noun} recommenders. This is what you told of your visits:
{told or "- nothing"}

Now you are asked: {self.asked}
Answer from what you remember of them, in one to four sentences. Say so where it does not speak to the question."""


@dataclass(frozen=True)
class AfterVisits(Question[Told]):
    """What do you say, after the run, of your visits?"""

    facts: AfterFacts
    kind: ClassVar[str] = "recommender.after"
    Reply: ClassVar[type[Record]] = Told
    example: ClassVar[Record] = Told(
        answer="The first guide showed me what I wanted; the second one only talked."
    )

    def offline(self, draw: Draw) -> Told:
        """Tells the visits to the recommenders that the question names; of the best and the worst where it names none."""
        visits, noun = self.facts.visits, self.facts.noun
        if not visits:
            return Told(answer="I cannot tell: there is no record of a visit.")
        named = [v for v in visits if v.system in self.facts.asked.lower()]
        ranked = sorted(visits, key=lambda v: (-(v.satisfaction or 0), v.system))
        chosen: Sequence[VisitTold] = named or ([ranked[0], ranked[-1]] if len(ranked) > 1 else ranked)
        return Told(answer=" ".join(visit_words(visit, noun) for visit in chosen)[:1_500])


def visit_words(visit: VisitTold, noun: str) -> str:
    """A visit in a sentence or two."""
    liked = f" I liked {', '.join(visit.liked)}." if visit.liked else ""
    verdict = (
        f" On leaving I gave it {visit.satisfaction} of 10: {visit.reason}" if visit.satisfaction else ""
    )
    return f"At {visit.system} I saw {visit.shown} {noun}s on {visit.pages} pages and took {visit.watched}.{liked}{verdict}"


def _recalled(visit: VisitTold, noun: str) -> str:
    """A visit with how it felt."""
    moods = f" After the pages I felt: {', '.join(visit.moods)}." if visit.moods else ""
    return visit_words(visit, noun) + moods
