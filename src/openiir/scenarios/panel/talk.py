"""A moderated talk: the moderator picks who speaks to what, the speaker looks things up and speaks."""

from collections.abc import AsyncIterator
from statistics import fmean

from openiir.kit.quoting import Passage
from openiir.plugin import Step, int_sum
from openiir.plugin.stances import stance_word
from openiir.scenarios.panel.actions import Passed, RoundClosed, RoundOpened, Spoke
from openiir.scenarios.panel.config import Round
from openiir.scenarios.panel.looking import cite, look_up
from openiir.scenarios.panel.moderating import ModerateDispositions, ModerateFacts, SpeakerNext, Turn
from openiir.scenarios.panel.prompting import Point, Read
from openiir.scenarios.panel.questions import DOES, Speak, SpeakDispositions, SpeakFacts, Utterance
from openiir.scenarios.panel.table import Panelist, Table

SATURATED = 0.5
"""Mean new claims over the last four utterances below which a talk is saturated; our design."""
HEARD = 8
"""Last utterances a speaker is shown."""
LAST = 3
"""Last utterances a moderator is shown."""
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
        question, people = _moderation(table, round_, turns + 1, spoken, last)
        turn = await _moderate(table, question)
        if turn.do != "next" or turn.speaker is None:
            table.over = turn.do == "close the panel"
            break
        turns += 1
        table.turn += 1
        person = people[turn.speaker - 1]
        claims = question.dispositions.claims
        address = claims[turn.point - 1].id if turn.point else ""
        name = person.agent.id
        if not await _speak(table, round_, person, address) and person.agent.spent:
            skipped.append(name)
        spoken[name] = spoken.get(name, 0) + 1
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


def _moderation(
    table: Table, round_: Round, turn: int, spoken: dict[str, int], last: bool
) -> tuple[SpeakerNext, list[Panelist]]:
    """The question to the moderator, and who its candidates are."""
    claims = [] if round_.acts == ("assert",) or "final-stances" in round_.until else table.open_claims()
    topic = table.stage.config.topic
    matter = claims[0].text if claims else f"{topic} {round_.goal}"
    people = table.may_speak()
    if _once(round_):
        people = [p for p in people if p.agent.id not in spoken] or people
    able = [p.agent.id for p in table.people if not p.agent.spent]
    facts = ModerateFacts(
        topic=topic,
        seats=len(table.people),
        round=round_.name,
        goal=round_.goal,
        turn=turn,
        cap=round_.turns,
        last=tuple(table.heard[-LAST:]),
        candidates=tuple(table.candidate(p, p.agent.id in spoken) for p in people),
        points=tuple(table.point(c) for c in claims),
        reached=_reached(table, round_, spoken),
        may_close=all(spoken.get(name, 0) >= round_.first_words for name in able) and turn > 1,
        last_round=last,
    )
    by = ModerateDispositions(
        members=tuple(table.member(p, matter) for p in people),
        claims=tuple(claims),
        turns_so_far=int_sum(p.spoken for p in table.people),
        last_stances=tuple(table.recent),
    )
    return SpeakerNext(facts, by), people


async def _moderate(table: Table, question: SpeakerNext) -> Turn:
    """The moderator's decision; without a usable one, whoever waited longest speaks."""
    reply = await table.stage.ask("moderator", question)
    if reply is not None:
        return reply
    people, members = question.facts.candidates, question.dispositions.members
    if not people:
        return Turn(do="close the panel")
    longest = min(range(len(people)), key=lambda n: (-members[n].waited, members[n].id))
    return Turn(do="next", speaker=longest + 1)


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
    question, shown = _question(table, round_, person, address, passages)
    reply = await stage.ask(person.agent, question)
    if reply is None:
        reason = SPENT if person.agent.spent else "no usable answer came"
        stage.act(person.agent, Passed(round=round_.name, reason=reason))
        return False
    table.number += 1
    table.taken_up.append(address)
    table.take(person, reply.where_you_stand)
    person.remember(reply.thoughts, shown, round_.name)
    await table.spoke(person, _spoke(table, round_, question, person, (reply, shown)), reply.where_you_stand)
    return True


def _question(
    table: Table, round_: Round, person: Panelist, address: str, passages: tuple[Passage, ...]
) -> tuple[Speak, tuple[Passage, ...]]:
    """What a panelist is asked, and the passages in front of it, those that it cited before last."""
    closing = "final-stances" in round_.until
    weighed = table.weighed(person) if closing else None
    points = table.points(address, person, weighed if closing else None)
    matter = points[0].text if points else f"{table.stage.config.topic} {round_.goal}"
    cited, notes = person.recall(matter, passages, closing)
    facts = SpeakFacts(
        topic=table.stage.config.topic,
        seats=len(table.people),
        round=round_.name,
        goal=round_.goal,
        acts=round_.acts,
        first=stance_word(person.first),
        last=person.stood,
        spoke=person.said,
        heard=tuple(Point(one.speaker, one.text) for one in table.heard[person.heard :][-HEARD:]),
        notes=notes,
        points=tuple(table.point(c, person) for c in points),
        put=bool(address) and not closing,
        passages=(*(Read(p.text) for p in passages), *(Read(p.text, before=True) for p in cited)),
        closing=closing,
    )
    by = SpeakDispositions(
        stance=round(table.stance_of(person), 4),
        first=round(person.first, 4),
        openness=person.agent.persona.big_five.openness,
        interests=person.agent.persona.interests,
        own_strength=table.best_strength(person),
        points=points,
        passages=passages,
        said=tuple(c.text for c in table.stage.claims),
        heard=tuple(one.text for one in table.heard[-HEARD:]),
        weighed=weighed,
        mine=table.unshaken(person) if closing else None,
        number=table.number + 1,
    )
    return Speak(facts, by), (*passages, *cited)


def _spoke(
    table: Table,
    round_: Round,
    question: Speak,
    person: Panelist,
    given: tuple[Utterance, tuple[Passage, ...]],
) -> Spoke:
    reply, shown = given
    text, cites = cite(reply.text, shown)
    act = next(act for act, does in DOES.items() if does == reply.does)
    address = question.dispositions.points[reply.answers - 1].id if reply.answers else ""
    put = question.subject if act != "assert" else ""
    return Spoke(
        number=table.number,
        round=round_.name,
        act=act,
        text=text,
        address=address or put,
        cites=cites,
        stance=table.stance_of(person),
        claims=(),
        tokens_left=person.agent.budget.tokens,
    )
