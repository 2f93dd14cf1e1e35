"""Reader of CRSArena-Eval: human dialogues with nine recommenders and their crowd labels."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from openiir.plugin import InputError, read_json
from openiir.scenarios.conversational.model.dialogue import Dialogue, Participant, Utterance
from openiir.scenarios.conversational.model.formats.files import (
    Converted,
    Notes,
    a_list,
    a_text,
    an_object,
    json_kind,
    one_of,
)

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
_ROLES: Mapping[str, Any] = {"USER": "user", "ASST": "system"}


def read_crsarena_eval(path: Path | str) -> Converted:
    """Read the dialogues of CRSArena-Eval with their aggregated labels.

    The labels of a turn are the utterance's annotations, those of the dialogue `metadata["crowd"]`. A label
    that is missing is noted and left out. The system's id is what stands before the person's in the
    dialogue's id. Raises InputError, naming file, dialogue and turn.
    """
    path = Path(path)
    found = a_list(read_json(path), str(path), "dialogues")
    notes = Notes()
    dialogues = tuple(
        _dialogue(document, f"{path}, dialogue {n}", notes) for n, document in enumerate(found, 1)
    )
    return Converted(dialogues, notes.all())


def _dialogue(document: Any, where: str, notes: Notes) -> Dialogue:
    document = an_object(document, where, "conv_id", "dialogue")
    id = str(document["conv_id"])
    where, here = f"{where} ({id})", f"dialogue {id}"
    system, _, user = id.rpartition("_")
    turns = a_list(document["dialogue"], f"{where}: dialogue", "turns")
    said = tuple(_utterance(turn, f"{where}, turn {n}", here, notes) for n, turn in enumerate(turns))
    crowd = _labels(document.get("dial_level_aggregated"), DIALOGUE_ASPECTS, "dialogues", where, here, notes)
    return Dialogue(
        id=id,
        utterances=said,
        system=Participant(id=system, type="AGENT") if system else None,
        user=Participant(id=user, type="USER"),
        metadata={CROWD: crowd},
    )


def _utterance(turn: Any, where: str, here: str, notes: Notes) -> Utterance:
    turn = an_object(turn, where, "role", "utterance")
    speaker = one_of(turn["role"], _ROLES, where, "role")
    asked = TURN_ASPECTS if speaker == "system" else {}
    labels = _labels(turn.get("turn_level_aggregated"), asked, "system turns", where, here, notes)
    return Utterance(
        speaker=speaker,
        text=a_text(turn["utterance"], where, "the utterance"),
        annotations=tuple(labels.items()),
    )


def _labels(
    value: Any, aspects: Mapping[str, int], what: str, where: str, here: str, notes: Notes
) -> dict[str, int | float]:
    """Check the crowd labels and return them in the file's order; missing and out-of-range labels are
    noted."""
    labels = value if isinstance(value, dict) else {}
    for aspect, label in labels.items():
        if isinstance(label, bool) or not isinstance(label, int | float):
            raise InputError(
                f"{where}: the label {aspect} is {json_kind(label)}; write a number or take it out"
            )
    for aspect, highest in aspects.items():
        notes.add(f"{what} without a label of {aspect}", here, int(aspect not in labels))
        notes.add(
            f"labels of {aspect} outside 0 to {highest}", here, int(not 0 <= labels.get(aspect, 0) <= highest)
        )
    return labels
