"""How good was this dialogue, in one respect, from 1 to 5? (asked of a judge)"""

import math
from dataclasses import dataclass
from typing import ClassVar

from pydantic import Field

from openiir.plugin import Draw, Record, Unsplit
from openiir.scenarios.conversational.actions import Aspect
from openiir.scenarios.conversational.judging.estimates import grade
from openiir.scenarios.conversational.judging.talk import Talk


class Grade(Record):
    """The judge's answer."""

    score: int = Field(ge=1, le=5)
    explanation: str = Field("", max_length=600)


@dataclass(frozen=True)
class JudgeDialogue(Unsplit[Grade]):
    """One aspect of one dialogue."""

    talk: Talk
    aspect: Aspect
    worst_first: bool = False
    """Whether the grades are told from 1 to 5 instead of from 5 to 1."""
    kind: ClassVar[str] = "conversational.judge"
    Reply: ClassVar[type[Record]] = Grade

    @property
    def subject(self) -> str:
        return self.aspect

    def system(self) -> str:
        return "You judge dialogues between users and systems that recommend items. You judge the system, never the user."

    def prompt(self) -> str:
        what, grades = RUBRICS[self.aspect]
        lines = [f"{n} {words}" for n, words in zip((5, 4, 3, 2, 1), grades, strict=True)]
        scale = "\n".join(reversed(lines) if self.worst_first else lines)
        return f"""Here is a dialogue; what a turn does stands in brackets where that is known.

{self.talk.words()}

Judge this alone: {what} Grades:
{scale}

Give the grade as a whole number, and say in one or two sentences what it rests on. Length and politeness earn nothing."""

    def offline(self, draw: Draw) -> Grade:
        """The grade reckoned as in `judging.estimates`, rounded, halves up."""
        found = grade(self.talk, self.aspect)
        return Grade(score=math.floor(found.grade + 0.5), explanation=f"{found.why} ({found.grade:.2f})"[:600])


RUBRICS: dict[Aspect, tuple[str, tuple[str, str, str, str, str]]] = {
    "relevance": (
        "do the items that it recommended suit what this user was after?",
        (
            "every one of them does",
            "most do; one or two are beside the point",
            "about as many do as do not",
            "hardly any does",
            "none does, or nothing was recommended",
        ),
    ),
    "style": (
        "does it put things clearly and briefly?",
        (
            "each turn can be taken in at once",
            "a turn here or there is vague or too long",
            "a good part of its turns is vague or too long",
            "one has to work out what most turns mean",
            "one cannot tell what it means",
        ),
    ),
    "fluency": (
        "is its language sound and natural?",
        (
            "it reads as if a person had written it",
            "sound, with a stiff phrase or two",
            "stiff or faulty in several places",
            "stiff or faulty almost everywhere",
            "broken language or one phrase over and over",
        ),
    ),
    "flow": (
        "does each of its turns follow from what was said before?",
        (
            "all do, and nothing has to be said twice",
            "nearly all do",
            "several do not, or questions come back",
            "most ignore what the user has just said",
            "the turns have nothing to do with one another",
        ),
    ),
    "satisfaction": (
        "all in all, how content would this user be?",
        (
            "would gladly come back to it",
            "content, with something small to complain of",
            "neither content nor annoyed",
            "rather annoyed",
            "would never use it again",
        ),
    ),
}
"""By aspect: what is judged, and what grades 5 to 1 mean."""
