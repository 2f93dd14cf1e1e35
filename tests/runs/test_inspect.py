"""One question of a run is told as it was asked: from the ledger, or written from its recorded facts."""

import asyncio
import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from golden_runs import STUDIES

from openiir.core.asking import question_schema
from openiir.core.errors import DamagedRun, InputError, RunStopped
from openiir.core.storage import Log, RunFile
from openiir.runs import inspect as inspecting
from openiir.runs.engine import drive
from openiir.runs.inspect import InspectedQuestion, inspect_question
from openiir.runs.prepare import prepare_run
from openiir.runs.settings import Settings
from openiir.testing.offline import StopAfter, offline_study, run_offline
from openiir.testing.standin import Behaviour, StandIn

GOLDEN = Path(__file__).parents[1] / "golden"


def asked_events(folder: Path) -> list[Any]:
    with RunFile.open(folder) as run:
        return list(Log(run).events("asked"))


def look(folder: Path, seq: int) -> InspectedQuestion:
    with RunFile.open(folder) as run:
        return inspect_question(run, seq)


def test_a_model_s_question_is_told_from_the_ledger_with_its_repair():
    folder = GOLDEN / "by-model-standard"
    with RunFile.open(folder) as run:
        repaired = next(call for call in run.calls() if call.attempt == 1)
        first = run.find_call(repaired.place, 0)
    assert first is not None
    event = next(e for e in asked_events(folder) if inspecting._place_of(e) == repaired.place)
    found = look(folder, event.seq)
    request, again = json.loads(first.request), json.loads(repaired.request)
    assert list(found.sent.messages) == request["messages"]
    assert found.sent.reply_schema == request["schema"] and not found.restored
    one, two = found.sent.replies
    assert (one.reply, one.usable, one.error, one.repair) == (first.reply, False, first.error, ())
    assert (two.reply, two.attempt, two.answerer) == (repaired.reply, 1, "model")
    assert [m["role"] for m in two.repair] == ["assistant", "user"]
    assert [*request["messages"], *two.repair] == again["messages"]


def test_a_question_that_nobody_was_asked_has_no_prompt():
    folder = GOLDEN / "by-model-delphi"
    event = next(e for e in asked_events(folder) if e.payload["outcome"] == "exhausted")
    found = look(folder, event.seq)
    assert found.sent.messages == found.sent.replies == () and not found.restored


def test_a_feed_with_a_shadow_tells_both_answers(tmp_path):
    from openiir.runs.execute import LocalOptions, RunOrder, run_studies

    study, sets = STUDIES["feed"]
    shadow = ('answers={default="offline", shadow="model"}', "model.name=standin")
    settings = tmp_path / "settings.toml"
    with StandIn(Behaviour()) as server:
        settings.write_text(f'endpoint = "{server.url}"\n')
        order = RunOrder(out=tmp_path / "run", sets=(*sets, *shadow))
        (ended,) = run_studies([study], order, LocalOptions(settings, shown=False))
    assert ended.error is None
    with RunFile.open(tmp_path / "run") as run:
        shadows = {
            inspecting._place_of(one): one.payload["shadow_reply"] for one in Log(run).events("shadow")
        }
    events = asked_events(tmp_path / "run")
    event = next(one for one in events if shadows[inspecting._place_of(one)] is not None)
    found = look(tmp_path / "run", event.seq)
    assert found.restored and found.shadow is not None and found.shadow.answerer == "model"
    assert json.loads(found.shadow.reply) == shadows[found.place] and found.shadow.usable
    with RunFile.open(tmp_path / "run") as run:
        kind = f"{found.place.kind}~shadow"
        call = run.find_call(found.place.model_copy(update={"kind": kind}), 0)
    assert call is not None and list(found.sent.messages) == json.loads(call.request)["messages"]
    assert json.loads(found.shadow.reply).keys() == json.loads(found.sent.replies[0].reply).keys()
    if failed := [one for one in events if shadows[inspecting._place_of(one)] is None]:
        shadow = look(tmp_path / "run", failed[0].seq).shadow
        assert shadow is not None and (shadow.reply, shadow.usable) == ("", False)


@pytest.fixture
def made(openiir, tmp_path):
    """Makes the run of a golden study, with the facts of its questions beside."""

    def run(name):
        study, sets = STUDIES[name]
        words = [part for one in sets for part in ("--set", one)]
        assert openiir("run", study, "--out", tmp_path / "run", *words).code == 0
        return tmp_path / "run"

    return run


RECORDED = [
    "panel-delphi",
    "panel-ideation",
    "feed",
    "social-media",
    "generations",
    "recommender-visits",
    "conversational",
]


