"""Reader of IARD in its original format: ReDial dialogues annotated with seeker intents and recommender
actions."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from openiir.plugin import InputError, int_sum, read_json
from openiir.scenarios.conversational.model.dialogue import Act, Dialogue, Participant, Utterance
from openiir.scenarios.conversational.model.formats.files import (
    Converted,
    Notes,
    a_text,
    an_object,
    one_of,
    record_error,
)

_MENTION = re.compile(r"@(\d+) <([^<>]*)>(?:\s*<\2>)*")
"""Mention of an item by id and title; the file repeats some titles."""
_SAID, _TOP, _SUB = "utterance_text", "top-level intent/action", "sub-intent/action"
_ROLES: Mapping[str, Any] = {"seeker": "user", "recommender": "system"}


def read_iard(path: Path | str) -> Converted:
    """Read the dialogues of a raw IARD file.

    Acts are the sub-intents; the text says titles where the file has `@id <title>`, and the ids (ReDial's)
    are the utterance's items. `extra["actions"]` holds the top-level names, and `metadata["accepted"]` the
    places, from 0, of the utterances that accept a recommendation. Raises InputError, naming file, dialogue
    and utterance.
    """
    path = Path(path)
    found = an_object(read_json(path), str(path))
    notes = Notes()
    dialogues = tuple(
        _dialogue(id, document, f"{path}, dialogue {id}", notes) for id, document in found.items()
    )
    return Converted(dialogues, notes.all())


def _dialogue(id: str, document: Any, where: str, notes: Notes) -> Dialogue:
    said = an_object(an_object(document, where, "dialogue_info")["dialogue_info"], f"{where}: dialogue_info")
    entries = [an_object(entry, f"{where}, {key}", "role", _SAID) for key, entry in said.items()]
    positions = [entry["utterance_pos"] for entry in entries if isinstance(entry.get("utterance_pos"), int)]
    if len(positions) < len(entries):
        raise InputError(f"{where}: an utterance has no whole number as utterance_pos; number them in order")
    if positions != sorted(positions):
        notes.add("utterances not in the order of their positions, and put into it", f"dialogue {id}")
        entries = sorted(entries, key=lambda entry: int(entry["utterance_pos"]))
    place = {entry["utterance_pos"]: n for n, entry in enumerate(entries)}
    given = document.get("accepted_recommendation")
    accepted = [at for at in given if isinstance(at, int)] if isinstance(given, list) else []
    notes.add(
        "accepted recommendations without an utterance",
        f"dialogue {id}",
        int_sum(at not in place for at in accepted),
    )
    workers = {
        role: [e["worker_id"] for e in entries if e["role"] == role and "worker_id" in e] for role in _ROLES
    }
    return Dialogue(
        id=id,
        utterances=tuple(
            _utterance(entry, f"{where}, utterance {entry['utterance_pos']}", notes, id) for entry in entries
        ),
        system=_worker(workers["recommender"], "AGENT"),
        user=_worker(workers["seeker"], "USER"),
        metadata={"accepted": [place[at] for at in accepted if at in place]},
    )


def _worker(ids: list[Any], type: Any) -> Participant | None:
    return Participant(id=str(ids[0]), type=type) if ids else None


def _utterance(entry: Mapping[str, Any], where: str, notes: Notes, id: str) -> Utterance:
    speaker = one_of(entry["role"], _ROLES, where, "role")
    said = a_text(entry[_SAID], where, _SAID)
    intents, actions = entry.get(_SUB), entry.get(_TOP)
    if not isinstance(intents, list) or not intents:
        notes.add("utterances without intents", f"dialogue {id}")
        intents = []
    text = _MENTION.sub(lambda found: plain_title(found[2]), said)
    notes.add("utterances with an @ that is no mention of an item", f"dialogue {id}", int("@" in text))
    try:
        return Utterance(
            speaker=speaker,
            text=text,
            acts=tuple(Act(intent=intent) for intent in intents),
            items=tuple(dict.fromkeys(number for number, _ in _MENTION.findall(said))),
            extra={"actions": actions} if isinstance(actions, list) else {},
        )
    except ValidationError as error:
        raise record_error(error, where) from None


def plain_title(title: str) -> str:
    """Remove the extra blanks that ReDial's titles have before the year and at their ends."""
    return " ".join(title.split())
