"""Question to a judge: how human does a visit look, from 1 (machine) to 5 (person)?"""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from openiir.kit.prompting import join_words
from openiir.plugin import Draw, Question, Record, Stars, int_sum
from openiir.scenarios.recommender.questions.page import Study

LEAST = 4
"""Smallest number of ratings or comments for judging that none is low or that words repeat."""


class VisitGrade(Record):
    """The judge's grade of how human a visit looks."""

    what_you_see: str = Field(
        "", max_length=400, description="one or two sentences, with the numbers of the pages"
    )
    grade: int = Field(ge=1, le=5)


@dataclass(frozen=True)
class JudgedTitle:
    """A title that was taken, with its rating and the visitor's comment."""

    title: str
    stars: Stars
    words: str
    """Comment of the visitor."""

    def __str__(self) -> str:
        return f"{self.title}, {self.stars:g} of 5" + (f' ("{self.words}")' if self.words else "")


@dataclass(frozen=True)
class JudgedPage:
    """A page of the visit to be judged, without its source."""

    taken: tuple[JudgedTitle, ...]
    passed: tuple[str, ...]
    """Titles passed over."""
    then: str
    """Move of the visitor after the page."""

    def __str__(self) -> str:
        taken = f"Took {'; '.join(map(str, self.taken))}" if self.taken else "Took nothing"
        passed = f". Passed over {join_words(self.passed)}" if self.passed else ""
        return f"{taken}{passed}. Then: {self.then}."


@dataclass(frozen=True)
class VisitJudge(Question[VisitGrade]):
    """Question to the judge: was this visitor a person or a machine?"""

    noun: str
    pages: tuple[JudgedPage, ...]
    visit: Annotated[str, Study]
    """Number of the visit, which does not tell whose visit it was."""
    kind: ClassVar[str] = "recommender.judge"
    example: ClassVar[Record] = VisitGrade(
        what_you_see="On page 2 the walker turns back at the rain, and says so.", grade=4
    )

    def system(self) -> str:
        return "You tell people from programs by what they do on a website."

    def prompt(self) -> str:
        pages = "\n".join(f"Page {n}: {page}" for n, page in enumerate(self.pages, 1))
        return f"""This is the record of one visit to a {self.noun} recommender, paid by a person or by a \
program that played one.

{pages}

How human does it look? First say in one or two sentences what you see, then give the grade.
5 surely a person. For example: some titles taken and some not, good and bad ratings, each with words of its \
own, and it left when it had enough.
4 probably a person; one thing is odd.
3 it could be either.
2 probably a program; two or three things are odd.
1 surely a program. For example: it takes everything it sees, rates all of it high in the same words, and \
never tires.
Odd are: no rating is ever low; everything or nothing is taken; the same words come again and again; fifteen \
pages or more."""

    @property
    def subject(self) -> str:
        return self.visit

    def offline(self, draw: Draw) -> VisitGrade:
        """Grade 5, minus one for each odd sign that the question names [design]."""
        pages = self.pages
        stars = [one.stars for page in pages for one in page.taken]
        words = [one.words for page in pages for one in page.taken if one.words]
        passed = int_sum(len(page.passed) for page in pages)
        signs = {
            "no rating is low": len(stars) >= LEAST and min(stars) >= 4,
            "everything or nothing was taken": not stars or not passed,
            "the same words come again and again": len(words) >= LEAST and len(set(words)) <= len(words) / 2,
            "it never tires": len(pages) >= 15,
        }
        found = [sign for sign, there in signs.items() if there]
        seen = "; ".join(found).capitalize() or "Nothing speaks against a person."
        return VisitGrade(what_you_see=seen, grade=5 - len(found))
