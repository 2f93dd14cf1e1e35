"""Looking things up before speaking, and the places that an utterance cites."""

from collections.abc import Sequence

from openiir.kit.quoting import Passage
from openiir.plugin import Citation
from openiir.plugin.arguments import sentences, tokens
from openiir.scenarios.panel.preparing import Looking, LookUp, LookUpDispositions, LookUpFacts
from openiir.scenarios.panel.prompting import with_marks
from openiir.scenarios.panel.table import Panelist, Table
from openiir.scenarios.panel.utterances import Focus

QUOTED = 0.75
"""Share of a sentence's words from which an utterance quotes it."""


async def look_up(table: Table, person: Panelist, matter: str, focus: Focus | None) -> tuple[Passage, ...]:
    """What the speaker looked up: passages of the corpus, or of the web where its search was granted."""
    return (await look_up_all(table, [(person, matter)], focus))[0]


async def look_up_all(
    table: Table, wanted: Sequence[tuple[Panelist, str]], focus: Focus | None = None
) -> list[tuple[Passage, ...]]:
    """As `look_up`, for several panelists (each with what it is about to speak to) asked at the same time."""
    stage = table.stage
    questions = [_question(table, person, matter, focus) for person, matter in wanted]
    replies = await stage.ask_all(
        [(person.agent, q) for (person, _), q in zip(wanted, questions, strict=True)]
    )
    found = []
    for (person, _), question, reply in zip(wanted, questions, replies, strict=True):
        found.append(await _passages(table, person, question, reply))
    return found


def _question(table: Table, person: Panelist, matter: str, focus: Focus | None) -> LookUp:
    stage, agent = table.stage, person.agent
    world = stage.world()
    fresh = [t for t in agent.persona.interests if t not in person.looked_up]
    own = fresh[:1] if focus else fresh[:3]
    terms = (*world.salient(matter, 5 - len(own)), *own)
    searches = agent.budget.searches if stage.searchable else 0
    return LookUp(
        LookUpFacts(stage.config.topic, matter, focus is not None, searches),
        LookUpDispositions(terms, round(world.evidence(" ".join(terms)), 4), focus.id if focus else ""),
    )


async def _passages(
    table: Table, person: Panelist, question: LookUp, reply: Looking | None
) -> tuple[Passage, ...]:
    if reply is None or reply.where == "nowhere":
        return ()
    stage, agent = table.stage, person.agent
    person.looked_up += [t for t in question.dispositions.terms if t in reply.query]
    hits = []
    if reply.where == "web":
        hits = await stage.search(agent, reply.query, reply.missing, [c.id for c in stage.claims])
    hits += await stage.lookup(agent, reply.query, stage.config.passages)
    found = {hit.chunk.id: hit.chunk.text for hit in hits}
    return tuple(Passage(id=i, text=text) for i, text in list(found.items())[: stage.config.passages])


def cite(text: str, passages: Sequence[Passage]) -> tuple[str, tuple[Citation, ...]]:
    """A reply's text with the ids of these passages in the place of their numbers, and what its marks cite."""
    marked = with_marks(text, [passage.id for passage in passages])
    cited = tuple(passage.id for passage in passages if f"[{passage.id}]" in marked)
    return marked, citations(tuple(passages), cited, marked)


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
