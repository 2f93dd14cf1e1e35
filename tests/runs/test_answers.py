"""Who answers, end to end: each answerer in a run, and the run replayed without whoever answered."""

import asyncio
import json
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from small_server import SmallServer

from openiir.core.errors import RunStopped
from openiir.core.storage import Log, RunFile
from openiir.plugin import Step
from openiir.runs.engine import Watcher, drive, resume
from openiir.runs.prepare import prepare_run
from openiir.runs.settings import load_settings
from openiir.runs.study import load_study
from openiir.testing.offline import StopAfter

SYSTEM = '''
def answer(request):
    """A system under test that rates by how long the prompt is, and makes one mistake in its first reply."""
    text = request["text"]
    mistaken = "cannot be used" not in text and "said 0 before" in text
    return "no JSON at all" if mistaken else '{"score": %d}' % (len(text) % 11)
'''


def asked(folder: Path, kind: str) -> list[dict[str, Any]]:
    with RunFile.open(folder) as run:
        return [e.payload for e in Log(run).events("asked") if e.payload["question"] == kind]


def test_a_system_under_test_answers_and_a_replay_needs_it_no_more(evening, openiir, tmp_path, monkeypatch):
    (tmp_path / "rating_system.py").write_text(SYSTEM)
    monkeypatch.syspath_prepend(tmp_path)
    study = evening(
        tables='[answers.kind]\n"parlour.rate" = "system:rater"\n'
        '[system.rater]\nconnector = "python"\ncallable = "rating_system:answer"\n'
        'request = { text = "{text}", persona = "{persona}" }'
    )
    ran = openiir("run", study, "--trust", "--out", tmp_path / "run")
    rates = asked(tmp_path / "run", "parlour.rate")
    assert {r["answerer"] for r in rates} == {"system"} and {r["outcome"] for r in rates} == {"answered"}
    assert {r["attempts"] for r in rates} == {1, 2}
    (tmp_path / "rating_system.py").unlink()
    assert openiir("replay", tmp_path / "run").content == ran.content


def test_a_person_answers_through_files(evening, openiir, tmp_path):
    study = evening(tables='[config]\nsteps = 2\n[answers.persona.ada]\n"parlour.rate" = "human"')
    settings = tmp_path / "people.toml"
    settings.write_text('human = "file"')
    inbox, seen = tmp_path / "run" / "inbox", []

    def person():
        while len(seen) < 2:
            for path in sorted(inbox.glob("*.question.json")) if inbox.is_dir() else []:
                if path.name not in seen:
                    seen.append(path.name)
                    assert (
                        json.loads(path.read_text())["reply_schema"]["properties"]["score"]["maximum"] == 10
                    )
                    reply = inbox / path.name.replace("question", "reply")
                    if len(seen) == 1:
                        reply.write_text('{"score": 70}')
                        while not (inbox / path.name.replace("question.json", "problem.txt")).is_file():
                            time.sleep(0.01)
                    reply.with_suffix(".part").write_text('{"score": 7}')
                    reply.with_suffix(".part").rename(reply)
            time.sleep(0.01)

    thread = threading.Thread(target=person, daemon=True)
    thread.start()
    ran = openiir("run", study, "--out", tmp_path / "run", "--settings", settings)
    thread.join(5)
    with RunFile.open(tmp_path / "run") as run:
        scores = [r["score"] for r in Log(run).table("ratings") if r["agent"] == "ada"]
    assert scores == [7, 7]
    assert {r["attempts"] for r in asked(tmp_path / "run", "parlour.rate")} == {1}, (
        "a slip costs a person nothing"
    )
    assert openiir("replay", tmp_path / "run").content == ran.content


