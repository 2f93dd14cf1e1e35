"""Searches before speaking: the question about what to look up, and fetching the passages."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from pydantic import Field

from openiir.kit.offline_speaker import Passage
from openiir.kit.prompting import ThoughtfulReply
from openiir.plugin import Count, Draw, Question, Record, Stance, UnusableAnswer, stance_word
from openiir.scenarios.panel.config import Round
from openiir.scenarios.panel.model.speaking.utterances import ClaimView
from openiir.scenarios.panel.panelist import Panelist
from openiir.scenarios.panel.prompting import PanelPoint, Persona, Study, round_words
from openiir.scenarios.panel.table import PanelTable


class LookUpReply(ThoughtfulReply):
    """What to look up before speaking."""

    query: str = Field("", max_length=200, description="what you search for; empty if you have what you need")


class WebSearchReply(LookUpReply):
    """What to look up where the web may be searched as well."""

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
    """Words of the subject and of the persona's interests that were not looked up yet, the weightiest first."""
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
        times = "once" if self.searches == 1 else f"{self.searches} times"
        web = (
            f" If the articles will not have it, you may search the web instead ({times} in this panel); say then what you are "
            "missing, in a sentence or two."
            if self.searches
            else ""
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
        missing="There are no figures on bus passengers after a centre was closed to cars; they would settle whether people switch.",
    )

    def offline(self, draw: Draw) -> WebSearchReply:
        """Search the web too where the corpus covers a claim's keywords badly (below 0.3; our design)."""
        query = super().offline(draw).query
        if self.coverage >= 0.3 or not self.claim:
            return WebSearchReply(query=query)
        return WebSearchReply(
            query=query,
            missing=f"Evidence for or against claim {self.claim} is missing: the corpus covers {query} with "
            f"only {self.coverage:.2f} of 1, and an answer would decide whether I counter or support the claim.",
        )


async def look_up(
    table: PanelTable, round_: Round, wanted: Sequence[tuple[Panelist, str]], claim: ClaimView | None = None
) -> list[tuple[Passage, ...]]:
    """Ask panelists concurrently what they look up, and fetch passages from the corpus or the web.

    `wanted` pairs panelists with the text that they are about to speak to; `claim` is set where that is a claim.
    """
    questions = [(person.agent, _question(table, round_, person, matter, claim)) for person, matter in wanted]
    replies = await table.stage.ask_all(questions)
    asked = zip(wanted, questions, replies, strict=True)
    return [
        await fetch_passages(table.stage, person, question, reply)
        for (person, _), (_, question), reply in asked
    ]


def _question(
    table: PanelTable, round_: Round, person: Panelist, matter: str, claim: ClaimView | None
) -> LookUp:
    stage, agent, heard = table.stage, person.agent, table.floor.heard
    world = stage.world()
    fresh = [t for t in agent.persona.interests if t not in person.looked_up]
    own = fresh[:1] if claim else fresh[:3]
    terms = (*world.salient(matter, 5 - len(own)), *own)
    searches = agent.budget.searches if stage.searchable else 0
    return (SearchWeb if searches else LookUp)(
        topic=stage.config.topic,
        round=round_.name,
        goal=round_.goal,
        point=table.floor.point(claim, person) if claim else None,
        searches=searches,
        stands=stance_word(person.stance),
        last=PanelPoint(heard[-1].speaker, heard[-1].text) if heard and not claim else None,
        terms=terms,
        coverage=round(world.evidence(" ".join(terms)), 4),
        claim=claim.id if claim else "",
    )


async def fetch_passages(
    stage: Any, person: Panelist, question: LookUp, reply: LookUpReply | None
) -> tuple[Passage, ...]:
    """Fetch passages for a reply's query, web passages first where the reply asks for them; none without a query."""
    person.searched = reply.query.strip() if reply else ""
    if reply is None or not person.searched:
        return ()
    person.looked_up += [t for t in question.terms if t in reply.query]
    hits = []
    if isinstance(reply, WebSearchReply) and reply.missing.strip():
        hits = await stage.search(person.agent, reply.query, reply.missing, [c.id for c in stage.claims])
    hits += await stage.lookup(person.agent, reply.query, stage.config.passages)
    found = {hit.chunk.id: hit.chunk.text for hit in hits}
    return tuple(Passage(id=i, text=text) for i, text in list(found.items())[: stage.config.passages])
