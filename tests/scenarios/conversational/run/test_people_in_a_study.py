"""Dialogues of people in a study: annotated by whoever answers for the annotator, compared with, and taken
needs from."""

import json
from pathlib import Path
from typing import Any

import pytest

from openiir.plugin import InputError
from openiir.testing.offline import Finished, run_offline

SMALL: dict[str, Any] = {
    "data": {"synthetic": {"users": 30, "items": 60}},
    "dialogues": 3,
    "turns": 4,
    "systems": ["attribute"],
}


def talk(id: str, *said: str, intents: tuple[str, ...] = ()) -> dict[str, Any]:
    """A dialogue that a user begins, with an act an utterance where intents are given."""
    acts = [{"dialogue_acts": [{"intent": intent, "slot_values": []}]} for intent in intents] or [{}] * len(
        said
    )
    turns = [
        {"participant": ("USER", "AGENT")[n % 2], "utterance": text, **own}
        for n, (text, own) in enumerate(zip(said, acts, strict=True))
    ]
    return {"conversation_id": id, "conversation": turns}


BARE = talk(
    "1",
    "I would like a drama with some horror in it.",
    "How about The Midnight Compass (2020)?",
    "That sounds good, I'll watch it. Goodbye!",
)
KNOWN = talk("2", "Well.", "Try this.", "Thanks.", intents=("INQUIRE", "RECOMMEND", "ACCEPT"))


def run_with(folder: Path, **config: Any) -> Finished:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "people.json").write_text(json.dumps([BARE, KNOWN]))
    return run_offline({"type": "conversational", "config": {**SMALL, **config}, "personas": []}, folder)


def test_utterances_without_acts_are_asked_for_and_others_keep_theirs(tmp_path: Path) -> None:
    done = run_with(tmp_path, validity={"dialogues": "people.json"})
    asked = [one for one in done.asked if one.place.asker == "annotator"]
    assert [one.question.kind for one in asked] == ["conversational.understand"] * 3
    bare, known = (event.payload["utterances"] for event in done.log.events("conversational.observed"))
    assert [act["intent"] for act in bare[0]["acts"]] == ["DISCLOSE"]
    assert [slot["value"] for slot in bare[0]["acts"][0]["slots"]] == ["Drama", "Horror"]
    assert [act["intent"] for act in bare[1]["acts"]] == ["RECOMMEND"]
    assert {act["intent"] for act in bare[2]["acts"]} == {"ACCEPT", "BYE"}
    assert [[act["intent"] for act in said["acts"]] for said in known] == [
        ["INQUIRE"],
        ["RECOMMEND"],
        ["ACCEPT"],
    ]


def test_needs_are_taken_from_what_people_said(tmp_path: Path) -> None:
    done = run_with(tmp_path, needs={"dialogues": "people.json"})
    assert {one.question.kind for one in done.asked if one.place.asker == "annotator"} == {
        "conversational.extract-need"
    }
    needs = {e.payload["number"]: e.payload["need"] for e in done.log.events("conversational.dialogue")}
    assert needs[0]["constraints"] == [["genre", "Drama"], ["genre", "Horror"]]


ACTS = ("GREET", "ELICIT", "DISCLOSE", "RECOMMEND")
TAUGHT = [
    talk(str(n), text, "What sort of thing?", "Horror!", "Try this one.", intents=ACTS)
    for n, text in enumerate(("Hello!", "Hi there.", "Good day."))
]


def test_a_user_can_be_trained_to_understand_the_system(tmp_path: Path) -> None:
    (tmp_path / "taught.json").write_text(json.dumps(TAUGHT))
    spec = {"name": "learnt", "by": "trained", "dialogues": "taught.json"}
    done = run_with(tmp_path, simulators=[spec])
    heard = [
        act["intent"]
        for event in done.log.events("conversational.dialogue")
        for said in event.payload["utterances"]
        if said["speaker"] == "system"
        for act in said["acts"]
    ]
    assert heard and set(heard) <= {"ELICIT", "RECOMMEND"}, "no act but those it was trained on"


def test_a_user_is_trained_on_acts_in_our_own_terms(tmp_path: Path) -> None:
    strange = talk("1", "Hello!", "Try this.", "Bye.", intents=("GREET", "JUGGLE", "JUGGLE"))
    (tmp_path / "taught.json").write_text(json.dumps([strange]))
    with pytest.raises(InputError, match="cannot be trained on the intent 'JUGGLE'"):
        run_with(tmp_path, simulators=[{"name": "learnt", "by": "trained", "dialogues": "taught.json"}])
    with pytest.raises(InputError, match="learns from dialogues"):
        run_with(tmp_path, simulators=[{"name": "learnt", "by": "trained"}])
