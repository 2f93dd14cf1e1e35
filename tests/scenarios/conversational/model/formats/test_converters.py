"""Dialogues out of IARD, INSPIRED, ReDial and CRSArena-Eval."""

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from openiir.plugin import InputError
from openiir.scenarios.conversational.model.dialogue import Act, Participant
from openiir.scenarios.conversational.model.formats.crsarena import CROWD, read_crsarena_eval
from openiir.scenarios.conversational.model.formats.dialoguekit import (
    dialogue_json,
    dialogues_of,
    read_dialogues,
)
from openiir.scenarios.conversational.model.formats.files import Converted
from openiir.scenarios.conversational.model.formats.iard import read_iard
from openiir.scenarios.conversational.model.formats.inspired import read_inspired
from openiir.scenarios.conversational.model.formats.redial import read_redial

DATA = os.environ.get("OPENIIR_DATA")
needs_data = pytest.mark.skipif(
    not DATA, reason="OPENIIR_DATA is not set: the published dialogues are not here"
)


def there(file: str) -> Path:
    path = Path(DATA or "") / "crs" / file
    if not path.is_file():
        pytest.skip(f"{path} is not here")
    return path


def noted(found: Converted) -> dict[str, int]:
    return {note.what: note.count for note in found.notes}


Write = Callable[[Any], Path]


@pytest.fixture
def file(tmp_path: Path) -> Write:
    def write(content: Any) -> Path:
        path = tmp_path / "file"
        path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
        return path

    return write


def iard(*said: dict[str, Any], accepted: Any = ()) -> dict[str, Any]:
    entries = {f"{n}": {"utterance_pos": n, "worker_id": 3, **one} for n, one in enumerate(said, 1)}
    return {"9": {"accepted_recommendation": list(accepted), "dialogue_info": entries}}


def asks(text: str, role: str = "seeker", **more: Any) -> dict[str, Any]:
    said = {
        "role": role,
        "utterance_text": text,
        "sub-intent/action": ["IQU"],
        "top-level intent/action": ["AskForRec"],
    }
    return {**said, **more}


def test_iard_titles_intents_and_acceptance(file: Write) -> None:
    texts = asks("like @12 <Jaws  (1975)> or @7 <Thor >  <Thor >"), asks("@it", "recommender")
    found = read_iard(file(iard(*texts, accepted=[2, 5])))
    (dialogue,) = found.dialogues
    first, second = dialogue.utterances
    assert (first.text, first.items, first.acts) == (
        "like Jaws (1975) or Thor",
        ("12", "7"),
        (Act(intent="IQU"),),
    )
    assert (first.speaker, second.speaker, dialogue.user) == (
        "user",
        "system",
        Participant(id="3", type="USER"),
    )
    assert dialogue.metadata == {"accepted": [1]}
    assert noted(found) == {
        "accepted recommendations without an utterance": 1,
        "utterances with an @ that is no mention of an item": 1,
    }


def test_iard_in_another_order_is_put_right(file: Write) -> None:
    found = read_iard(
        file(iard(asks("b", utterance_pos=2), asks("a", utterance_pos=1, **{"sub-intent/action": []})))
    )
    assert [u.text for u in found.dialogues[0].utterances] == ["a", "b"]
    assert set(noted(found).values()) == {1} and len(found.notes) == 2


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ([], "valid dictionary"),
        ({"9": {}}, "9.dialogue_info: Field required"),
        (iard({"role": "seeker"}), "9.dialogue_info.1.utterance_text: Field required"),
        (iard(asks("a", utterance_pos="x")), "1.utterance_pos: Input should be a valid integer"),
        (iard(asks("a", "dog")), "1.role: Input should be 'seeker' or 'recommender'"),
        (iard(asks(None)), "1.utterance_text: Input should be a valid string"),  # type: ignore[arg-type]
        (iard(asks("a", **{"sub-intent/action": [3]})), r"1.sub-intent/action.0: Input"),
    ],
)
def test_broken_iard_is_refused_by_place(content: Any, said: str, file: Write) -> None:
    with pytest.raises(InputError, match=said):
        read_iard(file(content))


@needs_data
def test_iard_agrees_with_the_formatted_files() -> None:
    raw = read_iard(there("iard/umap2020_IARD_Cai.json"))
    assert (len(raw.dialogues), sum(len(d.utterances) for d in raw.dialogues)) == (336, 4583)
    by_id = {dialogue.id: dialogue for dialogue in raw.dialogues}
    told = same = texts = 0
    for file in ("gold", "partially"):
        for dialogue in read_dialogues(there(f"iard/formatted_IARD_annotated_{file}.json")):
            for theirs, ours in zip(dialogue.utterances, by_id[dialogue.id].utterances, strict=True):
                told += 1
                # Theirs have some titles twice, ours an @ that is no mention.
                texts += re.sub(" ?<[^<>]*>", "", theirs.text).split() == ours.text.replace("@", "").split()
                same += file == "gold" or [a.intent for a in theirs.acts] == [a.intent for a in ours.acts]
    assert told == same == texts == 4583


