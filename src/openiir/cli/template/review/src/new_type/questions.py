"""Questions to reviewers, and the behaviour models that answer them offline.

A question holds facts, which its prompt tells in a person's words, and dispositions, marked with their
Source, which the offline answer alone reads.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from openiir.plugin import Draw, Id, Question, Record, Source, Stance, Stars, stance_number
from openiir.plugin.arguments import containment, cosine, sentences, stance, tf_idf, tokens

BIAS = 2.5
"""Points that full agreement with one's own view adds to a passage; our choice of size for the effect of
Mahoney (Cognitive Therapy and Research 1977), whose reviewers rated papers by their results."""
THOUGHTS = "what goes through your mind, in a sentence or two; nobody else reads it"


class Rating(Record):
    """A reviewer's rating of a passage."""

    thoughts: str = Field(max_length=400, description=THOUGHTS)
    score: int = Field(ge=0, le=10, description="0 is no support at all, 10 is as good as proof")


class Remark(Record):
    """What a reviewer tells another about a passage."""

    thoughts: str = Field(max_length=400, description=THOUGHTS)
    sentence: int = Field(ge=1, le=100, description="the number of the sentence that decides it for you")
    say: str = Field(min_length=1, max_length=600)


class Told(Record):
    """What a reviewer says after the review."""

    thoughts: str = Field(max_length=400, description=THOUGHTS)
    say: str = Field(min_length=1, max_length=600)


RATED = Rating(thoughts="Two of its numbers are about trams, and the rest is opinion.", score=4)


@dataclass(frozen=True)
class RatePassage(Question[Rating]):
    """Question to a reviewer: how much does this passage support the statement?"""

    statement: str
    passage_id: Id
    passage: str
    view: Stance
    """Where the reviewer stands on the statement."""
    kind: ClassVar[str] = "new-type.rate"
    example: ClassVar[Record | None] = RATED

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
        """Rate by topical match and direction of the passage, with noise and a bias towards one's view."""
        leans = stance(self.passage, self.statement)
        match = containment(tokens(self.statement), tokens(self.passage))
        bias = BIAS * stance_number(self.view) * leans
        score = 2 + 4 * match + 3 * leans + bias + draw.normal(sd=0.8)
        return Rating(thoughts="", score=max(0, min(10, round(score))))


@dataclass(frozen=True)
class Argue(Question[Remark]):
    """Question to a reviewer: what do you tell the other reviewer?"""

    statement: str
    sentences: tuple[str, ...]
    """The sentences of the passage, in order."""
    score: Stars
    """The reviewer's rating, of ten."""
    other: str
    """The other reviewer's name."""
    heard: str
    """What the other reviewer just said; empty for the first speaker."""
    kind: ClassVar[str] = "new-type.argue"
    example: ClassVar[Record | None] = Remark(
        thoughts="She will say that fares matter more; the timetable answers that.",
        sentence=2,
        say="The line is late because of one junction, so new drivers will not mend it.",
    )

    def prompt(self) -> str:
        numbered = "\n".join(f"{n}. {sentence}" for n, sentence in enumerate(self.sentences, 1))
        heard = f'{self.other} has just said: "{self.heard}"' if self.heard else "You speak first."
        return f"""You and {self.other} review a passage that is meant to support a statement.

The statement: "{self.statement}"

The passage, sentence by sentence:
{numbered}

You gave it {self.score:g} of 10. {heard}

Tell {self.other} which sentence decides it for you, and why, in one or two sentences of your own. Do not \
repeat what was said."""

    def allowed(self) -> Mapping[str, Sequence[int]]:
        return {"sentence": range(1, len(self.sentences) + 1)}

    def offline(self, draw: Draw) -> Remark:
        """Quote the unsaid sentence of the passage that leans most to the rating's side; ties by position."""
        side = 1 if self.score >= 5 else -1
        places = range(len(self.sentences))
        fresh = [n for n in places if self.sentences[n] not in self.heard] or places
        best = max(fresh, key=lambda n: side * stance(self.sentences[n], self.statement))
        say = f"{self.other}, I gave it {self.score:g}. {self.sentences[best]}"
        return Remark(thoughts="", sentence=best + 1, say=say[:600])


@dataclass(frozen=True)
class Revise(Question[Rating]):
    """Question to a reviewer: having heard the others, what is your rating now?"""

    statement: str
    passage_id: Id
    passage: str
    own: Stars
    others: Stars
    """Median rating of the other reviewers."""
    teller: str
    """The reviewer who talked to this one about it; empty where nobody did."""
    heard: str
    own_weight: Annotated[float, Source("study")]
    """Weight of one's own judgement against the others', 0 to 1."""
    kind: ClassVar[str] = "new-type.revise"
    example: ClassVar[Record | None] = RATED

    @property
    def subject(self) -> str:
        return self.passage_id

    def prompt(self) -> str:
        heard = f'{self.teller} told you: "{self.heard}"' if self.teller else "Nobody talked to you about it."
        return f"""You review passages that are meant to support a statement.

The statement: "{self.statement}"

The passage:
"{self.passage}"

You gave it {self.own:g} of 10. Of the other reviewers, half gave it {self.others:g} or more.
{heard}

What do you give it now? It is no failing to stay where you were."""

    def offline(self, draw: Draw) -> Rating:
        """Compute a weighted mean of one's own rating and the advice, rounded at random to keep its mean.

        Source: Yaniv & Kleinberger (OBHDP 2000), who found a weight of about 0.7 on one's own judgement.
        """
        weight = self.own_weight
        mean = weight * self.own + (1 - weight) * self.others
        return Rating(thoughts="", score=int(mean) + bool(draw.chance(mean % 1)))


@dataclass(frozen=True)
class AfterReview(Question[Told]):
    """Question to a reviewer after the review, on its part in it."""

    statement: str
    asked: str
    remarks: tuple[str, ...]
    """The reviewer's own remarks, in order."""
    kind: ClassVar[str] = "new-type.interview"
    example: ClassVar[Record | None] = Told(
        thoughts="They want to know about the timetable.", say="It was the timetable that settled it for me."
    )

    def prompt(self) -> str:
        said = "\n".join(f'- "{remark}"' for remark in self.remarks) or "Nothing: you only gave ratings."
        return f"""You have reviewed passages that were meant to support a statement.

The statement: "{self.statement}"

What you told the other reviewers:
{said}

Now you are asked: "{self.asked}"
What do you answer?"""

    def offline(self, draw: Draw) -> Told:
        """Quote the reviewer's remark most like the question (TF-IDF cosine), the earliest of equals."""
        remarks = self.remarks
        target, *own = tf_idf([self.asked, *remarks])
        likeness = [cosine(target, vector) for vector in own]
        if not likeness or max(likeness) == 0:
            return Told(thoughts="", say="Nothing I said in the review bears on that.")
        return Told(
            thoughts="", say=f"What I said bears on that: {remarks[likeness.index(max(likeness))]}"[:600]
        )


def sentences_of(passage: str) -> tuple[str, ...]:
    """Split a passage into its sentences, in order."""
    return tuple(passage[start:end] for start, end in sentences(passage)) or (passage,)
