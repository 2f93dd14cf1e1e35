"""Read a file of dialogues in the format that its suffix names."""

from pathlib import Path

from openiir.scenarios.conversational.dialogue.formats.dialoguekit import read_dialogues
from openiir.scenarios.conversational.dialogue.formats.inspired import read_inspired
from openiir.scenarios.conversational.dialogue.formats.redial import read_redial
from openiir.scenarios.conversational.dialogue.records import Dialogue
from openiir.scenarios.conversational.dialogue.schemes import all_in_our_terms


def dialogues_in(path: Path) -> tuple[Dialogue, ...]:
    """The dialogues of a file, acts in our terms where their scheme is known.

    `.tsv` is INSPIRED, with what one speaker says in a row as one utterance, `.jsonl` is ReDial, and all else
    DialogueKit. Raises InputError, naming the file and the place.
    """
    match path.suffix:
        case ".tsv":
            found = read_inspired(path, merge=True).dialogues
        case ".jsonl":
            found = read_redial(path).dialogues
        case _:
            found = read_dialogues(path)
    return all_in_our_terms(found)
