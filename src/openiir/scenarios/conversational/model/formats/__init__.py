"""Readers and writers of dialogue formats and of UserSimCRS configurations."""

from pathlib import Path

from openiir.scenarios.conversational.model.dialogue import Dialogue, all_in_our_terms
from openiir.scenarios.conversational.model.formats.crsarena import CROWD, read_crsarena_eval
from openiir.scenarios.conversational.model.formats.dialoguekit import (
    dialogue_json,
    dialogues_of,
    in_our_spelling,
    read_dialogues,
    write_dialogues,
)
from openiir.scenarios.conversational.model.formats.files import Converted, Note
from openiir.scenarios.conversational.model.formats.iard import read_iard
from openiir.scenarios.conversational.model.formats.inspired import read_inspired
from openiir.scenarios.conversational.model.formats.interaction import (
    ImportedConfig,
    InteractionModel,
    LeftOut,
    read_interaction_model,
)
from openiir.scenarios.conversational.model.formats.redial import read_redial

__all__ = [
    "CROWD",
    "Converted",
    "ImportedConfig",
    "InteractionModel",
    "LeftOut",
    "Note",
    "dialogue_json",
    "dialogues_in",
    "dialogues_of",
    "in_our_spelling",
    "read_crsarena_eval",
    "read_dialogues",
    "read_iard",
    "read_inspired",
    "read_interaction_model",
    "read_redial",
    "write_dialogues",
]


def dialogues_in(path: Path) -> tuple[Dialogue, ...]:
    """Read the dialogues of a file in the format given by its suffix.

    `.tsv` is INSPIRED, with consecutive utterances of a speaker merged, `.jsonl` is ReDial, and all else
    DialogueKit. Acts of a known annotation scheme are mapped to openiir's intents. Raises InputError, naming
    the file and the place.
    """
    if path.suffix == ".tsv":
        return all_in_our_terms(read_inspired(path, merge=True).dialogues)
    return all_in_our_terms(read_redial(path).dialogues if path.suffix == ".jsonl" else read_dialogues(path))