def redial(text: str = "I liked @1 and @2", **more: Any) -> dict[str, Any]:
    said = [
        {"messageId": 4, "timeOffset": 0, "senderWorkerId": 0, "text": text},
        {"senderWorkerId": 1, "text": "ok"},
    ]
    whole = {"conversationId": "391", "initiatorWorkerId": 0, "respondentWorkerId": 1, "messages": said}
    answers = {"1": {"suggested": 1, "seen": 0, "liked": 1}}
    return {
        **whole,
        "movieMentions": {"1": "It  (2017)", "3": None},
        "initiatorQuestions": answers,
        "respondentQuestions": [],
        **more,
    }


def test_redial_mentions_and_answers(file: Write) -> None:
    found = read_redial(file(json.dumps(redial()) + "\n\n" + json.dumps(redial("hi", movieMentions=[]))))
    first, second = found.dialogues
    said = first.utterances[0]
    assert (said.speaker, said.text, said.items) == ("user", "I liked It (2017) and @2", ("1", "2"))
    assert said.extra == {"messageId": 4, "timeOffset": 0}
    assert first.metadata["initiator"] == {"1": {"suggested": 1, "seen": 0, "liked": 1}}
    assert (first.metadata["respondent"], second.metadata["movies"]) == ({}, {})
    assert noted(found) == {
        "films listed without a title": 1,
        "mentions of a film without a known title, left as @id": 1,
        "dialogues in which the respondent answered no questions": 2,
    }


def test_redial_of_parties_that_cannot_be_told_apart_is_left_out(file: Write) -> None:
    found = read_redial(
        file(json.dumps(redial(respondentWorkerId=0)) + "\n" + json.dumps(redial(respondentWorkerId=2)))
    )
    assert found.dialogues == ()
    assert [note.count for note in found.notes if "left out" in note.what] == [1, 1]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{}", "line 1: messages: Field required"),
        ("\n{", r"line 2 is not JSON \(line 1"),
        (json.dumps(redial(messages={})), "messages: Input should be a valid list"),
        (json.dumps(redial(messages=[{"senderWorkerId": 0}])), r"messages.0.text: Field required"),
        (
            json.dumps(redial(messages=[{"senderWorkerId": 0, "text": 3}])),
            r"messages.0.text: Input should be a valid string",
        ),
    ],
)
def test_broken_redial_is_refused_by_place(content: str, said: str, file: Write) -> None:
    with pytest.raises(InputError, match=said):
        read_redial(file(content))


@needs_data
def test_published_redial_is_read() -> None:
    found = read_redial(there("redial/valid_data.jsonl"))
    assert (len(found.dialogues), sum(len(d.utterances) for d in found.dialogues)) == (1000, 12395)
    assert noted(found)["mentions of a film without a known title, left as @id"] == 1
    some = found.dialogues[:20]
    assert dialogues_of(json.loads(dialogue_json(some)), "here") == some


def inspired(
    *rows: str, names: str = "dialog_id\tspeaker\ttext\tmovies\texpert_label\tmovie_dict\tfine_label"
) -> str:
    return "\n".join([names, *rows]) + "\n"


ROWS = (
    "d\tSEEKER\tI saw QUOTATION_MARKItQUOTATION_MARK\tIt (2017); Us (2019)\t\t{'It (2017)': 0}\treject",
    "d\tSEEKER\tand more\tJaws (1975)\t\t{'It (2017)': 0}\tnan",
    "d\tRECOMMENDER\twhy?\t\topinion_inquiry\t{'It (2017)': 0}\treject",
)


def test_inspired_quotes_labels_and_dictionaries(file: Write) -> None:
    found = read_inspired(file(inspired(*ROWS)))
    (dialogue,) = found.dialogues
    assert [u.text for u in dialogue.utterances] == ['I saw "It"', "and more", "why?"]
    assert dialogue.utterances[0].annotations == (("movies", ["It (2017)", "Us (2019)"]),)
    assert dialogue.utterances[2].acts == (Act(intent="opinion_inquiry"),)
    assert dialogue.metadata == {"movie_dict": {"It (2017)": 0}, "outcome": "reject"}
    assert noted(found) == {"rows without fine_label": 1}


def test_inspired_turns_of_one_speaker_are_merged_if_asked(file: Write) -> None:
    first, second = read_inspired(file(inspired(*ROWS)), merge=True).dialogues[0].utterances
    assert first.text == 'I saw "It"\nand more'
    assert first.annotations == (("movies", ["It (2017)", "Us (2019)", "Jaws (1975)"]),)
    assert second.text == "why?"


