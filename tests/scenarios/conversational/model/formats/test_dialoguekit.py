"""DialogueKit's JSON comes back as it was, whatever its spelling."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from openiir.plugin import InputError
from openiir.scenarios.conversational.model.dialogue import Act, Dialogue, Need, Participant, Slot, Utterance
from openiir.scenarios.conversational.model.formats.dialoguekit import (
    AS_WRITTEN,
    dialogue_json,
    dialogues_of,
    read_dialogues,
    same,
    without_original_spelling,
    write_dialogues,
)

FILES = (
    "iard/formatted_IARD_annotated_gold.json",
    "iard/formatted_IARD_annotated_partially.json",
    "inspired/annotated_sample.json",
    "moviebot/annotated_dialogues.json",
    "crsarena/crs_arena_dial_open.json",
    "crsarena/crs_arena_dial_closed.json",
)
DATA = os.environ.get("OPENIIR_DATA")
needs_data = pytest.mark.skipif(
    not DATA, reason="OPENIIR_DATA is not set: the published dialogues are not here"
)


def there(file: str) -> Path:
    return Path(DATA or "") / "crs" / file


def again(documents: list[Any]) -> list[Any]:
    return json.loads(dialogue_json(dialogues_of(documents, "here")))


@needs_data
@pytest.mark.parametrize("file", FILES)
def test_published_files_come_back_as_they_were(file: str, tmp_path: Path) -> None:
    path = there(file)
    if not path.is_file():
        pytest.skip(f"{path} is not here")
    dialogues = read_dialogues(path)
    write_dialogues(dialogues, tmp_path / "again.json")
    assert same(json.loads((tmp_path / "again.json").read_text("utf-8")), json.loads(path.read_text("utf-8")))
    assert read_dialogues(tmp_path / "again.json") == dialogues


@needs_data
def test_published_dialogues_are_understood() -> None:
    gold = read_dialogues(there(FILES[0]))
    assert (len(gold), sum(len(d.utterances) for d in gold)) == (77, 1103)
    assert sum(len(a.slots) for d in gold for u in d.utterances for a in u.acts) == 1163
    inspired = read_dialogues(there(FILES[2]))
    assert sum(len(a.slots) for d in inspired for u in d.utterances for a in u.acts) == 181


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(-4, 4) | st.sampled_from(["", "a", "é"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["id", "intent", "x"]), inner, max_size=2)
    ),
    max_leaves=4,
)
SLOTS = st.lists(
    st.tuples(st.sampled_from(["GENRE", "TITLE"]), JSON, JSON, JSON).map(list) | JSON, max_size=2
)
ACTS = st.lists(
    st.fixed_dictionaries(
        {}, optional={"intent": JSON, "slot_values": SLOTS, "slots": SLOTS, "annotations": SLOTS, "why": JSON}
    )
    | JSON,
    max_size=2,
)
SAID = st.fixed_dictionaries(
    {
        "participant": st.sampled_from(["USER", "AGENT", "user", "System"]),
        "utterance": st.none() | st.text(max_size=4),
    },
    optional={
        "dialogue_acts": ACTS | JSON,
        "annotations": st.lists(st.tuples(st.just("satisfaction"), JSON).map(list) | JSON, max_size=2) | JSON,
        "utterance_feedback": JSON,
        "items": JSON,
        "utterance ID": JSON,
        "metadata": JSON,
        AS_WRITTEN: JSON,
    },
)
NEED = st.fixed_dictionaries(
    {},
    optional={
        "constraints": st.dictionaries(st.sampled_from("abc"), JSON, max_size=3) | JSON,
        "requests": JSON,
        "target_items": JSON,
        "order": st.lists(st.sampled_from("abc"), max_size=3) | JSON,
    },
)
DOCUMENT = st.fixed_dictionaries(
    {"conversation": st.lists(SAID, max_size=3)},
    optional={
        "conversation_id": JSON,
        "conversation ID": JSON,
        "agent": JSON,
        "user": st.fixed_dictionaries({"id": JSON}, optional={"type": JSON}),
        "metadata": st.fixed_dictionaries(
            {}, optional={"information_need": NEED | JSON, "error": JSON, AS_WRITTEN: JSON}
        )
        | JSON,
        "rating": JSON,
        AS_WRITTEN: JSON,
    },
)


@settings(max_examples=40, deadline=None)
@given(st.lists(DOCUMENT, max_size=3))
@example([{"conversation": [], "metadata": {"information_need": {"order": [None]}}}])
def test_any_spelling_comes_back_as_it_was(documents: list[Any]) -> None:
    assert same(again(documents), documents)


WORD = st.sampled_from(["GENRE", "comedy", "Schindler's List", "Crouching Tiger, Hidden Dragon", "", "é\n"])
PLACE = st.none() | st.integers(0, 99)
OUR_NEED = st.builds(
    Need,
    constraints=st.lists(st.tuples(WORD, WORD), max_size=4).map(tuple),
    requests=st.lists(WORD, max_size=2).map(tuple),
    targets=st.lists(WORD, max_size=2).map(tuple),
)
SLOT = st.builds(Slot, slot=WORD, value=st.none() | WORD, start=PLACE, end=PLACE)
UTTERANCE = st.builds(
    Utterance,
    speaker=st.sampled_from(["user", "system"]),
    text=st.text(max_size=5),
    acts=st.lists(st.builds(Act, intent=WORD, slots=st.lists(SLOT, max_size=2).map(tuple)), max_size=2).map(
        tuple
    ),
    items=st.lists(WORD, max_size=2).map(tuple),
    annotations=st.lists(st.tuples(WORD, JSON), max_size=2).map(tuple),
    feedback=st.sampled_from([None, 0, 1]),
    extra=st.dictionaries(st.sampled_from(["a", "utterance ID"]), JSON, max_size=2),
)
WHO = st.none() | st.builds(Participant, id=WORD, type=st.sampled_from(["USER", "AGENT"]))
OURS = st.builds(
    Dialogue,
    id=st.text(min_size=1, max_size=3),
    utterances=st.lists(UTTERANCE, max_size=3).map(tuple),
    system=WHO,
    user=WHO,
    need=st.none() | OUR_NEED,
    metadata=st.dictionaries(st.sampled_from(["end", "error"]), JSON, max_size=2),
)


@settings(max_examples=40, deadline=None)
@given(st.lists(OURS, max_size=3, unique_by=lambda dialogue: dialogue.id))
def test_our_dialogues_come_back_as_they_were(dialogues: list[Dialogue]) -> None:
    documents = json.loads(dialogue_json(dialogues))
    assert dialogues_of(documents, "here") == tuple(dialogues)
    assert [as_dialoguekit_reads(document) for document in documents] == [
        as_it_should(dialogue) for dialogue in dialogues
    ]


def as_dialoguekit_reads(document: dict[str, Any]) -> Any:
    """What the reader of DialogueKit 0.1.1 looks at, as strictly as it does."""
    said = []
    for one in document["conversation"]:
        acts = [
            (act.get("intent") or None, [(a, b, c, d) for a, b, c, d in act["slot_values"]])
            for act in one.get("dialogue_acts", [])
        ]
        pairs = [(key, json.dumps(value)) for key, value in one.get("annotations", [])]
        said.append(
            (
                ["AGENT", "USER"].index(one["participant"]),
                one["utterance"],
                acts,
                pairs,
                one.get("utterance_feedback"),
            )
        )
    parties = [document.get(role, {}).get("id", "nobody") for role in ("agent", "user")]
    return document["conversation_id"], parties, said


def as_it_should(dialogue: Dialogue) -> Any:
    said = []
    for one in dialogue.utterances:
        acts = [
            (act.intent or None, [(s.slot, s.value, s.start, s.end) for s in act.slots]) for act in one.acts
        ]
        pairs = [(key, json.dumps(value)) for key, value in one.annotations]
        said.append((int(one.speaker == "user"), one.text, acts, pairs, one.feedback))
    parties = ["nobody" if who is None else who.id for who in (dialogue.system, dialogue.user)]
    return dialogue.id, parties, said


def test_in_our_spelling_dialoguekit_reads_what_it_would_miss() -> None:
    (dialogue,) = dialogues_of([a_dialogue(rating=3)], "here")
    (document,) = json.loads(dialogue_json([without_original_spelling(dialogue)]))
    assert document["agent"] == {"id": "crs", "type": "AGENT"} and "rating" not in document
    assert document["conversation"][0]["dialogue_acts"][0]["slot_values"] == [["GENRE", "drama", None, None]]


def a_dialogue(**more: Any) -> dict[str, Any]:
    acts = [{"intent": None, "slots": [["GENRE", "drama", None, None]]}]
    said = {"participant": "USER", "utterance": "Drama", "dialogue_acts": acts, "utterance ID": "7_0"}
    return {"conversation ID": "7", "agent": "crs", "conversation": [said], **more}


def test_all_spellings_mean_the_same() -> None:
    (dialogue,) = dialogues_of(
        [a_dialogue(metadata={"information_need": {"constraints": {"GENRE": ["drama", "war"]}}})], "here"
    )
    (said,) = dialogue.utterances
    assert (dialogue.id, dialogue.system, dialogue.user) == ("7", Participant(id="crs", type="AGENT"), None)
    assert said.acts == (Act(intent="", slots=(Slot(slot="GENRE", value="drama"),)),)
    assert said.extra["utterance ID"] == "7_0"
    assert dialogue.need == Need(constraints=(("GENRE", "drama"), ("GENRE", "war")))


def test_what_was_changed_is_written_our_way_and_the_rest_as_it_was() -> None:
    (dialogue,) = dialogues_of([a_dialogue()], "here")
    (said,) = dialogue.utterances
    changed = said.model_copy(update={"acts": (Act(intent="DISCLOSE"),)})
    (document,) = json.loads(
        dialogue_json([dialogue.model_copy(update={"utterances": (changed,), "id": "8"})])
    )
    assert document["conversation"][0]["dialogue_acts"] == [{"intent": "DISCLOSE", "slot_values": []}]
    assert {key: document[key] for key in document if key != "conversation"} == {
        "conversation ID": "8",
        "agent": "crs",
    }


def test_dialogues_of_one_id_are_told_apart_and_still_come_back() -> None:
    documents = [a_dialogue(), a_dialogue(), {"conversation": []}]
    assert [d.id for d in dialogues_of(documents, "here")] == ["7", "7#2", "3"]
    assert same(again(documents), documents)


def test_our_dialogues_are_written_as_usersimcrs_reads_them() -> None:
    need = Need(constraints=(("GENRE", "drama"),), requests=("PLOT",), targets=("t1",))
    act = Act(intent="RECOMMEND", slots=(Slot(slot="TITLE", value="It"),))
    said = Utterance(speaker="system", text="It?", acts=(act,), items=("t1",))
    ours = Dialogue(
        id="d",
        utterances=(said,),
        system=Participant(id="s", type="AGENT"),
        need=need,
        metadata={"end": "satisfied"},
    )
    assert json.loads(dialogue_json([ours])) == [
        {
            "conversation_id": "d",
            "agent": {"id": "s", "type": "AGENT"},
            "metadata": {
                "end": "satisfied",
                "information_need": {
                    "constraints": {"GENRE": "drama"},
                    "requests": ["PLOT"],
                    "target_items": ["t1"],
                },
            },
            "conversation": [
                {
                    "participant": "AGENT",
                    "utterance": "It?",
                    "dialogue_acts": [{"intent": "RECOMMEND", "slot_values": [["TITLE", "It", None, None]]}],
                    "items": ["t1"],
                }
            ],
        }
    ]


def test_half_a_surrogate_pair_comes_back() -> None:
    documents = [{"conversation": [{"participant": "USER", "utterance": "\ud800"}]}]
    assert same(again(documents), documents)


def test_a_packed_file_is_read_and_written(tmp_path: Path) -> None:
    dialogues = dialogues_of([a_dialogue()], "here")
    write_dialogues(dialogues, tmp_path / "a.json.gz")
    write_dialogues(dialogues, tmp_path / "b.json.gz")
    assert (tmp_path / "a.json.gz").read_bytes() == (tmp_path / "b.json.gz").read_bytes()
    assert read_dialogues(tmp_path / "a.json.gz") == dialogues


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", r"is not JSON \(line 1"),
        ("[" * 100_000, "nested too deeply"),
        ("{}", "valid list"),
        ("[1]", "dialogue 1: Input should be a valid dictionary;"),
        ('[{"id": 1}]', "dialogue 1: conversation: Field required"),
        (
            '[{"conversation_id": "x", "conversation": {}}]',
            "dialogue 1: conversation: Input should be a valid list",
        ),
        (
            '[{"conversation": [{"participant": "USER"}]}]',
            r"dialogue 1: conversation.0.utterance: Field required",
        ),
        (
            '[{"conversation": [{"participant": "DOG", "utterance": "w"}]}]',
            "should be 'USER', 'AGENT' or 'SYSTEM'",
        ),
        (
            '[{"conversation": [{"participant": "USER", "utterance": 3}]}]',
            r"conversation.0.utterance: Input",
        ),
        (
            (
                '[{"conversation": [{"participant": "USER", "utterance": "", "dialogue_acts": [{"intent": '
                '"%s"}]}]}]'
            )
            % ("x" * 201),
            r"utterance 1: acts.0.intent",
        ),
    ],
)
def test_what_is_no_dialogue_is_refused_by_place(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "d.json").write_text(text)
    with pytest.raises(InputError, match=said):
        read_dialogues(tmp_path / "d.json")


@pytest.mark.parametrize(
    ("name", "data"), [("d.json", b"\xff"), ("d.json.gz", b"no gzip"), ("none.json", None)]
)
def test_files_that_cannot_be_read_are_refused(name: str, data: bytes | None, tmp_path: Path) -> None:
    if data is not None:
        (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError, match=name):
        read_dialogues(tmp_path / name)


def test_what_could_not_come_back_is_not_written() -> None:
    dialogue = Dialogue(id="x", utterances=())
    with pytest.raises(InputError, match="two dialogues have the id 'x'"):
        dialogue_json([dialogue, dialogue])
    with pytest.raises(InputError, match="information_need"):
        dialogue_json([dialogue.model_copy(update={"metadata": {"information_need": {}}})])
    said = Utterance(speaker="user", text="", extra={"items": []})
    with pytest.raises(InputError, match="utterance 1 of dialogue 'x'"):
        dialogue_json([dialogue.model_copy(update={"utterances": (said,)})])
