"""How would you rate these? (forced ratings of held-out items and in the middle of visits)"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from openiir.kit.prompting import number_lines
from openiir.plugin import Draw, Facts, Question, Record
from openiir.scenarios.recommender.questions.browse import Remembered
from openiir.scenarios.recommender.questions.page import (
    MOST,
    Fitted,
    Study,
    TitleFacts,
    check_numbers,
)
from openiir.scenarios.recommender.wording import VERBS, reaction_to


class Grade(Record):
    """Of one title."""

    number: int = Field(ge=1, le=MOST)
    thoughts: str = Field("", max_length=240, description="how it would be for you, in a few words")
    stars: int = Field(ge=1, le=5)


class Grades(Record):
    """Of each title."""

    grades: tuple[Grade, ...] = Field(min_length=1, max_length=MOST)


@dataclass(frozen=True)
class RateFacts(Facts):
    """Titles to rate, and what comes to mind at them."""

    noun: str
    titles: tuple[TitleFacts, ...]
    remembered: Remembered = Remembered()

    def prompt(self) -> str:
        done = VERBS[self.noun][1]
        return f"""{self.remembered.words()}Suppose that you have {done} each of these {self.noun}s:
{number_lines(self.titles)}

How many stars, 1 to 5, do you give to each, as you would afterwards? Go through all of them one by one, also where you \
are unsure: first how it would be for you, then the stars."""

    def allowed(self) -> Mapping[str, Sequence[int]]:
        return {"Grade.number": range(1, len(self.titles) + 1)}

    def check(self, reply: Grades) -> None:
        check_numbers([g.number for g in reply.grades], len(self.titles), "grade")


@dataclass(frozen=True)
class RateDispositions:
    """What the offline visitor rates by."""

    expected: Annotated[tuple[float, ...], Fitted]
    """The rating it expects to give to each title, 1 to 5."""
    batch: Annotated[int, Study]
    """Which of the batches it is, from 1."""


@dataclass(frozen=True)
class Rate(Question[Grades]):
    """How would you rate these? Every title gets a rating, so that no error hides in what is left out."""

    facts: RateFacts
    dispositions: RateDispositions
    kind: ClassVar[str] = "recommender.rate"
    Reply: ClassVar[type[Record]] = Grades
    example: ClassVar[Record] = Grades(
        grades=(
            Grade(number=1, thoughts="Cold and loud; I would leave early.", stars=2),
            Grade(number=2, thoughts="A quiet lake is what I like.", stars=4),
        )
    )

    @property
    def subject(self) -> str:
        return f"batch {self.dispositions.batch}"

    def offline(self, draw: Draw) -> Grades:
        """The rating nearest to what is expected, halves upwards."""
        facts = self.facts
        return Grades(
            grades=tuple(
                Grade(number=n, thoughts=reaction_to(title.entry.genres, stars, facts.noun), stars=stars)
                for n, (title, expected) in enumerate(
                    zip(facts.titles, self.dispositions.expected, strict=True), 1
                )
                for stars in [min(5, max(1, int(expected + 0.5)))]
            )
        )