def test_odd_inspired_rows_are_noted(file: Write) -> None:
    rows = ("d\tSEEKER\ta\t\t\t{'x\taccept", "e\tSEEKER\tb\t\t\t[]\treject", "d\tSEEKER\tc\t\t\t{'x\treject")
    found = read_inspired(file(inspired(*rows)))
    assert [d.id for d in found.dialogues] == ["d", "e"]
    assert noted(found) == {
        "dialogues whose rows do not stand together": 1,
        "dialogues whose movie_dict cannot be read, left out": 2,
        "dialogues whose rows differ in fine_label; what most say was taken": 1,
    }


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("a\tb\n", "no column 'dialog_id'"),
        (inspired("d\tSEEKER"), "row 2: 2 fields where there are 7 columns"),
        (inspired("d\tDOG\t\t\t\t\t"), "row 2, dialogue d: the speaker is 'DOG'"),
        (inspired("\tSEEKER\t\t\t\t\t"), "row 2: dialog_id is empty"),
    ],
)
def test_broken_inspired_is_refused_by_row(content: str, said: str, file: Write) -> None:
    with pytest.raises(InputError, match=said):
        read_inspired(file(content))


@needs_data
@pytest.mark.parametrize(("name", "rows", "unread"), [("dev", 3538, 1), ("test", 3438, 0)])
def test_published_inspired_is_read(name: str, rows: int, unread: int) -> None:
    found = read_inspired(there(f"inspired/{name}.tsv"))
    assert (len(found.dialogues), sum(len(d.utterances) for d in found.dialogues)) == (99, rows)
    assert noted(found).get("dialogues whose movie_dict cannot be read, left out", 0) == unread
    assert not any("QUOTATION" in u.text for d in found.dialogues for u in d.utterances)
    some = found.dialogues[:20]
    assert dialogues_of(json.loads(dialogue_json(some)), "here") == some
    merged = read_inspired(there(f"inspired/{name}.tsv"), merge=True)
    said = [u.speaker for d in merged.dialogues for u in d.utterances[:1]]
    assert all(
        a.speaker != b.speaker
        for d in merged.dialogues
        for a, b in zip(d.utterances, d.utterances[1:], strict=False)
    )
    assert len(said) == 99


def rated(*turns: dict[str, Any], **labels: Any) -> list[Any]:
    return [{"conv_id": "crs_x_1-2", "dialogue": list(turns), "dial_level_aggregated": labels}]


def test_crowd_labels_are_kept_by_turn_and_dialogue(file: Write) -> None:
    turns = (
        {"role": "USER", "utterance": "hi"},
        {"role": "ASST", "utterance": "It?", "turn_level_aggregated": {"relevance": 2}},
    )
    found = read_crsarena_eval(file(rated(*turns, dialogue_overall=5)))
    (dialogue,) = found.dialogues
    assert (dialogue.system, dialogue.user) == (
        Participant(id="crs_x", type="AGENT"),
        Participant(id="1-2", type="USER"),
    )
    assert dialogue.utterances[1].annotations == (("relevance", 2),)
    assert dialogue.metadata == {CROWD: {"dialogue_overall": 5}}
    notes = noted(found)
    assert (
        notes["labels of dialogue_overall outside 0 to 4"]
        == notes["system turns without a label of interestingness"]
        == 1
    )
    assert notes["dialogues without a label of efficiency"] == 1


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({}, "valid list"),
        ([{"conv_id": "a"}], r"0.dialogue: Field required"),
        (rated({"role": "DOG", "utterance": ""}), r"0.dialogue.0.role: Input should be 'USER'"),
        (rated({"role": "USER", "utterance": None}), r"dialogue.0.utterance: Input"),
        (rated(efficiency="good"), "aggregated.efficiency"),
    ],
)
def test_broken_crowd_files_are_refused_by_place(content: Any, said: str, file: Write) -> None:
    with pytest.raises(InputError, match=said):
        read_crsarena_eval(file(content))


@needs_data
def test_published_crowd_labels_are_read() -> None:
    found = read_crsarena_eval(there("crsarena/crs_arena_eval.json"))
    assert (len(found.dialogues), sum(len(d.utterances) for d in found.dialogues)) == (467, 4473)
    assert noted(found) == {"system turns without a label of relevance": 5}
    by_id = {
        d.id: d
        for name in ("open", "closed")
        for d in read_dialogues(there(f"crsarena/crs_arena_dial_{name}.json"))
    }
    assert {d.id for d in found.dialogues} <= by_id.keys()
    assert {d.system for d in found.dialogues} == {by_id[d.id].system for d in found.dialogues}
