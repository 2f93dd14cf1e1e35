"""Question that asks for ratings of held-out items and of batteries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from openiir.kit.prompting import check_numbers, number_lines
from openiir.plugin import Draw, Question, Record
from openiir.scenarios.recommender.questions.browse import PageRecall
from openiir.scenarios.recommender.questions.page import MOST, CatalogueEntry, Fitted, Study
from openiir.scenarios.recommender.questions.wording import VERBS, reaction_to


class TitleStars(Record):
    """A rating of one title."""

    number: int = Field(ge=1, le=MOST)
    thoughts: str = Field("", max_length=240, description="how it would be for you, in a few words")
    stars: int = Field(ge=1, le=5)


class PageStars(Record):
    """Ratings of all titles shown."""

    grades: tuple[TitleStars, ...] = Field(min_length=1, max_length=MOST)


@dataclass(frozen=True, kw_only=True)
class RateTitles(Question[PageStars]):
    """Question to a visitor: how would you rate these titles?

    Every title gets a rating, so that errors are not biased by missing ones.
    """

    noun: str
    titles: tuple[CatalogueEntry, ...]
    remembered: PageRecall = PageRecall()
    expected: Annotated[tuple[float, ...], Fitted]
    """Rating that the visitor expects to give to each title, 1 to 5."""
    batch: Annotated[int, Study]
    """Number of the batch of titles, from 1."""
    usual: Annotated[float, Fitted]
    """Mean rating of the visitor, 1 to 5."""
    kind: ClassVar[str] = "recommender.rate"
    example: ClassVar[Record] = PageStars(
        grades=(
            TitleStars(number=1, thoughts="Cold and loud; I would leave early.", stars=2),
            TitleStars(number=2, thoughts="A quiet lake is what I like.", stars=4),
        )
    )

    def prompt(self) -> str:
        done = VERBS[self.noun][1]
        return f"""{self.remembered.words(f"the {self.noun}s below")}Suppose that you have {done} each of \
these {self.noun}s:
{number_lines(self.titles)}

How many stars, 1 to 5, do you give to each, as you would afterwards? Go through all of them one by one, \
also where you are unsure: first how it would be for you, then the stars."""

    def allowed(self) -> Mapping[str, Sequence[int]]:
        return {"TitleStars.number": range(1, len(self.titles) + 1)}

    def lengths(self) -> Mapping[str, int]:
        return {"grades": len(self.titles)}

    def check(self, reply: PageStars) -> None:
        check_numbers([g.number for g in reply.grades], len(self.titles), "grade")

    @property
    def subject(self) -> str:
        return f"batch {self.batch}"

    def offline(self, draw: Draw) -> PageStars:
        """Round the expected ratings to whole stars, halves upwards."""
        grades = []
        for number, (entry, expected) in enumerate(zip(self.titles, self.expected, strict=True), 1):
            stars = min(5, max(1, int(expected + 0.5)))
            how = reaction_to(entry.genres, stars, self.usual, self.noun)
            grades.append(TitleStars(number=number, thoughts=how, stars=stars))
        return PageStars(grades=tuple(grades))
