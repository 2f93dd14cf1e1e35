"""What the systems of CRSArena-Dial say is understood: lists of items above all, in the catalogue or not."""

import os
import re
from pathlib import Path

import pytest

from openiir.scenarios.conversational.model.formats.dialoguekit import read_dialogues

DATA = os.environ.get("OPENIIR_DATA")
LIST = re.compile(r"(?:\n|: |\s)\d{1,2}(?:: |\s\s)(.+?)(?=\s+\d{1,2}: |\s*$|\s*\n)")


@pytest.mark.skipif(not DATA, reason="OPENIIR_DATA is not set: CRSArena-Dial is not here")
@pytest.mark.parametrize("file", ["open", "closed"])
def test_lists_are_read_whole(films, file):
    dialogues = read_dialogues(Path(str(DATA)) / f"crs/crsarena/crs_arena_dial_{file}.json")
    said = [u.text.strip() for dialogue in dialogues for u in dialogue.utterances if u.speaker == "system"]
    lists = [
        text for text in said if text.startswith("I would recommend the following") and LIST.search(text)
    ]
    assert len(lists) > 100
    whole = 0
    for text in lists:
        titles = [value for act in films.system_acts(text) for slot, value in act.pairs if slot == "title"]
        whole += len(titles) == len(LIST.findall(text))
    assert whole >= 0.97 * len(lists)  # the others name a film twice
