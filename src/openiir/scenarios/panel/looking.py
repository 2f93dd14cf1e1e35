"""Looking things up before speaking, and the places that an utterance cites."""

from openiir.plugin import Citation
from openiir.plugin.arguments import sentences, tokens
from openiir.scenarios.panel.questions import LookUp
from openiir.scenarios.panel.table import Panelist, Table
from openiir.scenarios.panel.utterances import Focus, Passage

QUOTED = 0.75
"""Share of a sentence's words from which an utterance quotes it."""


async def look_up(table: Table, person: Panelist, matter: str, focus: Focus | None) -> tuple[Passage, ...]:
    """What the speaker looked up: passages of the corpus, or of the web where its search was granted."""
    stage, agent = table.stage, person.agent
    world = stage.world()
    fresh = [t for t in agent.persona.interests if t not in person.looked_up]
    own = fresh[:1] if focus else fresh[:3]
    terms = (*world.salient(matter, 5 - len(own)), *own)
    question = LookUp(
        topic=stage.config.topic,
        matter=matter,
        claim=focus.id if focus else "",
        terms=terms,
        coverage=round(world.evidence(" ".join(terms)), 4),
        searches=agent.budget.searches if stage.searchable else 0,
    )
    reply = await stage.ask(agent, question)
    if reply is None or reply.action == "none":
        return ()
    person.looked_up += [t for t in terms if t in reply.query]
    if reply.action == "search":
        known = [c.id for c in stage.claims]
        hits = await stage.search(agent, reply.query, reply.justification, known)
        hits += await stage.lookup(agent, reply.query, stage.config.passages)
    else:
        hits = await stage.lookup(agent, reply.query, stage.config.passages)
    found = {hit.chunk.id: hit.chunk.text for hit in hits}
    return tuple(Passage(id=i, text=text) for i, text in list(found.items())[: stage.config.passages])


def citations(passages: tuple[Passage, ...], cited: tuple[str, ...], text: str) -> tuple[Citation, ...]:
    """For each passage cited, the stretch of it that was quoted, or the sentence that shares most words with the text."""
    said = set(tokens(text))
    found = []
    for passage in passages:
        if passage.id not in cited:
            continue
        spans = sentences(passage.text) or [(0, len(passage.text))]
        shares = [(_share(said, passage.text[start:end]), start, end) for start, end in spans]
        best = max(shares, key=lambda share: (share[0], -share[1]))
        start, end = best[1:]
        for share, begin, finish in shares:
            if share >= QUOTED and begin >= end and not passage.text[end:begin].strip():
                end = finish
        found.append(Citation(chunk=passage.id, start=start, end=end))
    return tuple(found)


def _share(said: set[str], sentence: str) -> float:
    """The share of a sentence's words that were said; ties are broken by how many these are."""
    stems = set(tokens(sentence))
    return len(said & stems) / len(stems) if len(stems) > 2 else 0.0
