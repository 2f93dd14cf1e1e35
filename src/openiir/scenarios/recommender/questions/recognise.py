"""Which of these have you met before? (taste discrimination)"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from openiir.plugin import Draw, Record, Unsplit
from openiir.scenarios.recommender.questions.page import MOST
from openiir.scenarios.recommender.wording import VERBS, bullets

Number = Annotated[int, Field(ge=1, le=MOST)]


class Met(Record):
    """Numbers of the items that were met before."""

    numbers: tuple[Number, ...] = Field((), max_length=MOST)


@dataclass(frozen=True)
class Candidate:
    """An item that was met or not."""

    item: str
    title: str
    genres: tuple[str, ...]
    place: float
    """How near it is to the visitor's taste: the share of all items that are less so, three decimals."""


@dataclass(frozen=True)
class Recognise(Unsplit[Met]):
    """Which of these items have you interacted with, and which not?"""

    noun: str
    task: str
    items: tuple[Candidate, ...]
    sure: float
    """The place from which on others like the visitor were mostly right to say yes; three decimals."""
    memories: tuple[str, ...] = ()
    kind: ClassVar[str] = "recommender.recognise"
    Reply: ClassVar[type[Record]] = Met

    @property
    def subject(self) -> str:
        return self.task

    def prompt(self) -> str:
        watched = VERBS[self.noun][1]
        lines = "\n".join(
            f"{n}. {c.title} ({', '.join(c.genres).lower() or 'no genre'}): nearer to your taste than {c.place:.1%} of all"
            for n, c in enumerate(self.items, 1)
        )
        return f"""Some of these {self.noun}s you have {watched} and rated in the past; the others you never met.

{bullets('What comes to your mind:', self.memories)}{lines}

People who said yes to {self.noun}s from {self.sure:.1%} upwards, and no below, were right most often.
Give the numbers of those you have {watched}, and leave out the others."""

    def offline(self, draw: Draw) -> Met:
        """Yes from the threshold on, which was fitted on other users."""
        return Met(numbers=tuple(n for n, c in enumerate(self.items, 1) if c.place >= self.sure))

    def allowed(self) -> Mapping[str, Sequence[int]]:
        return {"numbers": range(1, len(self.items) + 1)}
