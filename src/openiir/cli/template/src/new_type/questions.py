"""What reviewers are asked, and how they answer offline."""

from dataclasses import dataclass
from typing import ClassVar

from pydantic import Field

from openiir.plugin import Draw, Record, Unsplit
from openiir.plugin.arguments import containment, cosine, sentences, stance, tf_idf, tokens

BIAS = 2.5
"""Points that full agreement with one's own view adds to a passage; our choice of size for the effect of
Mahoney (Cognitive Therapy and Research 1977), whose reviewers rated papers by whether they liked the result."""
OWN_WEIGHT = 0.7
"""Weight of one's own judgement against advice: about 0.7 in Yaniv & Kleinberger (OBHDP 2000)."""


class Rating(Record):
    """A reviewer's rating of a passage."""

    score: int = Field(ge=0, le=10)
    """0: no support for the statement at all; 10: as good as proof."""


class Remark(Record):
    """What a reviewer tells another about a passage."""

    text: str = Field(min_length=1, max_length=600)


@dataclass(frozen=True)
class Rate(Unsplit[Rating]):
    """How much does this passage support the statement?"""

    statement: str
    passage_id: str
    passage: str
    view: float
    """The reviewer's own on the statement, -1 to 1."""
    kind: ClassVar[str] = "new-type.rate"
    Reply: ClassVar[type[Record]] = Rating

    @property
    def subject(self) -> str:
        return self.passage_id

    def prompt(self) -> str:
        return f"""You review passages that are to support a statement.
Statement: {self.statement}
Your own view of it is {self.view:+.4f} (-1 against, +1 for).

Passage {self.passage_id}: {self.passage}

How much does the passage support the statement, from 0 (not at all) to 10 (as good as proof)?"""

    def offline(self, draw: Draw) -> Rating:
        """Topical match and direction of the passage, bent towards the reviewer's view (see BIAS), with noise."""
        leans = stance(self.passage, self.statement)
        match = containment(tokens(self.statement), tokens(self.passage))
        score = 2 + 4 * match + 3 * leans + BIAS * self.view * leans + draw.normal(sd=0.8)
        return Rating(score=max(0, min(10, round(score))))


@dataclass(frozen=True)
class Argue(Unsplit[Remark]):
    """What do you tell the other reviewer?"""

    statement: str
    passage: str
    score: int
    other: str
    """The other reviewer's name."""
    heard: str
    """What the other just said; empty for whoever opens."""
    kind: ClassVar[str] = "new-type.argue"
    Reply: ClassVar[type[Record]] = Remark

    def prompt(self) -> str:
        heard = f"{self.other} said: {self.heard}" if self.heard else f"You open the conversation with {self.other}."
        return f"""Statement: {self.statement}
Passage: {self.passage}
You rated its support {self.score} of 10. {heard}

Say in one or two sentences what in the passage decides it for you. Do not repeat what was said."""

    def offline(self, draw: Draw) -> Remark:
        """Quotes the unsaid sentence of the passage that leans most the way of the rating; ties by place."""
        spoken = [self.passage[start:end] for start, end in sentences(self.passage)]
        side = 1 if self.score >= 5 else -1
        fresh = [s for s in spoken if s not in self.heard] or spoken
        best = max(fresh, key=lambda s: side * stance(s, self.statement), default=self.passage)
        return Remark(text=f"{self.other}, I gave it {self.score}. {best}"[:600])


@dataclass(frozen=True)
class Revise(Unsplit[Rating]):
    """Having heard the others, what is your rating now?"""

    statement: str
    passage_id: str
    own: int
    others: float
    """Median rating of the other reviewers."""
    heard: str
    kind: ClassVar[str] = "new-type.revise"
    Reply: ClassVar[type[Record]] = Rating

    @property
    def subject(self) -> str:
        return self.passage_id

    def prompt(self) -> str:
        heard = f"You were told: {self.heard}" if self.heard else "Nobody talked to you about it."
        return f"""Statement: {self.statement}
You rated the support that passage {self.passage_id} gives it {self.own} of 10. The others' median is {self.others:g}.
{heard}

What is your rating now, from 0 to 10?"""

    def offline(self, draw: Draw) -> Rating:
        """A weighted mean of one's own rating and the advice (see OWN_WEIGHT), rounded at random to keep its mean."""
        mean = OWN_WEIGHT * self.own + (1 - OWN_WEIGHT) * self.others
        return Rating(score=int(mean) + bool(draw.chance(mean % 1)))


@dataclass(frozen=True)
class AfterReview(Unsplit[Remark]):
    """What do you say after the review?"""

    statement: str
    asked: str
    remarks: tuple[str, ...]
    """The reviewer's own, in order."""
    kind: ClassVar[str] = "new-type.interview"
    Reply: ClassVar[type[Record]] = Remark

    def prompt(self) -> str:
        said = "\n".join(f"- {remark}" for remark in self.remarks) or "(you said nothing)"
        return f"You reviewed passages on: {self.statement}\nThis is all you said:\n{said}\n\nYou are asked: {self.asked}"

    def offline(self, draw: Draw) -> Remark:
        """Quotes the reviewer's remark most like the question (TF-IDF cosine), the earliest of equals."""
        target, *own = tf_idf([self.asked, *self.remarks])
        likeness = [cosine(target, vector) for vector in own]
        if not likeness or max(likeness) == 0:
            return Remark(text="Nothing I said in the review bears on that.")
        return Remark(text=f"What I said bears on that: {self.remarks[likeness.index(max(likeness))]}"[:600])
