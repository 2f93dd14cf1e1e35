"""Searches before speaking: ask panelists what they look up, and fetch the passages."""

from collections.abc import Sequence
from typing import Any

from openiir.kit.offline_speaker import Passage
from openiir.plugin import stance_word
from openiir.scenarios.panel.behaviour.panelist import Panelist
from openiir.scenarios.panel.config import Round
from openiir.scenarios.panel.model.speaking.utterances import ClaimView
from openiir.scenarios.panel.questions.lookup import LookUp, LookUpReply, SearchWeb, WebSearchReply
from openiir.scenarios.panel.questions.prompt_parts import PanelPoint
from openiir.scenarios.panel.run.table import PanelTable


async def look_up(
    table: PanelTable, round_: Round, wanted: Sequence[tuple[Panelist, str]], claim: ClaimView | None = None
) -> list[tuple[Passage, ...]]:
    """Ask panelists concurrently for search queries, and retrieve passages from the corpus or the web.

    `wanted` pairs panelists with the text that they are about to speak to; `claim` is set where that is one.
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
    """Retrieve passages for a query, web passages first if the reply asks for them; none without a query."""
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
