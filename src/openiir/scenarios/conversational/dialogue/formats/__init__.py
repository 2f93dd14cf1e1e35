"""The formats that dialogues and their simulators' configurations come in, read into our records and written back."""

from openiir.scenarios.conversational.dialogue.formats.any_format import dialogues_in
from openiir.scenarios.conversational.dialogue.formats.crsarena import CROWD, read_crsarena_eval
from openiir.scenarios.conversational.dialogue.formats.dialoguekit import (
    dialogue_json,
    dialogues_of,
    in_our_spelling,
    read_dialogues,
    write_dialogues,
)
from openiir.scenarios.conversational.dialogue.formats.files import Converted, Note
from openiir.scenarios.conversational.dialogue.formats.iard import read_iard
from openiir.scenarios.conversational.dialogue.formats.inspired import read_inspired
from openiir.scenarios.conversational.dialogue.formats.interaction import (
    InteractionModel,
    read_interaction_model,
)
from openiir.scenarios.conversational.dialogue.formats.redial import read_redial
from openiir.scenarios.conversational.dialogue.formats.yaml_file import (
    Document,
    ImportedConfig,
    LeftOut,
    read_yaml,
)

__all__ = [
    "CROWD",
    "Converted",
    "Document",
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
    "read_yaml",
    "write_dialogues",
]
