"""Why dialogues end: with systems that behave badly, and users that cannot go on."""

from pathlib import Path
from typing import Any

import pytest
import tomli_w

from openiir.plugin import InputError
from openiir.runs.study import LoadedStudy, load_study, study_permissions
from openiir.runs.trust import Trust
from openiir.testing.offline import run_loaded

SMALL: dict[str, Any] = {
    "data": {"name": "synthetic", "synthetic": {"users": 30, "items": 60}},
    "dialogues": 6,
    "turns": 6,
    "users": {"patience": {"mean": 1.0, "sd": 0.0}},
}


def as_study(table: dict[str, Any], folder: Path) -> LoadedStudy:
    """The study of a table; its declared systems answer for themselves."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "study.toml").write_text(tomli_w.dumps({"name": "ends", **table}))
    file = str(folder / "study.toml")
    return load_study(file, trust=Trust().with_leave(study_permissions(file)))


def held(
    folder: Path, callable: str = "", system: dict[str, Any] | None = None, **config: Any
) -> list[dict[str, Any]]:
    """The dialogues of a run with one declared Python system, or with what `config` says."""
    table: dict[str, Any] = {"type": "conversational", "personas": [], "config": {**SMALL, **config}}
    if callable:
        declared = {
            "connector": "python",
            "callable": f"odd_systems:{callable}",
            "request": {"text": "{text}"},
            "response": "text",
        }
        table["system"] = {"odd": {**declared, **(system or {})}}
        table["config"]["systems"] = ["system:odd"]
    done = run_loaded(as_study(table, folder), folder / "run")
    assert list(done.log.events("conversational.dialogue"))
    return [dict(event.payload) for event in done.log.events("conversational.dialogue")]


def test_a_parrot_ends_at_the_turn_limit_or_by_the_users_patience(tmp_path: Path) -> None:
    found = held(tmp_path, "parrot")
    assert {d["end"] for d in found} <= {"turn-limit", "gave-up"}
    turns = [sum(u["speaker"] == "user" for u in d["utterances"]) for d in found if d["end"] == "turn-limit"]
    assert turns and set(turns) == {6}, "a user who is patient speaks as often as the limit says"
    hasty = {"patience": {"mean": 0.0, "sd": 0.0}}
    assert {d["end"] for d in held(tmp_path / "hasty", "parrot", users=hasty, turns=40)} == {"gave-up"}


def test_a_system_that_talks_too_much_is_at_fault_and_nothing_is_heard_of_it(tmp_path: Path) -> None:
    for dialogue in held(tmp_path, "talks_much"):
        assert dialogue["end"] == "system-error"
        assert dialogue["reason"] == "said 50000 characters at once; 4000 is the most"
        assert all(one["speaker"] == "user" for one in dialogue["utterances"])


def test_control_characters_reach_nobody(tmp_path: Path) -> None:
    said = [
        u["text"] for d in held(tmp_path, "controls") for u in d["utterances"] if u["speaker"] == "system"
    ]
    assert said
    assert not {"\x00", "\x1b", "\x07", "\u202e"} & set("".join(said))


def test_unknown_items_are_never_taken_and_are_on_record(tmp_path: Path) -> None:
    for dialogue in held(tmp_path, "strange"):
        assert dialogue["accepted"] is None
        assert all(offer["items"] == [""] and offer["utilities"] == [0.0] for offer in dialogue["offers"])


def test_a_system_that_says_nothing_is_at_fault(tmp_path: Path) -> None:
    for dialogue in held(tmp_path, "silent"):
        assert (dialogue["end"], dialogue["reason"]) == ("system-error", "said nothing in answer")


def test_a_page_of_html_where_json_was_declared_is_a_fault(tmp_path: Path) -> None:
    for dialogue in held(tmp_path, "html", {"response": "answer"}):
        assert dialogue["end"] == "system-error"
        assert "HTML" in dialogue["reason"]


def test_one_dialogue_that_breaks_leaves_the_others_alone(tmp_path: Path) -> None:
    found = held(tmp_path, "Sometimes", dialogues=12)
    broken = [d for d in found if d["end"] == "system-error"]
    assert 0 < len(broken) < len(found)
    assert all(d["reason"] == "raised ValueError" for d in broken)


def test_a_user_whose_tokens_are_spent_is_a_failure_of_the_simulator(tmp_path: Path) -> None:
    for dialogue in held(tmp_path, systems=["attribute"], users={"tokens": 0}):
        assert (dialogue["end"], dialogue["reason"]) == ("simulator-error", "its tokens are spent")


def test_what_failed_is_in_no_score(tmp_path: Path) -> None:
    declared = {
        "connector": "python",
        "callable": "odd_systems:silent",
        "request": {"text": "{text}"},
        "response": "text",
    }
    table = {"type": "conversational", "personas": [], "system": {"odd": declared}}
    table["config"] = {**SMALL, "systems": ["system:odd", "oracle"]}
    done = run_loaded(as_study(table, tmp_path), tmp_path / "run")
    from openiir.scenarios.conversational.measures import conversational_measures

    measures = conversational_measures(done.log)
    assert measures["failed[odd]"].value == 6
    assert measures["success[odd]"].value != measures["success[odd]"].value  # NaN, with a reason
    assert measures["success[odd]"].reason
    assert measures["success[oracle]"].value > 0.8


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"systems": ["nobody"]}, r"config.systems\[0\] 'nobody': no reference system is called 'nobody'"),
        ({"systems": [{"name": "a", "by": "attribute", "options": {"x": 1}}]}, "'attribute': x"),
        ({"systems": ["system:ghost"]}, "ghost"),
        ({"simulators": ["robot"]}, "by"),
        ({"needs": {"targets": {"least": 9, "most": 3}}}, "least = 9 is above most = 3"),
        ({"needs": {"targets": {"least": 0, "most": 3}}}, "at least one item would do"),
        (
            {"simulators": [{"name": "a", "by": "single", "dialogues": "x.json"}]},
            "teach the agenda user alone",
        ),
        (
            {"systems": [{"name": "a", "by": "attribute", "options": {"slots": ["nope"]}}]},
            "slots names 'nope'",
        ),
        ({"needs": {"requests": {"least": 9, "most": 9}}}, "with 9 more slots to ask about"),
        ({"needs": {"given": [{"constraints": {"genre": []}}]}}, "given"),
        ({"validity": {"dialogues": "nofile.json"}}, "nofile.json"),
        ({"users": {"groups": [{"name": "everybody", "share": 0.5}]}}, "names of their own"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_spent(
    config: dict[str, Any], words: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=words):
        held(tmp_path, **config)
    assert not (tmp_path / "run" / "run.db").exists()


def test_an_offer_with_which_a_system_ends_is_answered(tmp_path: Path) -> None:
    needs = {"given": [{"constraints": {"genre": "Drama"}}, {"constraints": {"genre": "Fantasy"}}]}
    found = held(tmp_path, "last_words", {"end": {"text": "Goodbye"}}, needs=needs, dialogues=2)
    assert [d["end"] for d in found] == ["satisfied", "system-ended"]
    assert all(d["utterances"][-1]["speaker"] == "user" for d in found if d["offers"])


def test_no_offer_goes_without_an_answer_at_the_turn_limit(tmp_path: Path) -> None:
    for dialogue in held(tmp_path, systems=["random"], turns=2):
        assert dialogue["utterances"][-1]["speaker"] == "user"
