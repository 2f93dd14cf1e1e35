"""Dialogues that people held, as the judge sees them: no need is known, and acts and items are read from the words."""

from collections.abc import Callable, Sequence
from typing import Protocol, get_args

from openiir.kit.dialogue import Act, Dialogue, UserIntent, Utterance
from openiir.kit.dialogue.schemes import all_in_our_terms
from openiir.plugin import Stage
from openiir.scenarios.conversational.actions import Observed
from openiir.scenarios.conversational.judging.judge import Facts, turn_of
from openiir.scenarios.conversational.judging.talk import Shown, Talk

Said = tuple[str, str]


class Reads(Protocol):
    """Whoever reads acts and items in words."""

    def user_acts(self, text: str, context: Sequence[Said] = ()) -> tuple[Act, ...]:
        """What a user's words do."""
        ...

    def system_acts(self, text: str, context: Sequence[Said] = ()) -> tuple[Act, ...]:
        """What a system's words do."""
        ...

    def items_of(self, acts: Sequence[Act]) -> tuple[str, ...]:
        """Ids of the items that acts name."""
        ...


def read(dialogue: Dialogue, reader: Reads) -> Dialogue:
    """The dialogue with acts, and items of the system's turns, as `reader` understands them.

    What a format says of acts and items gives way: the two sides of a comparison are to be read in one way.
    """
    context: list[Said] = []
    found: list[Utterance] = []
    for said in dialogue.utterances:
        acts_in = reader.user_acts if said.speaker == "user" else reader.system_acts
        acts = tuple(acts_in(said.text, tuple(context)))
        items = tuple(reader.items_of(acts)) if said.speaker == "system" else ()
        found.append(said.model_copy(update={"acts": acts, "items": items}))
        context.append((said.speaker, said.text))
    return dialogue.model_copy(update={"utterances": tuple(found)})


def note_people(stage: Stage, dialogues: Sequence[Dialogue], reader: Reads, source: str) -> None:
    """Note dialogues of people, for simulated ones to be compared with.

    Those with acts of a known scheme keep them, in our own intents; the acts of others are read from the words.
    """
    for dialogue in all_in_our_terms(dialogues):
        acts = {act.intent for said in dialogue.utterances if said.speaker == "user" for act in said.acts}
        known = dialogue if acts and acts <= set(get_args(UserIntent)) else read(dialogue, reader)
        plain = tuple(
            Utterance(speaker=said.speaker, text=said.text, acts=said.acts, items=said.items) for said in known.utterances
        )
        stage.act(None, Observed(source=source, dialogue=dialogue.id, utterances=plain))


def talk_of_people(dialogue: Dialogue, facts: Facts = lambda _: (), title: Callable[[str], str] = str) -> Talk:
    """The dialogue as a judge sees it, with the facts of the items that its system turns recommend."""
    shown = [
        Shown(n, title(item), tuple(facts(item)))
        for n, said in enumerate(dialogue.utterances, 1)
        if said.speaker == "system"
        for item in said.items
    ]
    return Talk(tuple(map(turn_of, dialogue.utterances)), tuple(shown), dialogue.need)
