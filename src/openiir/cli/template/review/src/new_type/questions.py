"""Questions to reviewers, and the behaviour models that answer them offline.

A question holds facts, which its prompt tells in a person's words, and dispositions, marked with their
Source, which the offline answer alone reads.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from openiir.plugin import Draw, Id, Question, Record, Source, Stance, stance_number
from openiir.plugin.arguments import containment, cosine, stance, tf_idf, tokens

THOUGHTS = "what goes through your mind, in a sentence or two; nobody else reads it"


class Rating(Record):
    """A reviewer's rating of a passage."""

    thoughts: str = Field(max_length=400, description=THOUGHTS)
    score: int = Field(ge=0, le=10, description="0 is no support at all, 10 is as good as proof")


class Told(Record):
    """What a reviewer says after the review."""

    thoughts: str = Field(max_length=400, description=THOUGHTS)
    say: str = Field(min_length=1, max_length=600)


@dataclass(frozen=True)
class RatePassage(Question[Rating]):
    """Question to a reviewer: how much does this passage support the statement?"""

    statement: str
    passage_id: Id
    passage: str
    view: Stance
    """Where the reviewer stands on the statement."""
    bias: Annotated[float, Source("study")]
    """Points that full agreement with one's own view adds to a passage."""
    kind: ClassVar[str] = "new-type.rate"
    example: ClassVar[Record | None] = Rating(
        thoughts="Two of its numbers are about trams, and the rest is opinion.", score=4
    )

    @property
    def subject(self) -> str:
        return self.passage_id

    def prompt(self) -> str:
        return f"""You review passages that are meant to support a statement.

The statement: "{self.statement}"
Where you stand on it: {self.view}.

The passage:
"{self.passage}"

How well does the passage support the statement?"""

    def offline(self, draw: Draw) -> Rating:
        """Rate by topical match and direction of the passage, with noise and a bias towards one's view.

        Reviewers rate by results that agree with them: Mahoney, Cognitive Therapy and Research 1977.
        """
        leans = stance(self.passage, self.statement)
        match = containment(tokens(self.statement), tokens(self.passage))
        agrees = self.bias * stance_number(self.view) * leans
        score = 2 + 4 * match + 3 * leans + agrees + draw.normal(sd=0.8)
        return Rating(thoughts="", score=max(0, min(10, round(score))))


@dataclass(frozen=True)
class AfterReview(Question[Told]):
    """Question to a reviewer after the review, on the passages that it rated."""

    statement: str
    asked: str
    rated: tuple[str, ...]
    """The passages, in order, each with the reviewer's rating."""
    kind: ClassVar[str] = "new-type.interview"
    example: ClassVar[Record | None] = Told(
        thoughts="They want to know about the timetable.", say="It was the timetable that settled it for me."
    )

    def prompt(self) -> str:
        rated = "\n".join(f"- {passage}" for passage in self.rated) or "- none"
        return f"""You have reviewed passages that were meant to support a statement.

The statement: "{self.statement}"

What you rated, of ten:
{rated}

Now you are asked: "{self.asked}"
What do you answer?"""

    def offline(self, draw: Draw) -> Told:
        """Quote the rated passage most like the question (TF-IDF cosine), the earliest of equals."""
        target, *own = tf_idf([self.asked, *self.rated])
        likeness = [cosine(target, vector) for vector in own]
        if not likeness or max(likeness) == 0:
            return Told(thoughts="", say="Nothing that I rated bears on that.")
        return Told(thoughts="", say=f"I think of this: {self.rated[likeness.index(max(likeness))]}"[:600])
