"""What a replay does not execute is covered by the manifest;
`openiir verify` says what was changed, part by part."""

import hashlib
import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from openiir.testing.standin import Faults

INTACT = "intact, unsigned (whoever changed it could also have renewed the manifest)"


@pytest.fixture
def run(by_model, served, openiir, tmp_path):
    """A finished run with tries that brought no reply."""
    openiir(
        "run",
        by_model,
        "--out",
        tmp_path / "run",
        "--settings",
        served(faults=Faults(share=0.3, kinds=("500",)))[1],
    )
    return tmp_path / "run"


def tamper(run: Path, *statements: str) -> None:
    db = sqlite3.connect(run / "run.db")
    for statement in statements:
        assert db.execute(statement).rowcount != 0, statement
    db.commit()
    db.close()


def test_a_replay_warns_of_what_it_cannot_see_and_verify_names_it(run, openiir):
    content = openiir("replay", run).content
    whole = openiir("verify", run)
    assert whole.code == 0 and whole.out.splitlines()[0] == INTACT, whole
    tamper(
        run,
        "delete from transport",
        "update step set label = 'harmless' where number = 2",
        "update state set value = '/home/eve' where key = 'folder'",
        "create table later (x text) strict",
        "pragma application_id = 7",
    )
    replayed = openiir("replay", run)
    assert replayed.content == content
    assert "warning: " in replayed.err.splitlines()[-1]
    parts = "later, schema, state, step, transport, application_id"
    assert f"changed after the run had ended: {parts};" in replayed.err.splitlines()[-1]
    told = openiir("verify", run)
    assert told.code == 1 and told.out.splitlines()[0] == f"changed: {parts}"
    assert "  events    ok" in told.out


def test_verify_says_what_no_hash_covers(run, openiir):
    openiir("measure", run)
    (run / "notes.txt").write_text("mine")
    told = openiir("verify", run)
    lines = told.out.partition("not covered\n")[2].splitlines()
    assert told.code == 0 and [line.split()[0] for line in lines[:3]] == [
        "after.db",
        "live.json",
        "notes.txt",
    ]


@pytest.mark.parametrize(
    ("statement", "part"),
    [
        ("update event set actor = 'eve' where seq = 3", "events"),
        ("update call set reply = '{}' where step = 1", "calls"),
        ("update prompt set body = '{}'", "prompt"),
        ("update call set reply_hash = '0'", "call"),
    ],
)
def test_verify_goes_on_where_other_commands_refuse(statement, part, run, openiir):
    tamper(run, statement)
    told = openiir("verify", run)
    assert told.code == 1 and part in told.out.splitlines()[0].removeprefix("changed: ").split(", ")
    assert "was changed" in told.out, "what all other commands say"
    assert openiir("replay", run).code == 2


def test_a_changed_manifest_or_part_is_named(run, openiir):
    manifest = run / "manifest.json"
    whole = manifest.read_text()
    manifest.write_text(whole.replace('"machine": "', '"machine": "not '))
    told = openiir("verify", run)
    assert told.code == 1 and told.out.splitlines()[0] == "changed: manifest.json"
    manifest.write_text(whole.replace('"python": "3', '"python": "2'))
    assert openiir("verify", run).out.splitlines()[0] == "changed: manifest.json"
    renewed = hashlib.sha256(manifest.read_bytes()).hexdigest()
    tamper(run, f"update state set value = '{renewed}' where key = 'manifest'")
    assert openiir("verify", run).out.splitlines()[0] == INTACT, "which no digest can tell, so it says so"
    manifest.write_text('{"format": 2}')
    assert openiir("verify", run).out.splitlines()[0].startswith("changed: study, personas, ")
    next(run.glob("tables/*.parquet")).write_bytes(b"PAR1")
    assert "cannot be read" in openiir("verify", run).out


def test_of_a_run_made_before_it_says_so(run, openiir):
    manifest = json.loads((run / "manifest.json").read_text())
    del manifest["rest"]
    (run / "manifest.json").write_text(json.dumps(manifest | {"format": 1}))
    digest = hashlib.sha256((run / "manifest.json").read_bytes()).hexdigest()
    tamper(run, f"update state set value = '{digest}' where key = 'manifest'", "update step set label = 'x'")
    told = openiir("verify", run)
    assert told.code == 0 and "not covered: the run was made before" in told.out
    assert "warning" not in openiir("replay", run).err


def test_what_has_not_ended_cannot_be_verified(evening, sittings, openiir, tmp_path):
    sittings({"argv": ["run", str(evening()), "--out", str(tmp_path / "run")], "kill": 40})
    told = openiir("verify", tmp_path / "run")
    assert told.code == 2 and "has not ended" in told.err
    assert openiir("verify", tmp_path).code == 2


def test_what_an_earlier_version_left_of_a_killed_run_can_be_replaced(evening, openiir, tmp_path):
    """It made `run.db` before there was anything in it."""
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "run.db").touch()
    run = ("run", evening(), "--out", tmp_path / "run")
    assert "--again replaces it" in openiir(*run).err
    assert "with --again" in openiir("resume", tmp_path / "run").err
    assert openiir(*run, "--again").code == 0


def test_what_never_was_a_run_is_called_so(openiir, tmp_path):
    (tmp_path / "thesis.txt").write_text("three years")
    told = openiir("show", tmp_path)
    assert told.code == 2 and "holds no run" in told.err and "copy" not in told.err


def test_of_a_run_that_has_ended_resume_says_so(run, openiir):
    resumed = openiir("resume", run)
    assert resumed.code == 0 and "has ended already" in resumed.err


def test_what_is_published_names_no_folder_of_its_author(run, tmp_path):
    for file in (file for file in run.rglob("*") if file.is_file()):
        assert str(tmp_path).encode() not in file.read_bytes(), file
    assert not (run / "study.local").exists()


def test_a_study_elsewhere_is_named_beside_the_run_file(
    evening, sit, openiir, parlour, tmp_path, monkeypatch
):
    """Where the way from the run to the study leads over a folder above the user's home."""
    study, folders = evening(folder="ada"), []
    monkeypatch.setenv("HOME", str(study.parent))
    sit(study, tmp_path / "run")
    assert str(tmp_path).encode() not in (tmp_path / "run" / "run.db").read_bytes()
    inner = parlour.Parlour.schedule
    monkeypatch.setattr(
        parlour.Parlour, "schedule", lambda self, stage: (folders.append(self.folder), inner(self, stage))[1]
    )
    assert openiir("replay", tmp_path / "run").code == 0
    (tmp_path / "run").rename(tmp_path / "moved")
    assert openiir("replay", tmp_path / "moved").code == 0
    assert f"from {study.parent}" in openiir("trust", tmp_path / "moved").out
    assert openiir("replay", tmp_path / "moved").code == 0
    assert folders == [study.parent, tmp_path / "moved", study.parent]


def test_a_replay_says_where_the_files_of_its_study_are_missed(run, openiir):
    moved = run.rename(run.parent / "elsewhere")
    shutil.rmtree(run.parent / "study")
    assert "files that its study names are looked for in it alone" in openiir("replay", moved).err
    openiir("trust", moved)
    assert "where the study lay, is not there" in openiir("replay", moved).err
