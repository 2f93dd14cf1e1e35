"""A moderated talk: the moderator picks who speaks to what, the speaker looks things up and speaks."""

from collections.abc import AsyncIterator

from openiir.plugin import Citation, Step
from openiir.plugin.arguments import sentences, tokens
from openiir.scenarios.panel.actions import Passed, RoundClosed, RoundOpened, Spoke
from openiir.scenarios.panel.config import Round
from openiir.scenarios.panel.questions import LookUp, Speak, SpeakerNext, Turn
from openiir.scenarios.panel.table import Panelist, Table
from openiir.scenarios.panel.utterances import Focus, Passage

SATURATED = 0.5
"""Mean new claims over the last four utterances below which a talk is saturated; our design."""


async def talk(table: Table, round_: Round, last: bool) -> AsyncIterator[Step]:
    """One round; the caller learns from `table.over` whether the moderator ended the panel."""
    stage = table.stage
    stage.act(None, RoundOpened(name=round_.name, goal=round_.goal, cap=round_.turns))
    spoken: dict[str, int] = {}
    table.new_claims.clear()
    turns = 0
    while turns < round_.turns:
        turn = await _moderate(table, round_, turns + 1, spoken, last)
        if turn.action != "next":
            break
        turns += 1
        table.turn += 1
        person = table.person(turn.persona)
        await _speak(table, round_, person, turn.address)
        spoken[turn.persona] = spoken.get(turn.persona, 0) + 1
        yield Step(f"{round_.name}: {person.agent.persona.name}")
    reason = "the cap was reached" if turns >= round_.turns else _reached(table, round_, spoken) or "the moderator went on"
    stage.act(None, RoundClosed(name=round_.name, reason=reason, turns=turns))


async def _moderate(table: Table, round_: Round, turn: int, spoken: dict[str, int], last: bool) -> Turn:
    claims = [] if round_.acts == ("assert",) or "final-stances" in round_.until else table.open_claims()
    matter = claims[0].text if claims else f"{table.stage.config.topic} {round_.goal}"
    members = table.members(matter)
    if round_.until and round_.until[0] in ("everyone-spoke", "final-stances"):
        members = tuple(m for m in members if m.id not in spoken) or members
    question = SpeakerNext(
        topic=table.stage.config.topic,
        round=round_.name,
        goal=round_.goal,
        turn=turn,
        cap=round_.turns,
        members=members,
        claims=tuple(claims),
        last_stances=tuple(table.recent),
        reached=_reached(table, round_, spoken),
        last_round=last,
    )
    reply = await table.stage.ask("moderator", question)
    if reply is not None:
        return reply
    if not members:
        return Turn(action="end")
    waited = min(members, key=lambda m: (-m.waited, m.id))
    return Turn(action="next", persona=waited.id)


def _reached(table: Table, round_: Round, spoken: dict[str, int]) -> str:
    """Why the round may end, in words; empty while it may not."""
    able = [p.agent.id for p in table.people if not p.agent.spent]
    if not able:
        return "every token budget is spent"
    everyone = all(name in spoken for name in able)
    if everyone and "everyone-spoke" in round_.until:
        return "everyone spoke"
    if everyone and "final-stances" in round_.until:
        return "everyone gave a final stance"
    recent = table.new_claims[-4:]
    if "saturation" in round_.until and len(recent) == 4 and sum(recent) / 4 < SATURATED:
        return "hardly any new claims come"
    if "counters-answered" in round_.until and everyone and table.counters_answered():
        return "every counter was answered"
    return ""


async def _speak(table: Table, round_: Round, person: Panelist, address: str) -> None:
    stage = table.stage
    focus = next((table.focus(c) for c in stage.claims if c.id == address), None)
    matter = focus.text if focus else f"{stage.config.topic} {round_.goal}"
    passages = await _look_up(table, person, matter, focus)
    stance = table.stance_of(person)
    table.number += 1
    reply = await stage.ask(
        person.agent,
        Speak(
            topic=stage.config.topic,
            round=round_.name,
            goal=round_.goal,
            acts=round_.acts,
            stance=round(stance, 4),
            openness=person.agent.persona.big_five.openness,
            own_strength=table.best_argument(stance),
            focus=focus,
            passages=passages,
            said=tuple(c.text for c in stage.claims),
            number=table.number,
        ),
    )
    if reply is None:
        table.number -= 1
        reason = "the token budget is spent" if person.agent.spent else "no usable answer came"
        stage.act(person.agent, Passed(round=round_.name, reason=reason))
        return
    await table.spoke(
        person,
        Spoke(
            number=table.number,
            round=round_.name,
            act=reply.act,
            text=reply.text,
            address=address,
            cites=_citations(passages, reply.cites, reply.text),
            stance=stance if abs(reply.stance / 10 - stance) <= 0.05 else reply.stance / 10,
            claims=(),
            tokens_left=person.agent.budget.tokens,
        ),
    )


async def _look_up(table: Table, person: Panelist, matter: str, focus: Focus | None) -> tuple[Passage, ...]:
    """What the speaker looked up: passages of the corpus, or of the web where its search was granted."""
    stage, agent = table.stage, person.agent
    world = stage.world()
    fresh = [t for t in agent.persona.interests if t not in person.looked_up]
    terms = (*world.salient(matter, 5 - min(2, len(fresh))), *fresh[:2])
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


def _citations(passages: tuple[Passage, ...], cited: tuple[str, ...], text: str) -> tuple[Citation, ...]:
    """For each passage cited, the sentence in it that shares most words with what was said."""
    said = set(tokens(text))
    citations = []
    for passage in passages:
        if passage.id in cited:
            spans = sentences(passage.text) or [(0, len(passage.text))]
            start, end = max(
                spans, key=lambda span: (len(said & set(tokens(passage.text[slice(*span)]))), -span[0])
            )
            citations.append(Citation(chunk=passage.id, start=start, end=end))
    return tuple(citations)
