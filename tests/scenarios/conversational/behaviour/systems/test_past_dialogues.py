"""Answers from published dialogues."""

import os
from pathlib import Path

import pytest

from openiir.kit.items import Collection
from openiir.plugin import Draw
from openiir.scenarios.conversational.behaviour.systems import reference_system
from openiir.scenarios.conversational.behaviour.systems.knowledge import SystemKnowledge
from openiir.scenarios.conversational.model.formats.dialoguekit import read_dialogues
from openiir.scenarios.conversational.model.titles.facets import Facets

DATA = os.environ.get("OPENIIR_DATA")


@pytest.mark.skipif(not DATA, reason="OPENIIR_DATA is not set: the published dialogues are not here")
def test_replies_are_those_of_people_with_their_titles_linked() -> None:
    dialogues = read_dialogues(Path(DATA or "") / "crs" / "iard" / "formatted_IARD_annotated_gold.json")
    acts = [act for dialogue in dialogues for utterance in dialogue.utterances for act in utterance.acts]
    titles = sorted({value for act in acts for slot, value in act.pairs if slot == "TITLE" and value})
    films = Collection("movie", tuple(f"f{n}" for n in range(len(titles))), tuple(titles))
    system = reference_system(
        "retrieval",
        {"dialogues": "gold"},
        SystemKnowledge(films, Facets(films), dialogues=lambda name: dialogues),
    )
    people = {u.text for dialogue in dialogues for u in dialogue.utterances if u.speaker == "system"}
    linked = given = 0
    for number, dialogue in enumerate(dialogues[:40]):
        talk = system.open()
        for step, utterance in enumerate(u for u in dialogue.utterances if u.speaker == "user"):
            talk.hear(utterance.text, ())
            turn = talk.respond(Draw(1, "talk", agent=number, item=step))
            assert turn.text in people or turn.items
            assert len(set(turn.items) & {films.ids[item] for item in talk.recommended}) == 0
            given += turn.text in people
            linked += bool(turn.items)
            talk.note_turn(turn)
    assert given > 150 and linked > 40