def test_a_person_answers_at_the_terminal_field_by_field(evening, openiir, tmp_path, monkeypatch):
    study = evening(tables='[config]\nsteps = 1\n[answers.persona.ben]\n"parlour.rate" = "human"')
    typed = iter(["eleven", "9"])
    monkeypatch.setattr("builtins.input", lambda prompt="": next(typed))
    ran = openiir("run", study, "--out", tmp_path / "run")
    assert "How warm is it" in ran.out and "cannot be used" in ran.out
    with RunFile.open(tmp_path / "run") as run:
        assert [r["score"] for r in Log(run).table("ratings") if r["agent"] == "ben"] == [9]


def test_no_terminal_to_ask_at_is_said(evening, openiir, tmp_path, monkeypatch):
    def nobody(prompt=""):
        raise EOFError

    monkeypatch.setattr("builtins.input", nobody)
    failed = openiir("run", evening('answers = "human"'), "--out", tmp_path / "run")
    assert failed.code == 2 and 'human = "file"' in failed.err


def test_a_recording_plays_what_a_model_said(by_model, served, openiir, tmp_path):
    server, settings = served()
    openiir("run", by_model, "--out", tmp_path / "first", "--settings", settings)
    calls = server.counts.requests
    again = ("run", by_model, "--set", "answers=recording", "--out", tmp_path / "second")
    played = openiir(*again, "--recording", tmp_path / "first")
    assert played.code == 0 and server.counts.requests == calls
    with RunFile.open(tmp_path / "first") as one, RunFile.open(tmp_path / "second") as two:
        spoke = [[e.payload for e in Log(run).events("parlour.spoke")] for run in (one, two)]
    assert spoke[0] == spoke[1]
    assert openiir("replay", tmp_path / "second").content == played.content
    missing = openiir(*again[:-1], tmp_path / "third")
    assert missing.code == 2 and "--recording" in missing.err
    idle = openiir("run", by_model, "--out", tmp_path / "third", "--recording", tmp_path / "first")
    assert idle.code == 2 and "no recording is played here" in idle.err


def test_the_study_says_how_the_form_of_a_reply_is_shown(
    evening, served, openiir, tmp_path, parlour, monkeypatch
):
    monkeypatch.setattr(parlour.Rate, "example", parlour.Rating(score=2))
    _, settings = served()
    shown = {}
    for form in ("example", "schema"):
        model = (
            f'[model]\nname = "standin"\nform = "{form}"\n[answers]\ndefault = "model"\n[config]\nsteps = 1'
        )
        study = evening(tables=f'{model}\n[answers.kind]\n"claims.extract" = "offline"', folder=form)
        assert openiir("run", study, "--out", tmp_path / form / "run", "--settings", settings).code == 0
        with RunFile.open(tmp_path / form / "run") as run:
            requests = [json.loads(call.request) for call in run.calls() if call.place.kind == "parlour.rate"]
        assert "form" not in requests[0]["sampling"]
        shown[form] = requests[0]["messages"][-1]["text"]
    assert '{"score": 2}' in shown["example"] and "maximum" not in shown["example"]
    assert '"maximum":10' in shown["schema"] and '{"score": 2}' not in shown["schema"]
    wrong = openiir(
        "run", tmp_path / "schema" / "study.toml", "--set", "model.form=prose", "--out", tmp_path / "no"
    )
    assert wrong.code == 2 and "model.form" in wrong.err


def test_a_shadow_is_logged_and_changes_nothing(evening, served, openiir, tmp_path):
    _, settings = served()
    plain = evening(folder="plain")
    shadowed = evening(tables='[answers]\nshadow = "model"\n[model]\nname = "standin"', folder="shadowed")
    openiir("run", plain, "--out", tmp_path / "one")
    openiir("run", shadowed, "--out", tmp_path / "two", "--settings", settings)
    kinds = ("parlour.spoke", "asked", "lookup", "restated")
    with RunFile.open(tmp_path / "one") as one, RunFile.open(tmp_path / "two") as two:
        logs = [[(e.actor, e.payload) for kind in kinds for e in Log(run).events(kind)] for run in (one, two)]
        shadows = list(Log(two).events("shadow"))
    assert logs[0] == logs[1]
    everything = ("parlour.rate", "parlour.remark", "claims.extract")
    assert len(shadows) == sum(len(asked(tmp_path / "two", kind)) for kind in everything)
    assert openiir("replay", tmp_path / "two").code == 0


