"""Ask the judge to grade dialogues: by aspect, repeatedly, and with probes of its reliability."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from openiir.plugin import Agent, Draw, Question, Stage
from openiir.scenarios.conversational.behaviour.users import patience_words
from openiir.scenarios.conversational.config import DialogueJudgeSpec
from openiir.scenarios.conversational.model.dialogue import build_act, build_utterance
from openiir.scenarios.conversational.model.grading.judged_dialogue import (
    ASPECTS,
    Aspect,
    JudgedDialogue,
    JudgedItem,
    Probe,
)
from openiir.scenarios.conversational.questions.judge import (
    DialogueJudge,
    DialogueJudgeTogether,
    judge_question,
)
from openiir.scenarios.conversational.run.actions import FAILED, DialogueJudged, DialogueLogged, first_answers

JUDGE = "judge"
"""Name of the role that judges; it has no persona."""
PROBES: tuple[Probe, ...] = ("order", "verbosity")
FILLER = (
    "Thank you so much for telling me that, it is a pleasure to help you.",
    "I really do hope that this is of some use to you, and please let me know if it is not.",
)
"""Polite filler that the verbosity probe adds before and after each system turn [design]."""
Facts = Callable[[str], Sequence[tuple[str, str]]]
"""Function from an item id to the item's (slot, value) pairs."""
Seen = Callable[[int, str], bool | None]
"""Function from a need's number and an item id to whether the user had consumed the item; None if unknown."""


async def judge_dialogues(
    stage: Stage,
    held: Sequence[tuple[Agent | None, DialogueLogged]],
    spec: DialogueJudgeSpec,
    facts: Facts = lambda _: (),
    seen: Seen = lambda *_: None,
) -> None:
    """Ask the judge to grade the dialogues of the first needs, and log the grades.

    Those numbered below `spec.dialogues`, so that all systems and simulators are judged on the same needs,
    whether `held` is one batch of dialogues or all of them. Failed dialogues are not judged. An answer that
    cannot be used is noted with a score of None. Aspects asked together stand in an order drawn for the need
    and the repeat, the same for all systems.
    """
    draw = Draw(stage.answering.seed, "conversational.aspects")
    cases = []
    for agent, one in held:
        if one.number < spec.dialogues and one.end not in FAILED:
            person = patience_words(agent.persona) if agent else ""
            talk = judged_dialogue(one, facts, seen, person)
            cases += [(agent, one, *case) for case in _cases(talk, one.number, spec, draw)]
    asked: list[tuple[str, Question[Any]]] = [(JUDGE, question) for *_, question in cases]
    replies = await stage.ask_all(asked)
    for (agent, one, probe, repeat, question), reply in zip(cases, replies, strict=True):
        grades = question.by_aspect(reply) if reply else {}
        for aspect in sorted(question.aspects, key=ASPECTS.index):
            given = grades.get(aspect)
            judged = DialogueJudged(
                number=one.number,
                simulator=one.simulator,
                system=one.system,
                aspect=aspect,
                probe=probe,
                repeat=repeat,
                score=given.grade if given else None,
                explanation=given.what_you_see if given else "",
            )
            stage.act(agent, judged)


def _cases(
    talk: JudgedDialogue, number: int, spec: DialogueJudgeSpec, draw: Draw
) -> Iterator[tuple[Probe, int, DialogueJudge | DialogueJudgeTogether]]:
    """Yield the probe and repeat of each question about a dialogue, and the question."""
    variants: list[tuple[Probe, int]] = [("", repeat) for repeat in range(1, spec.repeats + 1)]
    variants += [(probe, 1) for probe in PROBES if spec.probes]
    for aspects in [ASPECTS] if spec.together else [(aspect,) for aspect in ASPECTS]:
        for probe, repeat in variants:
            own: list[Any] = [*aspects]
            if spec.together:
                own = draw.order(aspects, item=f"{number}/{repeat}")
            yield probe, repeat, probe_question(talk, probe, *own)


def probe_question(
    talk: JudgedDialogue, probe: Probe, *aspects: Aspect
) -> DialogueJudge | DialogueJudgeTogether:
    """Build the judge's question under a probe: scale reversed, dialogue padded, or unchanged."""
    padded = pad_dialogue(talk) if probe == "verbosity" else talk
    return judge_question(padded, *aspects, worst_first=probe == "order")


def pad_dialogue(talk: JudgedDialogue) -> JudgedDialogue:
    """Add polite filler to each system turn, to probe the judge's verbosity bias; nothing new is said.

    Where acts are known the filler is marked for what it is, ACKNOWLEDGE.
    """
    before, after = FILLER

    polite = (build_act("ACKNOWLEDGE"),)
    turns = list(talk.turns)
    for n, turn in enumerate(turns):
        if turn.speaker == "system":
            acts = turn.acts + polite if turn.acts else ()
            turns[n] = build_utterance("system", f"{before}\n{turn.text}\n{after}", acts, turn.items)
    if any(turn.speaker == "system" for turn in turns):
        turns.append(build_utterance("system", after, polite if any(turn.acts for turn in turns) else ()))
    return replace(talk, turns=tuple(turns))


def judged_dialogue(
    held: DialogueLogged, facts: Facts = lambda _: (), seen: Seen = lambda *_: None, person: str = ""
) -> JudgedDialogue:
    """Build the judge's view of a logged dialogue, without the names of simulator and system."""
    titles = {
        item: title for offer in held.offers for item, title in zip(offer.items, offer.titles, strict=True)
    }
    return JudgedDialogue(
        turns=held.utterances,
        shown=tuple(_judged_items(held, facts, seen)),
        need=held.need.without_targets if held.need else None,
        end=held.end,
        taken=titles.get(held.accepted, "") if held.accepted else "",
        person=person,
    )


def _judged_items(held: DialogueLogged, facts: Facts, seen: Seen) -> Iterator[JudgedItem]:
    """Yield the recommended items with the number of the turn that recommended them."""
    answers = first_answers(one.speaker for one in held.utterances)
    for offer in held.offers:
        for item, title, worth in zip(offer.items, offer.titles, offer.utilities, strict=True):
            known = tuple(facts(item)) if item else ()
            had = seen(held.number, item) if item else None
            turn = answers.get(offer.turn, len(held.utterances) - 1) + 1
            yield JudgedItem(turn, title, known, worth, had)
