"""Human dialogues in a study: annotate them by questions or by the reader, and log them."""

from collections.abc import Sequence

from openiir.plugin import Stage
from openiir.scenarios.conversational.model.dialogue import (
    SYSTEM_INTENTS,
    USER_INTENTS,
    Dialogue,
    Need,
    all_to_openiir_acts,
    build_utterance,
)
from openiir.scenarios.conversational.model.understanding.annotating import annotate, with_context
from openiir.scenarios.conversational.model.understanding.catalogue import CatalogueReader
from openiir.scenarios.conversational.questions.extract_need import build_need_question
from openiir.scenarios.conversational.questions.understand import Understand, understand_question
from openiir.scenarios.conversational.run.actions import HumanDialogueLogged

ANNOTATOR = "annotator"
"""Name of the role that annotates; it has no persona."""
_OURS = frozenset({*USER_INTENTS, *SYSTEM_INTENTS})


async def annotate_by_question(
    stage: Stage, dialogues: Sequence[Dialogue], reader: CatalogueReader
) -> list[Dialogue]:
    """Annotate dialogues with openiir's acts by questions to the annotator, and with the recommended items.

    Those that have such acts keep them; of others every utterance is asked for, and where no usable answer
    comes, the reader's acts stand.
    """
    questions = []
    for dialogue in dialogues:
        intents = {act.intent for utterance in dialogue.utterances for act in utterance.acts}
        questions.append([] if intents and intents <= _OURS else understand_questions(dialogue, reader))
    replies = iter(await stage.ask_all([(ANNOTATOR, question) for own in questions for question in own]))
    found = []
    for dialogue, own in zip(dialogues, questions, strict=True):
        acts = [question.acts(reply) if (reply := next(replies)) else () for question in own]
        said = tuple(
            utterance.model_copy(update={"acts": done})
            for utterance, done in zip(dialogue.utterances, acts, strict=False)
        )
        found.append(dialogue.model_copy(update={"utterances": said or dialogue.utterances}))
    return annotate(found, reader)


async def ask_needs(stage: Stage, dialogues: Sequence[Dialogue], reader: CatalogueReader) -> tuple[Need, ...]:
    """Ask the annotator for the need behind each dialogue; an empty need if it gives no usable answer."""
    questions = [build_need_question(dialogue, reader) for dialogue in dialogues]
    replies = await stage.ask_all([(ANNOTATOR, question) for question in questions])
    return tuple(
        q.need(reply) if reply is not None else Need() for q, reply in zip(questions, replies, strict=True)
    )


def understand_questions(dialogue: Dialogue, reader: CatalogueReader) -> list[Understand]:
    """Build the questions about the acts of each utterance, in order; offline, the reader answers."""
    return [
        understand_question(utterance.text, utterance.speaker, reader.slots, before, reader)
        for utterance, before in with_context(dialogue)
    ]


def log_human_dialogues(
    stage: Stage, dialogues: Sequence[Dialogue], reader: CatalogueReader, source: str
) -> None:
    """Log human dialogues, for comparison with simulated ones.

    Those with acts of a known scheme keep them, in our own intents; the acts of others are read from the
    words.
    """
    for dialogue in all_to_openiir_acts(dialogues):
        acts = {act.intent for said in dialogue.utterances if said.speaker == "user" for act in said.acts}
        known = (
            dialogue if acts and acts.issubset(USER_INTENTS) else annotate([dialogue], reader, again=True)[0]
        )
        plain = tuple(
            build_utterance(said.speaker, said.text, said.acts, said.items) for said in known.utterances
        )
        stage.act(None, HumanDialogueLogged(source=source, dialogue=dialogue.id, utterances=plain))
