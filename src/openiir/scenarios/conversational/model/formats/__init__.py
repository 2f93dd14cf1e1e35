"""Readers and writers of dialogue formats and of UserSimCRS configurations."""

from pathlib import Path

from openiir.scenarios.conversational.model.dialogue import Dialogue, all_to_openiir_acts
from openiir.scenarios.conversational.model.formats.crsarena import CROWD, read_crsarena_eval
from openiir.scenarios.conversational.model.formats.dialoguekit import (
    dialogue_json,
    dialogues_of,
    read_dialogues,
    without_original_spelling,
    write_dialogues,
)
from openiir.scenarios.conversational.model.formats.files import Converted, FileProblem
from openiir.scenarios.conversational.model.formats.iard import read_iard
from openiir.scenarios.conversational.model.formats.inspired import read_inspired
from openiir.scenarios.conversational.model.formats.interaction import (
    ImportedConfig,
    InteractionModel,
    LeftOut,
    read_interaction_model,
)
from openiir.scenarios.conversational.model.formats.redial import read_redial


def read_dialogue_file(path: Path) -> tuple[Dialogue, ...]:
    """Read the dialogues of a file in the format given by its suffix.

    `.tsv` is INSPIRED, with consecutive utterances of a speaker merged, `.jsonl` is ReDial, and all else
    DialogueKit. Acts of a known annotation scheme are mapped to openiir's intents. Raises InputError, naming
    the file and the place.
    """
    if path.suffix == ".tsv":
        return all_to_openiir_acts(read_inspired(path, merge=True).dialogues)
    return all_to_openiir_acts(
        read_redial(path).dialogues if path.suffix == ".jsonl" else read_dialogues(path)
    )
