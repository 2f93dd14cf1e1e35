"""Questions to a panelist before it speaks: what it looks up in the world or on the web."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from openiir.kit.prompting import ThoughtfulReply
from openiir.plugin import Count, Draw, Question, Record, Stance, UnusableAnswer
from openiir.scenarios.panel.questions.prompt_parts import PanelPoint, Persona, Study, round_words


class LookUpReply(ThoughtfulReply):
    """A query to search for before speaking."""

    query: str = Field("", max_length=200, description="what you search for; empty if you have what you need")


class WebSearchReply(LookUpReply):
    """A query to search for, and whether to search the web too."""

    missing: str = Field(
        "",
        max_length=600,
        description="to search the web: what you are missing and what it would change; else empty",
    )


@dataclass(frozen=True)
class LookUp(Question[LookUpReply]):
    """Question to a panelist: what do you want to look up before you speak?"""

    topic: str
    round: str
    goal: str
    point: PanelPoint | None
    """The point that the panelist is about to answer."""
    searches: Count
    """Number of web searches that are left."""
    stands: Stance
    """The panelist's stance."""
    last: PanelPoint | None
    """The last utterance, where no point is put to the panelist."""
    terms: Annotated[tuple[str, ...], Persona]
    """Words of the subject and the persona's interests not looked up yet, the weightiest first."""
    coverage: Annotated[float, Study]
    """Coverage of the words by the corpus: the best lexical score, 0 to 1."""
    claim: Annotated[str, Study]
    """Id of the claim to answer, which a justification names."""
    kind: ClassVar[str] = "panel.look-up"
    example: ClassVar[Record] = LookUpReply(
        thoughts="Somebody must have counted passengers.", query="bus passengers before after car-free centre"
    )

    def prompt(self) -> str:
        turn = f"You are about to answer this point:\n{self.point}" if self.point else "Your turn comes next."
        last = f"\n\nThe last that was said:\n{self.last}" if self.last else ""
        web = ""
        if self.searches:
            times = "once" if self.searches == 1 else f"{self.searches} times"
            web = (
                f" If the articles will not have it, you may search the web instead ({times} in this panel); "
                "say then what you are missing, in a sentence or two."
            )
        return f"""{round_words("A panel", self.topic, self.round, self.goal)}
On the motion you are {self.stands}.{last}

{turn}

You can look something up first, in a collection of articles. What do you search for?{web}"""

    def check(self, reply: LookUpReply) -> None:
        if isinstance(reply, WebSearchReply) and reply.missing.strip() and not reply.query.strip():
            raise UnusableAnswer(
                "a search needs words to search for; write them as query, or leave missing empty"
            )

    def offline(self, draw: Draw) -> LookUpReply:
        """Search for the first five keywords."""
        return LookUpReply(query=" ".join(self.terms[:5]))


@dataclass(frozen=True)
class SearchWeb(LookUp):
    """Question to a panelist: what do you want to look up, and is it worth one of your web searches?"""

    kind: ClassVar[str] = "panel.search"
    answered_with: ClassVar[str] = LookUp.kind
    Reply: ClassVar[type[Record]] = WebSearchReply
    example: ClassVar[Record] = WebSearchReply(
        thoughts="Somebody must have counted passengers.",
        query="bus passengers before after car-free centre",
        missing="There are no figures on bus passengers after a centre was closed to cars; they would settle "
        "whether people switch.",
    )

    def offline(self, draw: Draw) -> WebSearchReply:
        """Also search the web if the corpus covers a claim's keywords poorly (below 0.3; our design)."""
        query = super().offline(draw).query
        if self.coverage >= 0.3 or not self.claim:
            return WebSearchReply(query=query)
        return WebSearchReply(
            query=query,
            missing=f"Evidence for or against claim {self.claim} is missing: the corpus covers {query} with "
            f"only {self.coverage:.2f} of 1, and an answer would decide whether I counter or support the "
            "claim.",
        )
