"""A moderated talk: the moderator picks who speaks to which point; the speaker searches and then speaks."""

from collections.abc import AsyncIterator
from statistics import fmean

from openiir.kit.offline_speaker import Passage
from openiir.plugin import Step, int_sum, stance_word
from openiir.scenarios.panel.behaviour.panelist import Panelist
from openiir.scenarios.panel.config import Round
from openiir.scenarios.panel.model.speaking.citations import cite
from openiir.scenarios.panel.model.speaking.utterances import OTHERS, ClaimView, SpeakingContext
from openiir.scenarios.panel.questions.moderating import Moderate, ModeratorDecision
from openiir.scenarios.panel.questions.prompt_parts import PanelPoint, ShownPassage
from openiir.scenarios.panel.questions.speaking import ACT_WORDS, PanelSpeech
from openiir.scenarios.panel.run.actions import Passed, Spoke
from openiir.scenarios.panel.run.lookup import look_up
from openiir.scenarios.panel.run.table import PanelTable

SATURATED = 0.5
"""Mean new claims over the last four utterances below which a talk is saturated; our design."""
HEARD = 8
"""Number of last utterances that a speaker is shown."""
LAST = 3
"""Number of last utterances that a moderator is shown."""
MOVED = 0.1
"""Change of stance from which a last word goes by the side a panelist moved to, not by its first side."""
SPENT = "the token budget is spent"


async def run_talk(table: PanelTable, round_: Round) -> AsyncIterator[Step]:
    """Run one discussion round until its aim is met or its turn limit reached."""
    spoken: dict[str, int] = {}
    skipped: list[str] = []
    table.arguments.new.clear()
    turns = 0
    while turns < round_.turns:
        _skip_spent(table, round_, spoken, skipped)
        question, people = _moderation(table, round_, turns + 1, spoken)
        turn = await _moderate(table, question)
        if turn.do != "next":
            table.over = turn.do == "close the panel"
            break
        turns += 1
        table.floor.turn += 1
        person = people[turn.speaker - 1]
        address = question.claims[turn.point - 1].id if turn.point else ""
        name = person.agent.id
        if not await _speak(table, round_, person, address) and person.agent.spent:
            skipped.append(name)
        else:
            spoken[name] = spoken.get(name, 0) + 1
        yield Step(f"{round_.name}: {person.agent.persona.name}")
    moved = "the moderator ended the panel" if table.over else "the moderator went on"
    reason = "the cap was reached" if turns >= round_.turns else _goal_reached(table, round_, spoken) or moved
    table.close_round(round_, reason, turns)


def _skip_spent(table: PanelTable, round_: Round, spoken: dict[str, int], skipped: list[str]) -> None:
    """Log, once a round, the panelists who are not given the floor any more because their budget is spent."""
    for person in table.people:
        name = person.agent.id
        done = _one_turn_each(round_) and name in spoken
        if person.agent.spent and name not in skipped and not done:
            skipped.append(name)
            table.stage.act(person.agent, Passed(round=round_.name, reason=SPENT))


def _one_turn_each(round_: Round) -> bool:
    """Whether everyone speaks once in this round."""
    return bool(round_.until) and round_.until[0] in ("everyone-spoke", "final-stances")


def _moderation(
    table: PanelTable, round_: Round, turn: int, spoken: dict[str, int]
) -> tuple[Moderate, list[Panelist]]:
    """Build the question to the moderator; returns it with the candidates."""
    floor, arguments, topic = table.floor, table.arguments, table.stage.config.topic
    addresses = round_.acts != ("assert",) and "final-stances" not in round_.until
    claims = arguments.open_claims(table.number, floor.exchange[0], floor.addressed) if addresses else []
    matter = claims[0].text if claims else f"{topic} {round_.goal}"
    people = floor.may_speak()
    if _one_turn_each(round_):
        people = [p for p in people if p.agent.id not in spoken] or people
    question = Moderate(
        topic=topic,
        seats=len(table.people),
        round=round_.name,
        goal=round_.goal,
        turn=turn,
        cap=round_.turns,
        last=tuple(floor.heard[-LAST:]),
        candidates=tuple(floor.candidate(p, p.agent.id in spoken) for p in people),
        spent=floor.spent_names(),
        points=tuple(floor.point(c) for c in claims),
        reached=_goal_reached(table, round_, spoken),
        may_close=turn > 1
        and all(spoken.get(p.agent.id, 0) >= round_.first_words for p in table.with_budget),
        last_round=table.last_round,
        members=tuple(floor.features(p, matter, arguments.mean_stance(p.agent.id)) for p in people),
        claims=tuple(claims),
        turns_so_far=int_sum(p.spoken for p in table.people),
        last_stances=tuple(floor.recent),
    )
    return question, people


async def _moderate(table: PanelTable, question: Moderate) -> ModeratorDecision:
    """Ask for the moderator's decision; without a usable one, the candidate who waited longest speaks.

    A decision with a single option is not asked for.
    """
    allowed = question.allowed()
    if all(len(values) == 1 for values in allowed.values()):
        return ModeratorDecision.model_validate({field: values[0] for field, values in allowed.items()})
    reply = await table.stage.ask("moderator", question)
    if reply is not None:
        return reply
    people, members = question.candidates, question.members
    if not people:
        return ModeratorDecision(do="close the panel")
    longest = min(range(len(people)), key=lambda n: (-members[n].waited, members[n].id))
    return ModeratorDecision(do="next", speaker=longest + 1)


