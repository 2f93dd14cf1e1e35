"""Reader of IARD in its original format: ReDial dialogues annotated with seeker intents and recommender
actions."""

import re
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field, StrictInt

from openiir.plugin import int_sum, read_json
from openiir.scenarios.conversational.model.dialogue import Act, Dialogue, Participant, Utterance
from openiir.scenarios.conversational.model.formats.files import Converted, FileProblems, parse_as

_MENTION = re.compile(r"@(\d+) <([^<>]*)>(?:\s*<\2>)*")
"""Mention of an item by id and title; the file repeats some titles."""


class _Entry(BaseModel):
    """An utterance in the file."""

    role: Literal["seeker", "recommender"]
    utterance_text: str
    utterance_pos: StrictInt
    worker_id: Any = None
    intents: Annotated[
        list[Annotated[str, Field(max_length=200)]],
        BeforeValidator(lambda value: value if isinstance(value, list) else []),
    ] = Field([], alias="sub-intent/action")
    actions: Any = Field(None, alias="top-level intent/action")


class _AnnotatedDialogue(BaseModel):
    dialogue_info: dict[str, _Entry]
    accepted_recommendation: Any = None


def read_iard(path: Path | str) -> Converted:
    """Read the dialogues of a raw IARD file.

    Acts are the sub-intents; the text says titles where the file has `@id <title>`, and the ids (ReDial's)
    are the utterance's items. `extra["actions"]` holds the top-level names, and `metadata["accepted"]` the
    places, from 0, of the utterances that accept a recommendation. Raises InputError, naming file, dialogue
    and utterance.
    """
    path = Path(path)
    found = parse_as(dict[str, _AnnotatedDialogue], read_json(path), str(path))
    notes = FileProblems()
    return Converted(tuple(_dialogue(id, one, notes) for id, one in found.items()), tuple(notes.values()))


def _dialogue(id: str, annotated: _AnnotatedDialogue, notes: FileProblems) -> Dialogue:
    here = f"dialogue {id}"
    said = list(annotated.dialogue_info.values())
    entries = sorted(said, key=lambda entry: entry.utterance_pos)
    notes.add("utterances not in the order of their positions, and put into it", here, entries != said)
    place = {entry.utterance_pos: n for n, entry in enumerate(entries)}
    given = annotated.accepted_recommendation
    accepted = [at for at in given if isinstance(at, int)] if isinstance(given, list) else []
    unknown = int_sum(at not in place for at in accepted)
    notes.add("accepted recommendations without an utterance", here, unknown)
    return Dialogue(
        id=id,
        utterances=tuple(_utterance(entry, notes, here) for entry in entries),
        system=_worker(entries, "recommender", "AGENT"),
        user=_worker(entries, "seeker", "USER"),
        metadata={"accepted": [place[at] for at in accepted if at in place]},
    )


def _worker(entries: list[_Entry], role: str, type: Any) -> Participant | None:
    ids = (e.worker_id for e in entries if e.role == role and "worker_id" in e.model_fields_set)
    return next((Participant(id=str(id), type=type) for id in ids), None)


def _utterance(entry: _Entry, notes: FileProblems, here: str) -> Utterance:
    text = _MENTION.sub(lambda found: plain_title(found[2]), entry.utterance_text)
    notes.add("utterances without intents", here, not entry.intents)
    notes.add("utterances with an @ that is no mention of an item", here, "@" in text)
    return Utterance(
        speaker="user" if entry.role == "seeker" else "system",
        text=text,
        acts=tuple(Act(intent=intent) for intent in entry.intents),
        items=tuple(dict.fromkeys(number for number, _ in _MENTION.findall(entry.utterance_text))),
        extra={"actions": entry.actions} if isinstance(entry.actions, list) else {},
    )


def plain_title(title: str) -> str:
    """Remove the extra blanks that ReDial's titles have before the year and at their ends."""
    return " ".join(title.split())
