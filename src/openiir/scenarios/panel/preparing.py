"""What panelists are asked before they speak: where they stand as they come in, and what to look up."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from openiir.kit.prompting import Thoughts
from openiir.plugin import Count, Draw, Facts, Question, Record, UnusableAnswer
from openiir.plugin.stances import Stance, stance_word
from openiir.scenarios.panel.prompting import Persona, Study


class Standing(Record):
    """Where somebody stands."""

    thoughts: Thoughts = ""
    where_you_stand: Stance


@dataclass(frozen=True)
class StandFacts(Facts):
    """The motion, before anything was said."""

    topic: str
    seats: Count

    def prompt(self) -> str:
        return f"""You take part in a panel of {self.seats}. It will discuss the motion: {self.topic}

Nobody has spoken yet. Where do you stand on the motion, as you come in?"""


@dataclass(frozen=True)
class Stand(Question[Standing]):
    """Where do you stand before the panel begins?"""

    facts: StandFacts
    dispositions: Annotated[float, Persona]
    """The stance that the persona, or its bio, gives: -1 to 1."""
    kind: ClassVar[str] = "panel.stand"
    Reply: ClassVar[type[Record]] = Standing
    example: ClassVar[Record] = Standing(
        thoughts="I take the bus every day, so I know what a car-free centre would do.",
        where_you_stand="leaning in favour",
    )

    def offline(self, draw: Draw) -> Standing:
        """The persona's own stance in words."""
        return Standing(where_you_stand=stance_word(self.dispositions))


class Looking(Record):
    """What to look up before speaking."""

    thoughts: Thoughts = ""
    where: Literal["articles", "web", "nowhere"]
    query: str = Field("", max_length=200, description="what you search for; empty where you look nowhere")
    missing: str = Field(
        "",
        max_length=600,
        description="for the web: what is missing in the articles, and what it would change",
    )


@dataclass(frozen=True)
class LookUpFacts(Facts):
    """What somebody is about to speak to, and where they could look."""

    topic: str
    matter: str
    """The claim or goal to speak to."""
    answers: bool
    """Whether the matter is a claim of the panel."""
    searches: Count
    """Web searches that are left."""

    def prompt(self) -> str:
        what = f'answer this point: "{self.matter}"' if self.answers else f"speak to this: {self.matter}"
        times = "once" if self.searches == 1 else f"{self.searches} times"
        web = (
            f" If the articles will not have it, you may search the web instead ({times} in this panel); say then what is "
            "missing, why the articles do not have it, and what it would change."
            if self.searches
            else ""
        )
        return f"""A panel discusses the motion: {self.topic}

You are about to {what}

You can look something up first, in a collection of articles.{web} What do you search for? Look nowhere if you have what you need."""

    def allowed(self) -> Mapping[str, Sequence[str]]:
        return {"where": ("articles", "web", "nowhere") if self.searches else ("articles", "nowhere")}

    def check(self, reply: Looking) -> None:
        if reply.where != "nowhere" and not reply.query.strip():
            raise UnusableAnswer("a search needs words to search for; write them as query, or look nowhere")


@dataclass(frozen=True)
class LookUpDispositions:
    """What the offline searcher goes by."""

    terms: Annotated[tuple[str, ...], Persona]
    """Words of the matter and of the persona's interests that were not looked up yet, the weightiest first."""
    coverage: Annotated[float, Study]
    """How well the corpus covers them: the best lexical score, 0 to 1."""
    claim: Annotated[str, Study]
    """The id of the claim to answer, which a justification names."""


@dataclass(frozen=True)
class LookUp(Question[Looking]):
    """What do you want to look up before you speak?"""

    facts: LookUpFacts
    dispositions: LookUpDispositions
    kind: ClassVar[str] = "panel.look-up"
    Reply: ClassVar[type[Record]] = Looking
    example: ClassVar[Record] = Looking(
        thoughts="Somebody must have counted passengers before and after.",
        where="articles",
        query="bus passengers before after car-free centre",
    )

    def offline(self, draw: Draw) -> Looking:
        """Keywords of the matter first; the web only where the corpus covers them badly (below 0.3; our design)."""
        by = self.dispositions
        query = " ".join(by.terms[:5])
        if by.coverage < 0.3 and self.facts.searches and by.claim:
            return Looking(
                where="web",
                query=query,
                missing=f"Evidence for or against claim {by.claim} is missing: the corpus covers {query} with "
                f"only {by.coverage:.2f} of 1, and an answer would decide whether I counter or support the claim.",
            )
        return Looking(where="articles" if query else "nowhere", query=query)
