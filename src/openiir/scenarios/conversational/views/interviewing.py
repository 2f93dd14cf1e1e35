"""Interviews with simulated users about their dialogues, after the run."""

from collections.abc import Iterator
from typing import Any

from openiir.kit.interviewing import look_back
from openiir.kit.prompting import join_words
from openiir.plugin import EpisodicMemory, Interview, Log, Persona
from openiir.scenarios.conversational.behaviour.user_state import HALF_LIFE, OWN
from openiir.scenarios.conversational.behaviour.users import redraw_persona
from openiir.scenarios.conversational.config import config_at
from openiir.scenarios.conversational.model.generation.phrases import NOUNS, trait
from openiir.scenarios.conversational.questions.after_run import AfterDialogues
from openiir.scenarios.conversational.run.actions import DialogueLogged, StudyOpened
from openiir.scenarios.conversational.views.dialogue_view import ENDS, offered_titles


def interview(log: Log, persona: Persona, asked: str) -> AfterDialogues:
    """Build the question to one user, with its own needs and dialogues."""
    events = list(log.events(DialogueLogged.kind, actor=persona.id))
    held = [event.payload for event in events]
    memory = EpisodicMemory(persona.memory, half_life=HALF_LIFE)
    for one in held:
        for text, importance in _memories(one):
            memory.store(text, importance)
    said = tuple(text for _, text in statements(log, persona.id))
    part = _part(log, held)
    if events:  # a change may have made the user another than it was drawn
        before = redraw_persona(config_at(log, events[0].step), persona, held[0]["number"])
        part += "" if before.bio == persona.bio else f" At that time this was true of you: {before.bio}"
    return AfterDialogues(part, look_back(memory, asked), asked, said)


def _part(log: Log, held: list[Any]) -> str:
    if not held:
        return "You have asked no recommendation service for anything."
    noun = NOUNS.get(
        next((event.payload["noun"] for event in log.events(StudyOpened.kind)), "item"), NOUNS["item"]
    )
    wishes = "; ".join(trait(*pair) for pair in held[0]["need"]["constraints"])
    services = join_words(list(dict.fromkeys(one["system"] for one in held)))
    return (
        f"You have asked recommendation services for a {noun.one}: {services}. What you were after: {wishes}."
    )


def _memories(held: Any) -> Iterator[tuple[str, float]]:
    """Yield the (text, importance) memories that a user has of a dialogue."""
    service = held["system"]
    for said in held["utterances"]:
        own = said["speaker"] == "user"
        yield f'{f"you said to {service}" if own else f"{service} said"}: "{said["text"]}"', OWN * own
    taken = offered_titles(held).get(held["accepted"], "what it offered")
    ended = ENDS[held["end"]][1].format(taken=taken)
    yield f"the dialogue with {service} ended: {ended}", 1.0


def statements(log: Log, agent: str) -> list[tuple[str, str]]:
    """List a user's utterances as (id, text), for a human participant to agree or disagree with."""
    held = (event.payload for event in log.events(DialogueLogged.kind, actor=agent))
    said = (said["text"] for one in held for said in one["utterances"] if said["speaker"] == "user")
    return [(f"said-{n}", text) for n, text in enumerate(said, 1)]


INTERVIEW = Interview("chat", "Ask a user about its dialogues", interview, statements)
