"""Reader of ReDial's JSONL: dialogues of two crowd workers, one seeking a film; also with iEvaLM's
additions."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from openiir.plugin import int_sum, parse_json, read_text
from openiir.scenarios.conversational.model.dialogue import Dialogue, Participant, Utterance
from openiir.scenarios.conversational.model.formats.files import Converted, FileProblems, parse_as
from openiir.scenarios.conversational.model.formats.iard import plain_title

_MENTION = re.compile(r"@(\d+)")


class _Message(BaseModel, extra="allow"):
    senderWorkerId: Any
    text: str


class _Line(BaseModel):
    """A dialogue in the file, which has `[]` where there are no films or answers."""

    messages: list[_Message]
    initiatorWorkerId: Any
    respondentWorkerId: Any
    conversationId: Any = None
    movieMentions: Any = None
    initiatorQuestions: Any = None
    respondentQuestions: Any = None


def read_redial(path: Path | str) -> Converted:
    """Read the dialogues of a ReDial file, one per line; the initiator is the user.

    A mention `@id` becomes the title, and the ids are the utterance's items; a mention of a film that the
    dialogue does not list, or lists without a title, stays as it is. What each party said of each film
    (suggested, seen and liked: 0 no, 1 yes, 2 not said) is `metadata["initiator"]` and
    `metadata["respondent"]`, the titles by id are `metadata["movies"]`, and whatever else a message holds is
    the utterance's `extra`. Dialogues in which the two parties cannot be told apart are left out and noted.
    Raises InputError, naming file, line and message.
    """
    path = Path(path)
    notes, read = FileProblems(), []
    for n, text in enumerate(read_text(path, limit="json_bytes").splitlines(), 1):
        if text.strip():
            where = f"{path}, line {n}"
            line = parse_as(_Line, parse_json(text, where), where)
            id = str(line.conversationId if "conversationId" in line.model_fields_set else n)
            read.append(_dialogue(line, id, notes))
    return Converted(tuple(dialogue for dialogue in read if dialogue is not None), tuple(notes.values()))


def _dialogue(line: _Line, id: str, notes: FileProblems) -> Dialogue | None:
    here = f"dialogue {id}"
    if line.initiatorWorkerId == line.respondentWorkerId:
        notes.add("dialogues left out: initiator and respondent are one worker", here)
        return None
    role_of = {str(line.initiatorWorkerId): "user", str(line.respondentWorkerId): "system"}
    films = line.movieMentions if isinstance(line.movieMentions, dict) else {}
    movies = {id: plain_title(film) for id, film in films.items() if isinstance(film, str) and film.strip()}
    notes.add("films listed without a title", here, len(films) - len(movies))
    said = []
    for message in line.messages:
        if str(message.senderWorkerId) not in role_of:
            notes.add("dialogues left out: a message is from neither party", here)
            return None
        said.append(_utterance(message, role_of[str(message.senderWorkerId)], movies, here, notes))
    answers = {"initiator": line.initiatorQuestions, "respondent": line.respondentQuestions}
    for party, given in answers.items():
        unanswered = not isinstance(given, dict)
        notes.add(f"dialogues in which the {party} answered no questions", here, unanswered)
    return Dialogue(
        id=id,
        utterances=tuple(said),
        system=Participant(id=str(line.respondentWorkerId), type="AGENT"),
        user=Participant(id=str(line.initiatorWorkerId), type="USER"),
        metadata={"movies": movies}
        | {party: given if isinstance(given, dict) else {} for party, given in answers.items()},
    )


def _utterance(
    message: _Message, role: Any, movies: Mapping[str, str], here: str, notes: FileProblems
) -> Utterance:
    mentioned = dict.fromkeys(_MENTION.findall(message.text))
    unknown = int_sum(id not in movies for id in mentioned)
    notes.add("mentions of a film without a known title, left as @id", here, unknown)
    stray = "@" in _MENTION.sub("", message.text)
    notes.add("utterances with an @ that is no mention of a film", here, stray)
    return Utterance(
        speaker=role,
        text=_MENTION.sub(lambda found: movies.get(found[1], found[0]), message.text),
        items=tuple(mentioned),
        extra=message.model_extra or {},
    )
