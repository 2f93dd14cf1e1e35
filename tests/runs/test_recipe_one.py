"""Runs from before recipe 2 of the content hash are verified, measured, replayed and forked as ever."""

import hashlib
import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from openiir.core.storage import content_hash

RECORDED = Path(__file__).parent / "recipe-1"


@pytest.fixture
def old(tmp_path):
    """A copy of a run that was recorded by recipe 1, with calls, claims and sources."""
    shutil.copytree(RECORDED, tmp_path / "old")
    return tmp_path / "old"


def test_a_recorded_run_is_verified_and_its_damage_named(old, openiir):
    assert openiir("verify", old).code == 0
    assert openiir("show", old, "transcript").code == 0
    db = sqlite3.connect(old / "run.db")
    db.execute("update event set actor = 'eve' where seq = 3")
    db.commit()
    db.close()
    told = openiir("verify", old)
    assert told.code == 1 and told.out.splitlines()[0] == "changed: events"


def as_recipe_one(run: Path) -> str:
    """Give a finished run the record that an earlier version would have written; returns its content hash."""
    db = sqlite3.connect(run / "run.db")
    db.execute("delete from state where key = 'recipe'")
    found = content_hash(db)
    manifest = json.loads((run / "manifest.json").read_text("utf-8"))
    del manifest["recipe"]
    del manifest["rest"]
    text = json.dumps(manifest | {"format": 1, "content": found.content, "sections": found.sections})
    (run / "manifest.json").write_text(text, "utf-8")
    stated = {"content": found.content, "manifest": hashlib.sha256(text.encode()).hexdigest()}
    db.executemany(
        "update state set value = ? where key = ?", [(value, key) for key, value in stated.items()]
    )
    db.commit()
    db.close()
    return found.content


def test_a_run_of_recipe_one_is_replayed_to_its_hash_and_forked_to_recipe_two(openiir, tmp_path):
    made = openiir("run", "panel", "--out", tmp_path / "run", "--set", "config.passages=2")
    content = as_recipe_one(tmp_path / "run")
    assert content != made.content
    assert openiir("verify", tmp_path / "run").code == 0
    assert openiir("replay", tmp_path / "run").content == content
    forked = openiir("fork", tmp_path / "run", "--step", "3", "--set", "mu=0.9", "--out", tmp_path / "fork")
    assert forked.code == 0, forked
    manifest = json.loads((tmp_path / "fork" / "manifest.json").read_text("utf-8"))
    assert manifest["recipe"] == 2 and manifest["origin"]["content"] == content
