"""A moderated talk: the moderator picks who speaks to what, the speaker looks things up and speaks."""

from collections.abc import AsyncIterator
from statistics import fmean

from openiir.kit.quoting import Passage
from openiir.plugin import Step, int_sum
from openiir.scenarios.panel.actions import Passed, RoundClosed, RoundOpened, Spoke
from openiir.scenarios.panel.config import Round
from openiir.scenarios.panel.looking import citations as citations
from openiir.scenarios.panel.looking import look_up as look_up
from openiir.scenarios.panel.moderating import SpeakerNext, Turn
from openiir.scenarios.panel.questions import Speak, Utterance
from openiir.scenarios.panel.table import Panelist, Table

SATURATED = 0.5
"""Mean new claims over the last four utterances below which a talk is saturated; our design."""
HEARD = 8
"""Last utterances a speaker is shown."""
SPENT = "the token budget is spent"


async def talk(table: Table, round_: Round, last: bool) -> AsyncIterator[Step]:
    """One round, to its goal or its cap."""
    stage = table.stage
    stage.act(None, RoundOpened(name=round_.name, goal=round_.goal, cap=round_.turns))
    spoken: dict[str, int] = {}
    skipped: list[str] = []
    table.new_claims.clear()
    turns = 0
    while turns < round_.turns:
        _skip_spent(table, round_, spoken, skipped)
        turn = await _moderate(table, round_, turns + 1, spoken, last)
        if turn.action != "next":
            table.over = turn.action == "end"
            break
        turns += 1
        table.turn += 1
        person = table.person(turn.persona)
        if not await _speak(table, round_, person, turn.address) and person.agent.spent:
            skipped.append(turn.persona)
        spoken[turn.persona] = spoken.get(turn.persona, 0) + 1
        yield Step(f"{round_.name}: {person.agent.persona.name}")
    moved = "the moderator ended the panel" if table.over else "the moderator went on"
    reason = "the cap was reached" if turns >= round_.turns else _reached(table, round_, spoken) or moved
    stage.act(None, RoundClosed(name=round_.name, reason=reason, turns=turns))


def _skip_spent(table: Table, round_: Round, spoken: dict[str, int], skipped: list[str]) -> None:
    """Log, once a round, who does not get the floor any more because the budget is gone."""
    for person in table.people:
        name = person.agent.id
        done = _once(round_) and name in spoken
        if person.agent.spent and name not in skipped and not done:
            skipped.append(name)
            table.stage.act(person.agent, Passed(round=round_.name, reason=SPENT))


def _once(round_: Round) -> bool:
    """Whether everyone speaks once in this round."""
    return bool(round_.until) and round_.until[0] in ("everyone-spoke", "final-stances")


async def _moderate(table: Table, round_: Round, turn: int, spoken: dict[str, int], last: bool) -> Turn:
    claims = [] if round_.acts == ("assert",) or "final-stances" in round_.until else table.open_claims()
    topic = table.stage.config.topic
    members = table.members(claims[0].text if claims else f"{topic} {round_.goal}")
    if _once(round_):
        members = tuple(m for m in members if m.id not in spoken) or members
    question = SpeakerNext(
        topic=topic,
        round=round_.name,
        goal=round_.goal,
        turn=turn,
        cap=round_.turns,
        members=members,
        seats=len(table.people),
        turns_so_far=int_sum(p.spoken for p in table.people),
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
    if "saturation" in round_.until and len(recent) == 4 and fmean(recent) < SATURATED:
        return "hardly any new claims come"
    if "counters-answered" in round_.until and everyone and table.counters_answered():
        return "every counter was answered"
    return ""


async def _speak(table: Table, round_: Round, person: Panelist, address: str) -> bool:
    """Let a panelist speak; False where nothing came of it, which is logged."""
    stage = table.stage
    closing = "final-stances" in round_.until
    focus = table.put_to(address, person)
    passages: tuple[Passage, ...] = ()
    if not closing:
        passages = await look_up(table, person, focus.text if focus else stage.config.topic, focus)
    question = _question(table, round_, person, address, passages)
    reply = await stage.ask(person.agent, question)
    if reply is None:
        reason = SPENT if person.agent.spent else "no usable answer came"
        stage.act(person.agent, Passed(round=round_.name, reason=reason))
        return False
    table.number += 1
    table.taken_up.append(address)
    await table.spoke(person, _spoke(table, round_, question, person, reply))
    return True


def _question(
    table: Table, round_: Round, person: Panelist, address: str, passages: tuple[Passage, ...]
) -> Speak:
    stance = table.stance_of(person)
    closing = "final-stances" in round_.until
    return Speak(
        topic=table.stage.config.topic,
        round=round_.name,
        goal=round_.goal,
        acts=round_.acts,
        interests=person.agent.persona.interests,
        stance=round(stance, 4),
        first=round(person.first, 4),
        openness=person.agent.persona.big_five.openness,
        own_strength=table.best_strength(person),
        focus=table.put_to(address, person),
        others=table.others(address, person) if address else (),
        passages=passages,
        said=tuple(c.text for c in table.stage.claims),
        heard=tuple(table.heard[-HEARD:]),
        closing=closing,
        weighed=table.weighed(person) if closing else None,
        mine=table.unshaken(person) if closing else None,
        number=table.number + 1,
    )


def _spoke(
    table: Table, round_: Round, question: Speak, person: Panelist, reply: Utterance
) -> Spoke:
    stance = table.stance_of(person)
    address = question.focus.id if question.focus else ""
    return Spoke(
        number=table.number,
        round=round_.name,
        act=reply.act,
        text=reply.text,
        address=reply.address or (address if reply.act != "assert" else ""),
        cites=citations(question.passages, reply.cites, reply.text),
        stance=stance if abs(reply.stance / 10 - stance) <= 0.05 else reply.stance / 10,
        claims=(),
        tokens_left=person.agent.budget.tokens,
    )
