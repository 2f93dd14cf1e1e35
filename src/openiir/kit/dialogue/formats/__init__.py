"""The formats that dialogues and their simulators' configurations come in, read into our records and written back."""

from openiir.kit.dialogue.formats.dialoguekit import (
    dialogue_json,
    dialogues_of,
    read_dialogues,
    write_dialogues,
)
from openiir.kit.dialogue.formats.files import Converted, Note

__all__ = ["Converted", "Note", "dialogue_json", "dialogues_of", "read_dialogues", "write_dialogues"]
