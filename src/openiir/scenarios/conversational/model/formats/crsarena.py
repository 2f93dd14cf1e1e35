"""Reader of CRSArena-Eval: human dialogues with nine recommenders and their crowd labels."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, StrictFloat, StrictInt

from openiir.plugin import read_json
from openiir.scenarios.conversational.model.dialogue import Dialogue, Participant, Utterance
from openiir.scenarios.conversational.model.formats.files import Converted, FileProblems, parse_as

CROWD = "crowd"
"""Key of `Dialogue.metadata` that holds the crowd labels of the whole dialogue, by aspect."""
TURN_ASPECTS: Mapping[str, int] = {"relevance": 2, "interestingness": 2}
"""Aspects labelled for each system turn, with the highest label; the lowest is 0."""
DIALOGUE_ASPECTS: Mapping[str, int] = {
    "dialogue_overall": 4,
    "understanding": 2,
    "task_completion": 2,
    "interest_arousal": 2,
    "efficiency": 1,
    "preference_elicitation": 2,
    "explanation": 2,
}
"""Aspects labelled for each dialogue, with the highest label; the lowest is 0."""
Labels = Annotated[
    dict[str, StrictInt | StrictFloat],
    BeforeValidator(lambda value: value if isinstance(value, dict) else {}),
]
"""Crowd labels by aspect, in the file's order; none where the file has no table of them."""


class _Turn(BaseModel):
    role: Literal["USER", "ASST"]
    utterance: str
    turn_level_aggregated: Labels = {}


class _RatedDialogue(BaseModel):
    conv_id: Any
    dialogue: list[_Turn]
    dial_level_aggregated: Labels = {}


def read_crsarena_eval(path: Path | str) -> Converted:
    """Read the dialogues of CRSArena-Eval with their aggregated labels.

    The labels of a turn are the utterance's annotations, those of the dialogue `metadata["crowd"]`. A label
    that is missing is noted and left out. The system's id is what stands before the person's in the
    dialogue's id. Raises InputError, naming file, dialogue and turn.
    """
    path = Path(path)
    notes = FileProblems()
    rated = parse_as(list[_RatedDialogue], read_json(path), str(path))
    return Converted(tuple(_dialogue(one, notes) for one in rated), tuple(notes.values()))


def _dialogue(rated: _RatedDialogue, notes: FileProblems) -> Dialogue:
    id = str(rated.conv_id)
    system, _, user = id.rpartition("_")
    for turn in rated.dialogue:
        if turn.role == "ASST":
            _note_labels(turn.turn_level_aggregated, TURN_ASPECTS, "system turns", id, notes)
    _note_labels(rated.dial_level_aggregated, DIALOGUE_ASPECTS, "dialogues", id, notes)
    return Dialogue(
        id=id,
        utterances=tuple(
            Utterance(
                speaker="user" if turn.role == "USER" else "system",
                text=turn.utterance,
                annotations=tuple(turn.turn_level_aggregated.items()),
            )
            for turn in rated.dialogue
        ),
        system=Participant(id=system, type="AGENT") if system else None,
        user=Participant(id=user, type="USER"),
        metadata={CROWD: rated.dial_level_aggregated},
    )


def _note_labels(labels: Labels, aspects: Mapping[str, int], what: str, id: str, notes: FileProblems) -> None:
    """Note the missing and out-of-range labels."""
    for aspect, highest in aspects.items():
        notes.add(f"{what} without a label of {aspect}", f"dialogue {id}", aspect not in labels)
        outside = not 0 <= labels.get(aspect, 0) <= highest
        notes.add(f"labels of {aspect} outside 0 to {highest}", f"dialogue {id}", outside)
