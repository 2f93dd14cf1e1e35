"""Annotation of imported dialogues with acts and needs, by a reader or by questions to an annotator."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from openiir.plugin import InputError, Stage
from openiir.scenarios.conversational.dialogue import (
    SYSTEM_INTENTS,
    USER_INTENTS,
    Act,
    Dialogue,
    Need,
    Utterance,
    build_act,
)
from openiir.scenarios.conversational.questions.extract_need import need_question
from openiir.scenarios.conversational.questions.understand import Understand, understand_question
from openiir.scenarios.conversational.understanding.catalogue import CatalogueReader

ANNOTATOR = "annotator"
"""Name of the role that annotates; it has no persona."""
SEEN = 4
"""Number of preceding utterances shown as context."""
_OURS = frozenset({*USER_INTENTS, *SYSTEM_INTENTS})


async def annotate_by_question(
    stage: Stage, dialogues: Sequence[Dialogue], reader: CatalogueReader
) -> list[Dialogue]:
    """Annotate dialogues with openiir's acts by questions to the annotator, and with the recommended items.

    Those that have such acts keep them; of others every utterance is asked for, and where no usable answer comes, the
    reader's acts stand.
    """
    bare = [dialogue for dialogue in dialogues if not _has_acts(dialogue)]
    questions = [questions_of(dialogue, reader) for dialogue in bare]
    replies = iter(await stage.ask_all([(ANNOTATOR, question) for own in questions for question in own]))
    found = {
        id(dialogue): with_acts(
            dialogue, [q.acts(reply) if (reply := next(replies)) is not None else () for q in own]
        )
        for dialogue, own in zip(bare, questions, strict=True)
    }
    return annotate([found.get(id(dialogue), dialogue) for dialogue in dialogues], reader)


async def needs_in(stage: Stage, dialogues: Sequence[Dialogue], reader: CatalogueReader) -> tuple[Need, ...]:
    """Ask the annotator for the need behind each dialogue; an empty need if it gives no usable answer."""
    finder = NeedFinder(reader)
    questions = [need_question(dialogue, reader.slots, finder) for dialogue in dialogues]
    replies = await stage.ask_all([(ANNOTATOR, question) for question in questions])
    return tuple(
        q.need(reply) if reply is not None else Need() for q, reply in zip(questions, replies, strict=True)
    )


def annotate(dialogues: Iterable[Dialogue], reader: CatalogueReader, again: bool = False) -> list[Dialogue]:
    """Annotate dialogues by a reader; existing acts are kept unless `again` is set.

    A system's utterances are given the ids of the items that they recommend, where none are given.
    """
    found = []
    for dialogue in dialogues:
        said = []
        for utterance, before in _with_context(dialogue):
            acts = utterance.acts
            if again or not acts:
                acts = (reader.user_acts if utterance.speaker == "user" else reader.system_acts)(
                    utterance.text, before
                )
            recommended = _recommended_items(reader, acts) if utterance.speaker == "system" else ()
            said.append(utterance.model_copy(update={"acts": acts, "items": utterance.items or recommended}))
        found.append(dialogue.model_copy(update={"utterances": tuple(said)}))
    return found


def questions_of(dialogue: Dialogue, reader: CatalogueReader) -> list[Understand]:
    """Build the questions about the acts of each utterance, in order; offline, the reader answers."""
    return [
        understand_question(utterance.text, utterance.speaker, reader.slots, before, reader)
        for utterance, before in _with_context(dialogue)
    ]


def with_acts(dialogue: Dialogue, acts: Sequence[Sequence[Act]]) -> Dialogue:
    """Return the dialogue with these acts, one sequence per utterance; raises InputError on a mismatch."""
    if len(acts) != len(dialogue.utterances):
        raise InputError(
            f"dialogue {dialogue.id!r} has {len(dialogue.utterances)} utterances and was given acts for {len(acts)}; "
            "give one sequence of acts an utterance"
        )
    pairs = zip(dialogue.utterances, acts, strict=True)
    said = tuple(utterance.model_copy(update={"acts": tuple(own)}) for utterance, own in pairs)
    return dialogue.model_copy(update={"utterances": said})


def need_of(dialogue: Dialogue, reader: CatalogueReader) -> Need:
    """Extract the user's need from a dialogue by rules.

    Constraints are the values that the user disclosed, or liked before anything was recommended, or missed in a
    recommendation, in the order said, without those disliked; requests are the slots asked for; targets are the items
    that the user took, and those liked where none was taken ("it" is what was recommended last).
    """
    wanted: dict[tuple[str, str], None] = {}
    requests: dict[str, None] = {}
    liked: dict[str, None] = {}
    taken: dict[str, None] = {}
    last: tuple[str, ...] = ()
    for utterance, before in _with_context(dialogue):
        if utterance.speaker == "system":
            last = (
                utterance.items
                or _recommended_items(reader, reader.system_acts(utterance.text, before))
                or last
            )
            continue
        own = (
            utterance.acts
            if utterance.acts and all(act.intent in USER_INTENTS for act in utterance.acts)
            else ()
        )
        for act in own or reader.user_acts(utterance.text, before):
            values = [
                (slot, value) for slot, value in act.pairs if value is not None and slot != reader.title
            ]
            items = reader.items_of([act]) or (
                last if act.intent in ("ACCEPT", "LIKE") and not values else ()
            )
            if act.intent in ("DISCLOSE", "CRITIQUE") or (act.intent == "LIKE" and not last):
                wanted.update(dict.fromkeys(values))
            elif act.intent == "DISLIKE":
                wanted = {pair: None for pair in wanted if pair not in values}
            elif act.intent == "INQUIRE":
                requests.update(dict.fromkeys(slot for slot, value in act.pairs if value is None))
            if act.intent == "ACCEPT":
                taken.update(dict.fromkeys(items))
            elif act.intent == "LIKE" and last:
                liked.update(dict.fromkeys(item for item in items if item in last))
    return Need(constraints=tuple(wanted), requests=tuple(requests), targets=tuple(taken or liked))


@dataclass(frozen=True)
class NeedFinder:
    """Extractor of needs and items from dialogues by a catalogue reader, for the offline answer."""

    reader: CatalogueReader

    def need(self, dialogue: Dialogue) -> Need:
        """Extract the user's need from a dialogue."""
        return need_of(dialogue, self.reader)

    def spelt(self, slot: str, value: str) -> str:
        """Return a value in the catalogue's spelling; unchanged if the catalogue lacks it."""
        return self.reader.ground([build_act("DISCLOSE", (slot, value))], value)[0].slots[0].value or value

    def item(self, title: str) -> str | None:
        """Return the id of the first item with this title; None if there is none."""
        return next(iter(self.reader.items_of([build_act("ACCEPT", (self.reader.title, title))])), None)

    def title(self, item: str) -> str:
        """Return the title of an item."""
        return self.reader.collection.titles[self.reader.collection.index[item]]


def _has_acts(dialogue: Dialogue) -> bool:
    intents = {act.intent for utterance in dialogue.utterances for act in utterance.acts}
    return bool(intents) and intents <= _OURS


def _recommended_items(reader: CatalogueReader, acts: Iterable[Act]) -> tuple[str, ...]:
    return reader.items_of(act for act in acts if act.intent == "RECOMMEND")


def _with_context(dialogue: Dialogue) -> Iterable[tuple[Utterance, tuple[tuple[str, str], ...]]]:
    for at, utterance in enumerate(dialogue.utterances):
        before = dialogue.utterances[max(0, at - SEEN) : at]
        yield utterance, tuple((other.speaker, other.text) for other in before)
