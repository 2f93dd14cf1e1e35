"""One question of a run is told as it was asked:
from the ledger, or computed again without touching the run."""

import asyncio
import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from golden_runs import STUDIES

from openiir.core.asking import question_schema
from openiir.core.errors import DamagedRun, InputError, ReplayDifference, RunStopped
from openiir.core.storage import Log, RunFile
from openiir.runs import inspect as inspecting
from openiir.runs.engine import drive
from openiir.runs.inspect import ComputedPrompts, InspectedQuestion, inspect_question
from openiir.runs.prepare import prepare_run
from openiir.runs.settings import Settings
from openiir.runs.trust import Permission, Trust, Untrusted
from openiir.testing.offline import StopAfter, offline_study, run_offline
from openiir.testing.standin import Behaviour, StandIn

GOLDEN = Path(__file__).parents[1] / "golden"


def asked_events(folder: Path) -> list[Any]:
    with RunFile.open(folder) as run:
        return list(Log(run).events("asked"))


def look(folder: Path, seq: int, computed: ComputedPrompts | None = None) -> InspectedQuestion:
    with RunFile.open(folder) as run:
        return inspect_question(run, seq, Settings(), computed)


@pytest.fixture
def executions(monkeypatch):
    """An entry for each execution."""
    seen: list[str] = []
    begin = inspecting._Passage.execute_apart

    async def execute(self, *args):
        seen.append("begin")
        await begin(self, *args)

    monkeypatch.setattr(inspecting._Passage, "execute_apart", execute)
    return seen


