"""Reader of ReDial's JSONL: dialogues of two crowd workers, one seeking a film; also with iEvaLM's
additions."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from openiir.plugin import int_sum, parse_json, read_text
from openiir.scenarios.conversational.model.dialogue import Dialogue, Participant, Utterance
from openiir.scenarios.conversational.model.formats.files import Converted, Notes, a_list, a_text, an_object
from openiir.scenarios.conversational.model.formats.iard import plain_title

_MENTION = re.compile(r"@(\d+)")
_PARTS = {"user": "initiator", "system": "respondent"}


def read_redial(path: Path | str) -> Converted:
    """Read the dialogues of a ReDial file, one per line; the initiator is the user.

    A mention `@id` becomes the title, and the ids are the utterance's items; a mention of a film that the
    dialogue does not list, or lists without a title, stays as it is. What each party said of each film
    (suggested, seen and liked: 0 no, 1 yes, 2 not said) is `metadata["initiator"]` and
    `metadata["respondent"]`, the titles by id are `metadata["movies"]`, and whatever else a message holds is
    the utterance's `extra`. Dialogues in which the two parties cannot be told apart are left out and noted.
    Raises InputError, naming file, line and dialogue.
    """
    path = Path(path)
    notes, read = Notes(), []
    for n, line in enumerate(read_text(path, limit="json_bytes").splitlines(), 1):
        if line.strip():
            where = f"{path}, line {n}"
            document = an_object(
                parse_json(line, where), where, "messages", "initiatorWorkerId", "respondentWorkerId"
            )
            read.append(_dialogue(document, str(document.get("conversationId", n)), where, notes))
    return Converted(tuple(dialogue for dialogue in read if dialogue is not None), notes.all())


def _dialogue(document: Mapping[str, Any], id: str, where: str, notes: Notes) -> Dialogue | None:
    where, here = f"{where}, dialogue {id}", f"dialogue {id}"
    workers = {role: document[f"{part}WorkerId"] for role, part in _PARTS.items()}
    messages = a_list(document["messages"], f"{where}: messages", "messages")
    if workers["user"] == workers["system"]:
        notes.add("dialogues left out: initiator and respondent are one worker", here)
        return None
    role_of = {str(worker): role for role, worker in workers.items()}
    movies = _films(document.get("movieMentions"), here, notes)
    said = []
    for n, message in enumerate(messages, 1):
        message = an_object(message, f"{where}, message {n}", "senderWorkerId", "text")
        a_text(message["text"], f"{where}, message {n}", "text")
        if str(message["senderWorkerId"]) not in role_of:
            notes.add("dialogues left out: a message is from neither party", here)
            return None
        said.append(_utterance(message, role_of[str(message["senderWorkerId"])], movies, here, notes))
    answers = {
        part: _answers(document.get(f"{part}Questions"), part, here, notes) for part in _PARTS.values()
    }
    return Dialogue(
        id=id,
        utterances=tuple(said),
        system=Participant(id=str(workers["system"]), type="AGENT"),
        user=Participant(id=str(workers["user"]), type="USER"),
        metadata={"movies": movies, **answers},
    )


def _films(value: Any, here: str, notes: Notes) -> dict[str, str]:
    """Return the film titles by id; the file has `[]` for no films, and some films lack a title."""
    films = value if isinstance(value, dict) else {}
    known = {
        id: plain_title(title) for id, title in films.items() if isinstance(title, str) and title.strip()
    }
    notes.add("films listed without a title", here, len(films) - len(known))
    return known


def _answers(value: Any, part: str, here: str, notes: Notes) -> dict[str, Any]:
    """Return a party's answers about each film; the file has `[]` for no answers."""
    if isinstance(value, dict):
        return value
    notes.add(f"dialogues in which the {part} answered no questions", here)
    return {}


def _utterance(
    message: Mapping[str, Any], role: Any, movies: Mapping[str, str], here: str, notes: Notes
) -> Utterance:
    text = message["text"]
    mentioned = dict.fromkeys(_MENTION.findall(text))
    notes.add(
        "mentions of a film without a known title, left as @id",
        here,
        int_sum(id not in movies for id in mentioned),
    )
    notes.add("utterances with an @ that is no mention of a film", here, int("@" in _MENTION.sub("", text)))
    return Utterance(
        speaker=role,
        text=_MENTION.sub(lambda found: movies.get(found[1], found[0]), text),
        items=tuple(mentioned),
        extra={key: value for key, value in message.items() if key not in ("senderWorkerId", "text")},
    )