@pytest.mark.parametrize("name", RECORDED)
def test_an_offline_question_is_told_as_it_was_asked(name, made, tmp_path, fingerprints):
    study, sets = STUDIES[name]
    folder = made(name)
    played = run_offline(study, tmp_path / "played", *sets)
    asked = {one.place: one for one in played.asked}
    before = fingerprints(folder)
    offline = [one for one in asked_events(folder) if one.payload.get("answerer") == "offline"]
    assert offline or name == "feed"
    for event in offline:
        found = look(folder, event.seq)
        one = asked[found.place]
        assert found.restored and found.event == event
        assert found.sent.messages == tuple(message.model_dump() for message in one.messages())
        assert found.sent.reply_schema == question_schema(one.question)
        (reply,) = found.sent.replies
        assert (reply.answerer, reply.attempt, reply.usable) == ("offline", 0, True)
        assert one.question.Reply.model_validate_json(reply.reply) == one.question.offline(one.draw)
    assert fingerprints(folder) == before
    played.run.close()


def test_without_facts_that_fit_no_prompt_is_told(made, monkeypatch, openiir):
    folder = made("panel-delphi")
    event, find = asked_events(folder)[0], inspecting.find_facts
    changes: list[dict[str, Any]] = [
        {"classes": ("os:system", "os:system")},
        {"classes": ("openiir.core.asking.question:Question", "openiir.core.records.persona:Persona")},
        {"facts": "{}"},
        {"reply": '{"where_you_stand": "nowhere"}'},
    ]
    for change in changes:
        monkeypatch.setattr(inspecting, "find_facts", lambda *args, to=change: find(*args)._replace(**to))
        found = look(folder, event.seq)
        assert not found.restored and found.sent.messages == found.sent.replies == ()
    assert "no prompt: the run recorded no facts" in openiir("inspect", folder, event.seq).out


def test_a_damaged_block_of_facts_is_refused(made):
    folder = made("panel-delphi")
    event = asked_events(folder)[0]
    for change in ("body = x'00'", "bytes = 1000000000000", "bytes = 3"):
        with sqlite3.connect(folder / "run.db") as db:
            db.execute(f"update asked_facts set {change}")
        db.close()
        with pytest.raises(DamagedRun, match="facts of the question"):
            look(folder, event.seq)


@pytest.mark.parametrize("seq", [0, -1, 999_999, 10**30])
def test_an_unknown_number_is_an_error_in_words(seq):
    with pytest.raises(InputError, match=rf"no question of the run 'panel-delphi' has the number {seq};"):
        look(GOLDEN / "panel-delphi", seq)


def test_a_stopped_run_can_be_inspected_up_to_where_it_stopped(tmp_path):
    study, sets = STUDIES["panel-delphi"]
    with prepare_run(offline_study(study, tmp_path, sets), tmp_path / "run", Settings()) as run:
        with pytest.raises(RunStopped):
            asyncio.run(drive(run, Settings(), StopAfter(3)))
        # still open for writing, as in another process that goes on
        last = asked_events(tmp_path / "run")[-1]
        found = look(tmp_path / "run", last.seq)
    assert found.restored and found.sent.messages


def test_a_question_of_a_damaged_run_is_refused(tmp_path, openiir):
    folder = tmp_path / "run"
    shutil.copytree(GOLDEN / "panel-delphi", folder)
    event = asked_events(folder)[0]
    with sqlite3.connect(folder / "run.db") as db:
        db.execute("update event set actor = 'nobody' where seq = ?", (event.seq,))
    db.close()
    refused = openiir("inspect", folder, event.seq)
    assert refused.code == 2 and "event" in refused.err and not refused.out


def test_the_command_lists_questions_and_shows_one(openiir):
    folder = GOLDEN / "by-model-standard"
    event = next(e for e in asked_events(folder) if e.payload.get("attempts") == 2)
    listed = openiir("inspect", folder).out
    assert any(
        line.split()[:3] == [str(event.seq), str(event.step), event.actor] for line in listed.splitlines()
    )
    shown = openiir("inspect", folder, event.seq).out
    assert shown.count("--- user") == 2 and "(not usable)" in shown and "--- schema of the reply" in shown
    assert openiir("inspect", folder, 999_999).code == 2


def test_a_run_from_before_details_of_calls_says_so_and_is_read(tmp_path, openiir):
    folder = GOLDEN / "by-model-standard"
    assert openiir("inspect", folder, "--calls").out.startswith("no model was asked, or an earlier release")
    assert "cached" not in openiir("inspect", folder).out
