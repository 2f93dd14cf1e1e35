"""Dialogues of people in a study: acts and needs in them, by whoever the study lets answer for the annotator."""

from collections.abc import Sequence
from typing import get_args

from openiir.kit.dialogue import Dialogue, Need, SystemIntent, UserIntent
from openiir.plugin import Stage
from openiir.scenarios.conversational.questions.extract_need import need_question
from openiir.scenarios.conversational.understanding import CatalogueReader
from openiir.scenarios.conversational.understanding.annotating import (
    NeedFinder,
    annotate,
    questions_of,
    with_acts,
)

ANNOTATOR = "annotator"
"""The role that annotates; it has no persona."""
_OURS = frozenset({*get_args(UserIntent), *get_args(SystemIntent)})


async def annotated(stage: Stage, dialogues: Sequence[Dialogue], reader: CatalogueReader) -> list[Dialogue]:
    """The dialogues with acts in our own intents, and with the items that systems name.

    Those that have such acts keep them; of others every utterance is asked for. One without a usable answer has none.
    """
    bare = [dialogue for dialogue in dialogues if not _has_acts(dialogue)]
    questions = [questions_of(dialogue, reader) for dialogue in bare]
    replies = iter(await stage.ask_all([(ANNOTATOR, question) for own in questions for question in own]))
    found = {
        id(dialogue): with_acts(dialogue, [q.acts(reply) if (reply := next(replies)) is not None else () for q in own])
        for dialogue, own in zip(bare, questions, strict=True)
    }
    return annotate([found.get(id(dialogue), dialogue) for dialogue in dialogues], reader)


async def needs_in(stage: Stage, dialogues: Sequence[Dialogue], reader: CatalogueReader) -> tuple[Need, ...]:
    """The need behind each dialogue; nothing wanted where no usable answer came."""
    finder = NeedFinder(reader)
    questions = [need_question(dialogue, reader.slots, finder) for dialogue in dialogues]
    replies = await stage.ask_all([(ANNOTATOR, question) for question in questions])
    return tuple(q.need(reply) if reply is not None else Need() for q, reply in zip(questions, replies, strict=True))


def _has_acts(dialogue: Dialogue) -> bool:
    intents = {act.intent for utterance in dialogue.utterances for act in utterance.acts}
    return bool(intents) and intents <= _OURS
