"""The formats that dialogues and their simulators' configurations come in, read into our records and written back."""

from openiir.kit.dialogue.formats.crsarena import CROWD, read_crsarena_eval
from openiir.kit.dialogue.formats.dialoguekit import (
    dialogue_json,
    dialogues_of,
    read_dialogues,
    write_dialogues,
)
from openiir.kit.dialogue.formats.files import Converted, Note
from openiir.kit.dialogue.formats.iard import read_iard
from openiir.kit.dialogue.formats.inspired import read_inspired
from openiir.kit.dialogue.formats.redial import read_redial

__all__ = [
    "CROWD",
    "Converted",
    "Note",
    "dialogue_json",
    "dialogues_of",
    "read_crsarena_eval",
    "read_dialogues",
    "read_iard",
    "read_inspired",
    "read_redial",
    "write_dialogues",
]
