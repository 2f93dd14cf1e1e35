"""Logging and judging of human dialogues, whose need is unknown and whose acts are read from the words."""

from collections.abc import Callable, Sequence

from openiir.plugin import Stage
from openiir.scenarios.conversational.actions import HumanDialogueLogged
from openiir.scenarios.conversational.dialogue import USER_INTENTS, Dialogue, Utterance, all_in_our_terms
from openiir.scenarios.conversational.grading.judged_dialogue import JudgedDialogue, JudgedItem
from openiir.scenarios.conversational.judging.judge import Facts, view_turn
from openiir.scenarios.conversational.understanding import CatalogueReader
from openiir.scenarios.conversational.understanding.annotating import annotate


def log_human_dialogues(
    stage: Stage, dialogues: Sequence[Dialogue], reader: CatalogueReader, source: str
) -> None:
    """Log human dialogues, for comparison with simulated ones.

    Those with acts of a known scheme keep them, in our own intents; the acts of others are read from the words.
    """
    for dialogue in all_in_our_terms(dialogues):
        acts = {act.intent for said in dialogue.utterances if said.speaker == "user" for act in said.acts}
        known = (
            dialogue if acts and acts.issubset(USER_INTENTS) else annotate([dialogue], reader, again=True)[0]
        )
        plain = tuple(
            Utterance(speaker=said.speaker, text=said.text, acts=said.acts, items=said.items)
            for said in known.utterances
        )
        stage.act(None, HumanDialogueLogged(source=source, dialogue=dialogue.id, utterances=plain))


def judged_human_dialogue(
    dialogue: Dialogue, facts: Facts = lambda _: (), title: Callable[[str], str] = str
) -> JudgedDialogue:
    """Build the judge's view of a human dialogue, with the attributes of the items that its system turns recommend."""
    shown = [
        JudgedItem(n, title(item), tuple(facts(item)))
        for n, said in enumerate(dialogue.utterances, 1)
        if said.speaker == "system"
        for item in said.items
    ]
    return JudgedDialogue(tuple(map(view_turn, dialogue.utterances)), tuple(shown), dialogue.need)