def test_a_world_embedded_by_an_endpoint_replays_without_it(evening, served, openiir, tmp_path):
    server, settings = served()
    study = evening()
    study.write_text(study.read_text().replace("dimensions = 4", 'embeddings = "standin-embed"'))
    ran = openiir("run", study, "--out", tmp_path / "run", "--settings", settings)
    assert ran.code == 0, ran.err
    assert server.counts.requests > 0
    before = server.counts.requests
    assert openiir("replay", tmp_path / "run").content == ran.content
    assert server.counts.requests == before


WHY = "Claim k001 lacks evidence on worn ropes; the corpus has none, and it would settle whether ropes part."
FOUND = {"title": "Ropes", "url": "https://example.org/r", "content": "Worn ropes part at sea."}


@pytest.fixture
def engine(tmp_path):
    """A small SearXNG on loopback; gives a settings file that names it."""
    with SmallServer(lambda path, body: (200, {"results": [FOUND]})) as server:
        settings = tmp_path / "search.toml"
        settings.write_text(f'[search]\nurl = "{server.url}"')
        yield settings


@pytest.fixture
def searching(evening, parlour, monkeypatch):
    """Writes a study that searches the web by another schedule; everybody may search once."""

    def write(schedule):
        monkeypatch.setattr(parlour.Parlour, "schedule", schedule)
        study = evening("web_search = true")
        people = study.parent / "people.toml"
        people.write_text(people.read_text().replace("bio =", "searches = 1\nbio ="))
        return study

    return write


def test_a_justified_search_is_debited_cited_and_replayed_without_the_engine(
    engine, openiir, searching, tmp_path
):
    async def schedule(self, stage):
        ada = stage.agents[0]
        for words in ("", "too short", WHY, WHY):
            found = await stage.search(ada, "worn ropes", words, ["k001"])
            stage.note(
                "found", ada.id, {"chunks": [hit.chunk.id for hit in found], "left": ada.budget.searches}
            )
        yield Step("searched")

    study = searching(schedule)
    ran = openiir("run", study, "--out", tmp_path / "run", "--settings", engine)
    assert ran.code == 0, ran.err
    with RunFile.open(tmp_path / "run") as run:
        found = [e.payload for e in Log(run).events("found")]
        searches = Log(run).searches()
    assert [f["left"] for f in found] == [1, 1, 0, 0]
    assert [len(f["chunks"]) for f in found] == [0, 0, 1, 0]
    assert [s.refused is None for s in searches] == [False, False, True, False]
    assert "budget" in (searches[3].refused or "")
    assert openiir("replay", tmp_path / "run").content == ran.content


def test_a_forecast_searches_nothing(searching, served, openiir, tmp_path):
    async def schedule(self, stage):
        assert await stage.search(stage.agents[0], "worn ropes", WHY, ["k001"]) == []
        yield Step("searched")

    _, settings = served('[search]\nurl = "http://127.0.0.1:1"')
    words = ("--set", "answers=model", "--set", "model.name=standin", "--settings", settings)
    told = openiir("run", searching(schedule), "--forecast", *words)
    assert told.code == 0, told.err
    ran = openiir("run", searching(schedule), "--out", tmp_path / "run", *words)
    assert ran.code == 1 and "web search (searxng 127.0.0.1:1) gave no answer" in ran.err


