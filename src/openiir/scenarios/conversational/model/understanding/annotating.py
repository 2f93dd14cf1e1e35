"""Annotation of imported dialogues with acts and needs, by a reader."""

from collections.abc import Iterable

from openiir.scenarios.conversational.model.dialogue import (
    USER_INTENTS,
    Act,
    Dialogue,
    Need,
    Utterance,
)
from openiir.scenarios.conversational.model.understanding.catalogue import CatalogueReader

SEEN = 4
"""Number of preceding utterances shown as context."""


def annotate(dialogues: Iterable[Dialogue], reader: CatalogueReader, again: bool = False) -> list[Dialogue]:
    """Annotate dialogues by a reader; existing acts are kept unless `again` is set.

    A system's utterances are given the ids of the items that they recommend, where none are given.
    """
    found = []
    for dialogue in dialogues:
        said = []
        for utterance, before in with_context(dialogue):
            acts = utterance.acts
            if again or not acts:
                acts = (reader.user_acts if utterance.speaker == "user" else reader.system_acts)(
                    utterance.text, before
                )
            recommended = _recommended_items(reader, acts) if utterance.speaker == "system" else ()
            said.append(utterance.model_copy(update={"acts": acts, "items": utterance.items or recommended}))
        found.append(dialogue.model_copy(update={"utterances": tuple(said)}))
    return found


def find_need(dialogue: Dialogue, reader: CatalogueReader) -> Need:
    """Extract the user's need from a dialogue by rules.

    Constraints are the values that the user disclosed, or liked before anything was recommended, or missed in
    a recommendation, in the order said, without those disliked; requests are the slots asked for; targets are
    the items that the user took, and those liked where none was taken ("it" is what was recommended last).
    """
    wanted: dict[tuple[str, str], None] = {}
    requests: dict[str, None] = {}
    liked: dict[str, None] = {}
    taken: dict[str, None] = {}
    last: tuple[str, ...] = ()
    for utterance, before in with_context(dialogue):
        if utterance.speaker == "system":
            acts = () if utterance.items else reader.system_acts(utterance.text, before)
            last = utterance.items or _recommended_items(reader, acts) or last
            continue
        acts = utterance.acts
        if not acts or any(act.intent not in USER_INTENTS for act in acts):
            acts = reader.user_acts(utterance.text, before)
        for act in acts:
            values = [(slot, v) for slot, v in act.pairs if v is not None and slot != reader.title]
            items = reader.items_of([act])
            if not items and not values and act.intent in ("ACCEPT", "LIKE"):
                items = last
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


def _recommended_items(reader: CatalogueReader, acts: Iterable[Act]) -> tuple[str, ...]:
    return reader.items_of(act for act in acts if act.intent == "RECOMMEND")


def with_context(dialogue: Dialogue) -> Iterable[tuple[Utterance, tuple[tuple[str, str], ...]]]:
    """Yield each utterance with the preceding `SEEN` utterances as (speaker, text)."""
    for at, utterance in enumerate(dialogue.utterances):
        before = dialogue.utterances[max(0, at - SEEN) : at]
        yield utterance, tuple((other.speaker, other.text) for other in before)