@pytest.mark.parametrize(
    "name", ["panel-delphi", "recommender-visits", "recommender-patch", "conversational-ratings"]
)
def test_an_offline_question_is_told_as_it_was_asked(name, tmp_path, fingerprints):
    study, sets = STUDIES[name]
    played = run_offline(study, tmp_path, *sets)
    asked = {one.place: one for one in played.asked}
    folder = tmp_path / name
    shutil.copytree(GOLDEN / name, folder)
    before, computed = fingerprints(folder), ComputedPrompts()
    events = asked_events(folder)
    for event in (events[0], events[len(events) // 2], events[-1]):
        found = look(folder, event.seq, computed)
        one = asked[found.place]
        assert found.executed and found.event == event
        assert found.sent.messages == tuple(message.model_dump() for message in one.messages())
        assert found.sent.reply_schema == question_schema(one.question)
        (reply,) = found.sent.replies
        assert (reply.answerer, reply.attempt, reply.usable) == ("offline", 0, True)
        assert one.question.Reply.model_validate_json(reply.reply) == one.question.offline(one.draw)
    assert fingerprints(folder) == before
    played.run.close()


def test_a_model_s_question_is_told_from_the_ledger_with_its_repair(executions):
    folder = GOLDEN / "by-model-standard"
    with RunFile.open(folder) as run:
        repaired = next(call for call in run.calls() if call.attempt == 1)
        first = run.find_call(repaired.place, 0)
    assert first is not None
    event = next(e for e in asked_events(folder) if inspecting._place_of(e) == repaired.place)
    found = look(folder, event.seq)
    request, again = json.loads(first.request), json.loads(repaired.request)
    assert list(found.sent.messages) == request["messages"]
    assert found.sent.reply_schema == request["schema"] and not found.executed and not executions
    one, two = found.sent.replies
    assert (one.reply, one.usable, one.error, one.repair) == (first.reply, False, first.error, ())
    assert (two.reply, two.attempt, two.answerer) == (repaired.reply, 1, "model")
    assert [m["role"] for m in two.repair] == ["assistant", "user"]
    assert [*request["messages"], *two.repair] == again["messages"]


def test_every_prompt_computed_for_a_model_is_the_one_on_record(monkeypatch):
    """What a re-execution renders is held against the ledger, where there is one."""
    folder, sent = GOLDEN / "by-model-ideation", {}
    hear = inspecting._Passage._hear

    def note(self, asked, answer):
        sent[asked.place] = inspecting._offline_prompt(asked.question, asked.messages(), answer)
        hear(self, asked, answer)

    monkeypatch.setattr(inspecting._Passage, "_hear", note)
    events = asked_events(folder)
    with pytest.raises(ReplayDifference, match="not asked now"):
        inspecting._compute_prompt(
            folder,
            inspecting._place_of(events[-1]).model_copy(update={"asker": "nobody"}),
            Settings(),
            ComputedPrompts(),
        )
    for event in events:
        found = look(folder, event.seq)
        computed = sent[found.place]
        assert (found.sent.messages, found.sent.reply_schema) == (computed.messages, computed.reply_schema)


def test_a_question_that_nobody_was_asked_has_no_prompt():
    folder = GOLDEN / "by-model-delphi"
    event = next(e for e in asked_events(folder) if e.payload["outcome"] == "exhausted")
    found = look(folder, event.seq)
    assert found.sent.messages == found.sent.replies == () and not found.executed


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
    assert found.executed and found.shadow is not None and found.shadow.answerer == "model"
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
def test_a_prompt_made_of_its_recorded_facts_is_the_one_computed_again(name, made, executions):
    folder = made(name)
    offline = [one for one in asked_events(folder) if one.payload.get("answerer") == "offline"]
    assert offline or name == "feed"
    made_of_facts = [look(folder, one.seq).sent for one in offline]
    assert not executions
    with sqlite3.connect(folder / "run.db") as db:
        db.execute("delete from asked_facts")
    db.close()
    computed = ComputedPrompts(whole=True)
    with RunFile.open(folder) as run:  # as in a run of an earlier release
        again = [inspect_question(run, one.seq, Settings(), computed).sent for one in offline]
    assert made_of_facts == again and executions == ["begin"] * bool(offline)


def test_facts_that_do_not_fit_are_computed_again(made, executions, monkeypatch):
    folder = made("panel-delphi")
    event, find = asked_events(folder)[0], inspecting.find_facts
    sent = look(folder, event.seq).sent
    changes: list[dict[str, Any]] = [
        {"classes": ("os:system", "os:system")},
        {"classes": ("openiir.core.asking.question:Question", "openiir.core.records.persona:Persona")},
        {"facts": "{}"},
        {"reply": '{"where_you_stand": "nowhere"}'},
    ]
    for n, change in enumerate(changes, 1):
        monkeypatch.setattr(inspecting, "find_facts", lambda *args, to=change: find(*args)._replace(**to))
        assert look(folder, event.seq).sent == sent and len(executions) == n


def test_a_damaged_block_of_facts_is_refused(made):
    folder = made("panel-delphi")
    event = asked_events(folder)[0]
    for change in ("body = x'00'", "bytes = 1000000000000", "bytes = 3"):
        with sqlite3.connect(folder / "run.db") as db:
            db.execute(f"update asked_facts set {change}")
        db.close()
        with pytest.raises(DamagedRun, match="facts of the question"):
            look(folder, event.seq)


def test_an_execution_ends_soon_after_the_question_and_keeps_its_neighbours(executions, monkeypatch):
    monkeypatch.setattr(inspecting, "AHEAD", 3)
    folder, computed = GOLDEN / "conversational", ComputedPrompts()
    events = asked_events(folder)
    look(folder, events[20].seq, computed)
    assert len(computed.kept) == 24, "all before it, and three after it"
    for n in (0, 19, 23):
        look(folder, events[n].seq, computed)
    assert executions == ["begin"]
    look(folder, events[24].seq, computed)
    assert executions == ["begin", "begin"]
    monkeypatch.setattr(inspecting, "KEPT", 10)
    assert look(folder, events[60].seq, computed).executed


def test_at_most_so_many_prompts_are_kept(monkeypatch):
    monkeypatch.setattr(inspecting, "KEPT", 10)
    folder, computed = GOLDEN / "panel-delphi", ComputedPrompts()
    assert look(folder, asked_events(folder)[-1].seq, computed).executed
    assert len(computed.kept) == 10


@pytest.mark.parametrize("seq", [0, -1, 999_999, 10**30])
def test_an_unknown_number_is_an_error_in_words(seq):
    with pytest.raises(InputError, match=rf"no question of the run 'panel-delphi' has the number {seq};"):
        look(GOLDEN / "panel-delphi", seq)


def test_a_run_that_needs_leave_is_refused_without_it(executions, monkeypatch):
    needed = Permission("callable", "theirs:rank", "imports the Python code theirs:rank", "1" * 64)
    monkeypatch.setattr("openiir.runs.build.list_permissions", lambda *_, **__: (needed,))
    folder = GOLDEN / "panel-delphi"
    event = asked_events(folder)[0]
    with pytest.raises(Untrusted, match="theirs:rank"):
        look(folder, event.seq)
    trusting = Settings(trust=Trust(callables=("theirs:rank",)))
    with RunFile.open(folder) as run:
        assert inspect_question(run, event.seq, trusting).executed


def test_a_question_answered_otherwise_than_on_record_is_not_shown(tmp_path, monkeypatch):
    folder = GOLDEN / "panel-delphi"
    monkeypatch.setattr(inspecting, "_offline_prompt", lambda *_: inspecting.InspectedPrompt(tokens=-1))
    with pytest.raises(ReplayDifference, match="answered otherwise than on record"):
        look(folder, asked_events(folder)[0].seq)


def test_a_stopped_run_can_be_inspected_up_to_where_it_stopped(tmp_path):
    study, sets = STUDIES["panel-delphi"]
    with prepare_run(offline_study(study, tmp_path, sets), tmp_path / "run", Settings()) as run:
        with pytest.raises(RunStopped):
            asyncio.run(drive(run, Settings(), StopAfter(3)))
        # still open for writing, as in another process that goes on
        last = asked_events(tmp_path / "run")[-1]
        found = look(tmp_path / "run", last.seq)
    assert found.executed and found.sent == look(GOLDEN / "panel-delphi", last.seq).sent


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
    offline = openiir("inspect", GOLDEN / "panel-delphi", asked_events(GOLDEN / "panel-delphi")[0].seq)
    assert "computed again" in offline.out.splitlines()[0]
    assert openiir("inspect", folder, 999_999).code == 2
