"""Question of taste discrimination: which of these titles have you rated before?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from openiir.kit.prompting import check_numbers, number_lines
from openiir.plugin import Draw, Question, Record
from openiir.scenarios.recommender.questions.page import MOST, CatalogueEntry, Fitted, Study
from openiir.scenarios.recommender.questions.wording import VERBS, list_near_titles

Sureness = Literal["surely not", "probably not", "could be", "probably", "surely"]
SURENESS: tuple[Sureness, ...] = ("surely not", "probably not", "could be", "probably", "surely")
YES: frozenset[Sureness] = frozenset({"probably", "surely"})
"""Answers that count as a yes."""


class Recognition(Record):
    """Whether a visitor thinks it has met one title before."""

    number: int = Field(ge=1, le=MOST)
    thoughts: str = Field("", max_length=160, description="what speaks for it or against it, in a few words")
    met: Sureness


class Recognitions(Record):
    """Whether a visitor thinks it has met each title before."""

    titles: tuple[Recognition, ...] = Field(min_length=1, max_length=MOST)


@dataclass(frozen=True, kw_only=True)
class Recognise(Question[Recognitions]):
    """Question to a visitor: which of these items have you met before, and which not?"""

    noun: str
    titles: tuple[CatalogueEntry, ...]
    """Entries of the titles without summaries, comments and ratings of others."""
    recalled: tuple[str, ...] = ()
    """Memories: first rated titles similar to these, then others."""
    places: Annotated[tuple[float, ...], Fitted]
    """Percentile of each title's interest among the items the visitor might pick, three decimals."""
    sure: Annotated[float, Fitted]
    """Decision threshold for `places`, fitted on other users; three decimals."""
    task: Annotated[str, Study]
    """Name of this task in the log."""
    kind: ClassVar[str] = "recommender.recognise"
    example: ClassVar[Record] = Recognitions(
        titles=(
            Recognition(number=1, thoughts="A lake near the town where I grew up.", met="surely"),
            Recognition(number=2, thoughts="Too far north for me.", met="probably not"),
        )
    )

    def prompt(self) -> str:
        watched = VERBS[self.noun][1]
        return f"""Some of the {self.noun}s below you have {watched} and rated in the past; the others you \
never came across.

{list_near_titles(f"the {self.noun}s below", self.recalled)}The {self.noun}s:
{number_lines(self.titles)}

Go through them one by one: would somebody with your taste and habits have come across it and {watched} it? \
Then say whether you have met it."""

    def allowed(self) -> Mapping[str, Sequence[int]]:
        return {"Recognition.number": range(1, len(self.titles) + 1)}

    def lengths(self) -> Mapping[str, int]:
        return {"titles": len(self.titles)}

    def check(self, reply: Recognitions) -> None:
        check_numbers([one.number for one in reply.titles], len(self.titles), "answer")

    @property
    def subject(self) -> str:
        return self.task

    def offline(self, draw: Draw) -> Recognitions:
        """Answer `probably` at or above the decision threshold, else `probably not`."""
        met = ["probably" if place >= self.sure else "probably not" for place in self.places]
        titles = [Recognition.of_own(number=n, thoughts="", met=one) for n, one in enumerate(met, 1)]
        return Recognitions.of_own(titles=tuple(titles))