def test_what_lanes_find_joins_the_world_at_the_steps_end(engine, openiir, searching, tmp_path):

    def life(stage, agent):
        async def live(lane):
            found = await lane.search(agent, "worn ropes", WHY, ["k001"])
            return len(found), len(lane.world().chunks)

        return live

    async def schedule(self, stage):
        before = len(stage.world().chunks)
        seen = await stage.lanes({a.id: life(stage, a) for a in stage.agents})
        assert list(seen.values()) == [(1, before)] * 3, "each lane finds it, none sees the others' finds"
        assert len(stage.world().chunks) == before + 1
        yield Step("searched")

    study = searching(schedule)
    ran = openiir("run", study, "--out", tmp_path / "run", "--settings", engine)
    assert ran.code == 0, ran.err
    assert openiir("replay", tmp_path / "run").content == ran.content


def test_passages_found_before_a_checkpoint_are_in_the_world_after_it(engine, sit, searching, tmp_path):
    executed = []

    async def schedule(self, stage):
        ada = stage.agents[0]
        while stage.step <= 3:
            executed.append(stage.step)
            if stage.step == 1:
                await stage.search(ada, "worn ropes", WHY, ["k001"])
            hits = await stage.lookup(ada, "worn ropes")
            order = [chunk.id for chunk in stage.world().chunks]
            stage.note("seen", ada.id, {"scores": [hit.score for hit in hits], "order": order})
            stage.note("left", "nobody", {"searches": ada.budget.searches})
            stage.keep()
            yield Step(f"step {stage.step}")

    study = searching(schedule)
    settings = load_settings(engine).model_copy(update={"checkpoint_every": 1})
    whole = sit(study, tmp_path / "whole", settings)
    loaded = load_study(str(study))
    with prepare_run(loaded, tmp_path / "run", settings) as run, pytest.raises(RunStopped):
        asyncio.run(drive(run, settings, StopAfter(2)))
    executed.clear()
    assert asyncio.run(resume(tmp_path / "run", settings, Watcher())) == whole and executed == [3]


def test_a_study_that_searches_needs_a_service(evening, openiir, tmp_path):
    failed = openiir("run", evening("web_search = true"), "--out", tmp_path / "run")
    assert failed.code == 2 and "[search]" in failed.err


SENTENCES = "Ropes part at sea because salt eats them. Skippers check them at dawn. " * 6
ARTICLE = f"<html><head><title>Ropes</title></head><body><article><p>{SENTENCES}</p></article></body></html>"


def test_pages_are_fetched_only_when_asked_and_never_from_private_addresses_unasked(
    openiir, evening, tmp_path
):
    server = SmallServer(lambda path, body: (200, ARTICLE), media="text/html; charset=utf-8")
    study = evening()
    url = f"{server.url}/ropes"
    study.write_text(study.read_text().replace('sources = ["sea.md", "land.md"]', f'urls = ["{url}"]'))
    settings = tmp_path / "private.toml"
    settings.write_text("allow_private_addresses = true")
    unasked = openiir("run", study, "--out", tmp_path / "a", "--settings", settings)
    assert unasked.code == 2 and "--fetch" in unasked.err
    refused = openiir("run", study, "--fetch", "--out", tmp_path / "b")
    assert refused.code == 2 and "127.0.0.1" in refused.err
    assert not (tmp_path / "a").exists() and not (tmp_path / "b").exists()
    ran = openiir("run", study, "--fetch", "--out", tmp_path / "c", "--settings", settings)
    server.stop()
    assert ran.code == 0, ran.err
    with RunFile.open(tmp_path / "c") as run:
        assert {c.source for c in Log(run).chunks()} == {url}
    assert openiir("replay", tmp_path / "c").content == ran.content


def test_personas_are_drafted_by_a_model(served, openiir, tmp_path):
    _, settings = served()
    (tmp_path / "sea.md").write_text(
        "Ropes part at sea because salt eats them. Skippers check them at dawn.\n" * 3
    )
    words = ("--topic", "Ropes should be checked", "--n", "2", "--model", "standin", "--settings", settings)
    drafted = openiir("personas", "generate", tmp_path / "sea.md", *words, "--out", tmp_path / "roster.toml")
    assert drafted.code == 0, drafted.err
    assert openiir("personas", "check", tmp_path / "roster.toml").code == 0
