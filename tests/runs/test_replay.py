"""A replay executes the record again, names the first difference, and touches nothing."""

import hashlib
import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from openiir.core.agents import Lane
from openiir.core.asking import Ledger
from openiir.core.world import Hit, World
from openiir.plugin import Stage
from openiir.testing.standin import Behaviour

Command = Callable[..., Any]


@pytest.fixture
def recorded(by_model, served, openiir, tmp_path):
    """A run answered by a model whose server, settings, study and sources are gone."""
    server, settings = served()
    content = openiir("run", by_model, "--out", tmp_path / "run", "--settings", settings).content
    settings.unlink()
    shutil.rmtree(by_model.parent)
    server.behave(Behaviour(key="nobody has this key"))
    return tmp_path / "run", content


def test_a_replay_needs_nothing_but_the_run(recorded, openiir, fingerprints, monkeypatch, tmp_path):
    folder, content = recorded
    before = fingerprints(tmp_path)
    monkeypatch.chdir("/")
    assert openiir("replay", folder).content == content
    moved = folder.rename(tmp_path / "elsewhere")
    assert openiir("replay", moved).content == content
    moved.rename(folder)
    assert fingerprints(tmp_path) == before


def differs(openiir: Command, folder: Path, fingerprints: Callable[..., Any], *words: str) -> None:
    before = fingerprints(folder)
    result = openiir("replay", folder)
    assert result.code == 1, result
    assert result.out == "" and "first difference: " in result.err and "fault of openiir" not in result.err
    for word in words:
        assert word in result.err, result.err
    assert fingerprints(folder) == before


def test_another_prompt_is_named(recorded, openiir, fingerprints, parlour, monkeypatch):
    inner = parlour.Remark.prompt
    monkeypatch.setattr(
        parlour.Remark, "prompt", lambda self: inner(self).replace("You heard", "Somebody said")
    )
    differs(
        openiir,
        recorded[0],
        fingerprints,
        "parlour.remark to ada (lane ada, step 1, no. 0)",
        "You heard",
        "Somebody",
    )


def test_a_question_that_was_never_asked_is_named(recorded, openiir, fingerprints, monkeypatch, parlour):
    inner = Lane.ask

    async def twice(self, who, question):
        await inner(self, who, question)
        return await inner(self, who, question)

    monkeypatch.setattr(Lane, "ask", twice)
    differs(openiir, recorded[0], fingerprints, "parlour.remark to ada", "step 1", "asked")


def test_another_event_is_named(recorded, openiir, fingerprints, monkeypatch, parlour):
    inner = Lane.act
    monkeypatch.setattr(
        Lane, "act", lambda self, who, action: inner(self, who, action.model_copy(update={"text": "Hush."}))
    )
    differs(openiir, recorded[0], fingerprints, "step 1, event ", "parlour.spoke", "Hush.")


def test_another_row_of_a_table_is_named(recorded, openiir, fingerprints, monkeypatch, parlour):
    inner = Stage.row

    def row(self, table, **values):
        inner(self, table, **values | ({"score": 10} if table == "ratings" and self.step == 3 else {}))

    monkeypatch.setattr(Stage, "row", row)
    differs(
        openiir, recorded[0], fingerprints, "step 3, row 1 of the table ratings, column score", "this run 10"
    )


@pytest.mark.parametrize(("steps", "words"), [(3, "has a step 4"), (5, "ends before step 5")])
def test_an_end_at_another_step_is_named(
    steps, words, evening, sit, openiir, fingerprints, parlour, tmp_path, monkeypatch
):
    sit(evening(), tmp_path / "run")
    inner = parlour.Parlour.schedule

    def schedule(self, stage):
        stage.config = stage.config.model_copy(update={"steps": steps})
        return inner(self, stage)

    monkeypatch.setattr(parlour.Parlour, "schedule", schedule)
    differs(openiir, tmp_path / "run", fingerprints, words)


def test_a_call_that_is_not_made_again_is_named(recorded, openiir, fingerprints, monkeypatch):
    """Calls that leave nothing in the log: here, of one who knows the reply without looking for it."""
    inner = Ledger.reply

    async def knowing(self, place, attempt, *rest):
        if place.step != 2 or place.asker != "ben":
            return await inner(self, place, attempt, *rest)
        found = self.source.find_call(place, attempt)
        rest[-1](found.reply)
        return found

    monkeypatch.setattr(Ledger, "reply", knowing)
    differs(
        openiir, recorded[0], fingerprints, "a call that this run does not make", "to ben", "step 2, no. 0"
    )


def test_another_world_is_named(recorded, openiir, fingerprints, monkeypatch):
    async def the_last(self, *args, **more):
        return [Hit(self.chunks[-1], 1.0, 1.0)]

    monkeypatch.setattr(World, "lookup", the_last)
    differs(openiir, recorded[0], fingerprints, "parlour.remark to ada", "step 1")


def test_a_resume_under_other_code_is_stopped_and_the_record_kept(
    evening, sittings, sit, openiir, parlour, tmp_path
):
    study, out = evening(), tmp_path / "run"
    whole = sit(study, tmp_path / "whole")
    (died,) = sittings({"argv": ["run", str(study), "--out", str(out)], "kill": 32})
    assert died["signal"] == 9
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parlour, "WORDS", ("all is well",) * 4)
        stopped = openiir("resume", out)
    assert stopped.code == 1 and "first difference: step 1, event" in stopped.err, stopped
    assert openiir("resume", out).content == whole


def as_before(folder: Path) -> None:
    """Let a run's manifest say that it was made by the release before prompts told facts alone."""
    file = folder / "manifest.json"
    manifest = json.loads(file.read_text())
    file.write_text(
        json.dumps(manifest | {"format": 2, "versions": {**manifest["versions"], "openiir": "0.1.0"}})
    )
    with sqlite3.connect(folder / "run.db") as db:
        db.execute(
            "update state set value = ? where key = 'manifest'",
            (hashlib.sha256(file.read_bytes()).hexdigest(),),
        )
    db.close()


def test_a_run_answered_to_earlier_prompts_names_the_release_that_replays_it(
    recorded, evening, openiir, tmp_path
):
    folder, _ = recorded
    as_before(folder)
    again = evening('answers = "recording"', folder="again")
    for words in (
        ("replay", folder),
        ("fork", folder, "--step", 2, "--set", "warmth=0.9", "--out", tmp_path / "out"),
        ("run", again, "--recording", folder, "--out", tmp_path / "out"),
    ):
        refused = openiir(*words)
        assert refused.code == 2 and "with openiir 0.1.0, or run its study anew" in " ".join(
            refused.err.split()
        ), refused
        assert not (tmp_path / "out").exists()
    assert "\nanswered by standin; " in openiir("show", folder, "ratings").out
    assert openiir("measure", folder).code == openiir("verify", folder).code == 0


def test_a_run_that_was_answered_offline_replays_whoever_made_it(evening, sit, openiir, tmp_path):
    content = sit(evening(), tmp_path / "run")
    as_before(tmp_path / "run")
    assert openiir("replay", tmp_path / "run").content == content
