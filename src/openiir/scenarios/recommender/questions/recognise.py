"""Which of these have you met before? (taste discrimination)"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from openiir.kit.prompting import number_lines
from openiir.plugin import Draw, Facts, Question, Record
from openiir.scenarios.recommender.questions.page import (
    MOST,
    Fitted,
    Study,
    TitleFacts,
    check_numbers,
)
from openiir.scenarios.recommender.wording import VERBS, bullets

Sureness = Literal["surely not", "probably not", "could be", "probably", "surely"]
SURENESS: tuple[Sureness, ...] = ("surely not", "probably not", "could be", "probably", "surely")
YES: frozenset[Sureness] = frozenset({"probably", "surely"})
"""What counts as a yes."""


class Recognised(Record):
    """On one title."""

    number: int = Field(ge=1, le=MOST)
    thoughts: str = Field("", max_length=160, description="what speaks for it or against it, in a few words")
    met: Sureness


class Recognitions(Record):
    """On each title."""

    titles: tuple[Recognised, ...] = Field(min_length=1, max_length=MOST)


@dataclass(frozen=True)
class RecogniseFacts(Facts):
    """Titles, of which somebody has met some."""

    noun: str
    titles: tuple[TitleFacts, ...]
    recalled: tuple[str, ...] = ()
    """What comes to mind at these titles, the nearest first."""

    def prompt(self) -> str:
        watched = VERBS[self.noun][1]
        return f"""Some of the {self.noun}s below you have {watched} and rated in the past; the others you never came across.

{bullets("What comes to your mind:", self.recalled)}The {self.noun}s:
{number_lines(self.titles)}

Go through them one by one: would somebody with your taste and habits have come across it and {watched} it? Then say \
whether you have met it."""

    def allowed(self) -> Mapping[str, Sequence[int]]:
        return {"Recognised.number": range(1, len(self.titles) + 1)}

    def check(self, reply: Recognitions) -> None:
        check_numbers([one.number for one in reply.titles], len(self.titles), "answer")


@dataclass(frozen=True)
class RecogniseDispositions:
    """What the offline visitor says yes by."""

    places: Annotated[tuple[float, ...], Fitted]
    """How near each title is to the visitor's taste: the share of all items that are less so, three decimals."""
    sure: Annotated[float, Fitted]
    """The place from which on others like the visitor were mostly right to say yes; three decimals."""
    task: Annotated[str, Study]
    """What the log calls this task."""


@dataclass(frozen=True)
class Recognise(Question[Recognitions]):
    """Which of these items have you met, and which not?"""

    facts: RecogniseFacts
    dispositions: RecogniseDispositions
    kind: ClassVar[str] = "recommender.recognise"
    Reply: ClassVar[type[Record]] = Recognitions
    example: ClassVar[Record] = Recognitions(
        titles=(
            Recognised(number=1, thoughts="A lake near the town where I grew up.", met="surely"),
            Recognised(number=2, thoughts="Too far north for me.", met="probably not"),
        )
    )

    @property
    def subject(self) -> str:
        return self.dispositions.task

    def offline(self, draw: Draw) -> Recognitions:
        """Probably from the threshold on, which was fitted on other users, and probably not below."""
        by = self.dispositions
        return Recognitions.of_own(
            titles=tuple(
                [
                    Recognised.of_own(
                        number=n, thoughts="", met="probably" if place >= by.sure else "probably not"
                    )
                    for n, place in enumerate(by.places, 1)
                ]
            )
        )