def _goal_reached(table: PanelTable, round_: Round, spoken: dict[str, int]) -> str:
    """Return why the round may end, in words; empty while it may not."""
    if not table.with_budget:
        return "every token budget is spent"
    everyone = all(p.agent.id in spoken for p in table.with_budget)
    who = "everyone" if all(p.agent.id in spoken for p in table.people) else "everyone who could still speak"
    if everyone and "everyone-spoke" in round_.until:
        return f"{who} spoke"
    if everyone and "final-stances" in round_.until:
        return f"{who} gave a final stance"
    recent = table.arguments.new[-4:]
    if "saturation" in round_.until and len(recent) == 4 and fmean(recent) < SATURATED:
        return "hardly any new claims come"
    if "counters-answered" in round_.until and everyone and table.arguments.counters_answered():
        return "every counter was answered"
    return ""


async def _speak(table: PanelTable, round_: Round, person: Panelist, address: str) -> bool:
    """Let a panelist speak to the claim `address`, or to none; False, and logged, without usable answer."""
    stage = table.stage
    question, shown = await _speech_question(table, round_, person, address)
    reply = await stage.ask(person.agent, question)
    if reply is None:
        reason = SPENT if person.agent.spent else "no usable answer came"
        stage.act(person.agent, Passed(round=round_.name, reason=reason))
        return False
    table.number += 1
    table.arguments.taken_up.add(address)
    table.state_stance(person, reply.where_you_stand)
    table.remember(person, f"in the round {round_.name}", reply.thoughts, shown=shown)
    text, cites = cite(reply.text, shown)
    act = next(act for act, word in ACT_WORDS.items() if word == reply.does)
    answered = question.claims[reply.answers - 1].id if reply.answers else ""
    put = question.subject if act != "assert" else ""
    spoke = Spoke(
        number=table.number,
        round=round_.name,
        act=act,
        text=text,
        address=answered or put,
        cites=cites,
        stance=person.stance,
        claims=(),
        tokens_left=person.agent.budget.tokens,
    )
    await table.add_utterance(person, spoke, reply.where_you_stand)
    return True


async def _speech_question(
    table: PanelTable, round_: Round, person: Panelist, address: str
) -> tuple[PanelSpeech, tuple[Passage, ...]]:
    """Build the question to a speaker; returns it with the passages shown, those of earlier turns last."""
    topic, heard = table.stage.config.topic, table.floor.heard
    arguments, speaker = table.arguments, person.agent.id
    passages: tuple[Passage, ...] = ()
    searched, weighed = "", None
    closing = "final-stances" in round_.until
    if closing:
        moved = person.stance - person.first
        towards = moved if abs(moved) >= MOVED else person.first
        weighed = arguments.most_convincing(speaker, person.agent.persona.interests, towards)
        points = arguments.closing_claims(speaker, weighed)
    else:
        points = arguments.claims_to_answer(address, speaker)
        put = points[0] if points else None
        (passages,) = await look_up(table, round_, [(person, put.text if put else topic)], put)
        searched = person.searched
    matter = points[0].text if points else f"{topic} {round_.goal}"
    since = max(person.heard, len(heard) - HEARD)
    again, notes = person.recall_for_turn(matter, since, None if closing else passages)
    question = PanelSpeech(
        topic=topic,
        seats=len(table.people),
        round=round_.name,
        goal=round_.goal,
        acts=round_.acts,
        first=stance_word(person.first),
        last=person.stood,
        spoke=person.said,
        heard=tuple(PanelPoint(one.speaker, one.text) for one in heard[since:]),
        notes=notes,
        points=tuple(table.floor.point(c, person) for c in points),
        put=bool(points) and not closing,
        searched=searched,
        nothing=bool(searched) and not passages,
        passages=tuple(ShownPassage(p.text, before=person.has_read(p)) for p in (*passages, *again)),
        spent=table.floor.spent_names(),
        closing=closing,
        claims=points,
        context=_speaking_context(table, round_, person, points, passages, weighed),
    )
    return question, (*passages, *again)


def _speaking_context(
    table: PanelTable,
    round_: Round,
    person: Panelist,
    points: tuple[ClaimView, ...],
    passages: tuple[Passage, ...],
    weighed: ClaimView | None,
) -> SpeakingContext:
    """Build what the offline speaker composes an utterance from; `weighed` is named in a last word."""
    arguments, persona = table.arguments, person.agent.persona
    closing = "final-stances" in round_.until
    put = () if closing else points
    return SpeakingContext(
        topic=table.stage.config.topic,
        interests=persona.interests,
        acts=round_.acts,
        stance=round(person.stance, 4),
        first=round(person.first, 4),
        openness=persona.big_five.openness,
        own_strength=arguments.best_strength(person.agent.id),
        focus=put[0] if put else None,
        others=put[1 : 1 + OTHERS],
        passages=passages,
        said=tuple(c.text for c in table.stage.claims),
        heard=tuple(one.text for one in table.floor.heard[-HEARD:]),
        closing=closing,
        weighed=weighed,
        mine=arguments.strongest_uncountered(person.agent.id) if closing else None,
        number=table.number + 1,
    )
