"""What readers of a post are asked, and the behaviour model of the crowd and of all who answer offline."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from openiir.kit.prompting import bullet_lines, count_noun
from openiir.plugin import Columns, ConfigTable, Count, CrowdQuestion, Draw, Record, Source, Stance

READ_ON, LIKE, AGREE, OBJECT = range(4)
NOT_MOVED, TOWARDS, AWAY = range(3)


class Temper(ConfigTable):
    """How members react offline. Distances are steps between the seven stances."""

    confidence: int = Field(3, ge=0, le=6)
    """Largest distance of a post that a reader likes, agrees with, or is moved by."""
    pull: float = Field(0.2, ge=0, le=1)
    """Chance that a post moves a reader by one step, for each step between them, up to certainty."""
    like: float = Field(0.15, ge=0, le=1)
    """Chance that a reader likes a post within its confidence."""
    answer: float = Field(0.03, ge=0, le=1)
    """Chance that a reader answers a post."""


class Reaction(Record):
    """What a reader does with a post, and whether the post moves it."""

    thoughts: str = Field("", max_length=400, description="what goes through your mind; nobody else reads it")
    does: Literal["read on", "like it", "answer that you agree", "answer that you object"]
    says: str = Field("", max_length=280, description="your answer; empty if you give none")
    moves: Literal["not at all", "towards its side", "away from its side"]


@dataclass(frozen=True)
class React(CrowdQuestion[Reaction]):
    """What do you do with this post?"""

    statement: str
    stands: Stance
    remembered: tuple[str, ...]
    author: str
    text: str
    likes: Count
    distance: Annotated[int, Source("drawn")]
    """Steps from the reader's stance to the firm stance of the post: 0 to 6."""
    behaviour: Temper
    kind: ClassVar[str] = "new-type.react"
    example: ClassVar[Record | None] = Reaction(
        thoughts="He says the bridge is shut, but I crossed it this morning.",
        does="answer that you object",
        says="I crossed the bridge at eight. It is open.",
        moves="not at all",
    )

    def prompt(self) -> str:
        return f"""You look at what your neighbours post. Many of them talk about this: "{self.statement}"
Where you stand on it: {self.stands}.

What you remember of it:
{bullet_lines(self.remembered or ["You have read nothing about it yet."])}

{self.author} posted this, and {count_noun(self.likes, "neighbour")} liked it:
"{self.text}"

What do you do with the post? Does it move you on the question?"""

    @classmethod
    def answer_columns(cls, columns: Columns, draw: Draw, behaviour: Temper) -> Columns:
        """Bounded confidence: only near posts are liked (Del Vicario et al., PNAS 2016) and move a reader.

        The move is that of Deffuant et al. (Adv. Complex Syst. 2000), rounded at random to whole steps.
        """
        near, act = columns["distance"] <= behaviour.confidence, draw.uniform()
        answers, likes = act < behaviour.answer, near & (act < behaviour.answer + behaviour.like)
        does = np.select([answers & near, answers, likes], [AGREE, OBJECT, LIKE], READ_ON)
        moved = near & draw.at("moves").chance(behaviour.pull * columns["distance"])
        return {"does": does, "moves": np.where(moved, TOWARDS, NOT_MOVED)}
