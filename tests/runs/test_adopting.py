"""A run that was not made here is read, and goes on once it is trusted:
from a clean copy, with its study's files named."""

import shutil
import sqlite3
from contextlib import closing

import pytest

from openiir.core.errors import InputError
from openiir.core.storage import RunFile, receipts
from openiir.runs.build import run_permissions


@pytest.fixture
def stopped(evening, sittings, tmp_path):
    """A run of a small study that was killed after its first step, and which is this machine's own."""
    study = evening()
    (counted,) = sittings({"argv": ["run", str(study), "--out", "whole"], "count": True})
    at = [n for n, name in enumerate(counted["moments"]) if name == "after step"][0]
    sittings({"argv": ["run", str(study), "--out", "killed"], "kill": at + 2})
    return tmp_path / "killed"


def test_a_run_that_was_made_here_goes_on_without_a_word(stopped, openiir):
    whole = openiir("resume", stopped.parent / "whole").content
    assert openiir("resume", stopped).content == whole


def test_one_from_elsewhere_goes_on_once_it_is_trusted_from_a_clean_copy(stopped, openiir, tmp_path):
    moved, victim = tmp_path / "moved", tmp_path / "victim.txt"
    shutil.copytree(stopped, moved)
    victim.write_text("mine")
    (moved / "live.json").unlink()
    (moved / "live.json").symlink_to(victim)
    shown = openiir("resume", moved)
    assert shown.code == 2 and "is a link" in shown.err
    trusted = openiir("trust", moved)
    assert trusted.code == 0, trusted.err
    assert f"reads files of its study from {tmp_path / 'study'}" in trusted.out
    assert f"kept in {moved}.as-it-came" in trusted.out
    assert (tmp_path / "moved.as-it-came" / "run.db-wal").exists() and victim.read_text() == "mine"
    assert not (moved / "run.db-wal").exists() and not (moved / "live.json").exists()
    assert openiir("resume", moved).content == openiir("resume", stopped.parent / "whole").content
    assert victim.read_text() == "mine"


def test_a_clean_one_gets_its_receipt_where_it_is(stopped, openiir, tmp_path):
    with closing(sqlite3.connect(stopped / "run.db")) as db:
        db.execute("pragma journal_mode = delete")
    moved = tmp_path / "moved"
    stopped.rename(moved)
    for command in ("resume", "trust", "resume"):
        said = openiir(command, moved)
        assert said.code == (
            2 if command == "resume" and "receipt" not in said.out and not receipts.has_receipt(moved) else 0
        )
        if said.code:
            assert (
                "was not made here, or was moved or copied since" in said.err
                and f"openiir trust {moved}" in said.err
            )
    assert not (tmp_path / "moved.as-it-came").exists()


def test_a_receipt_is_bound_to_the_folder_and_its_file(stopped, tmp_path):
    assert receipts.has_receipt(stopped)
    copy = shutil.copytree(stopped, tmp_path / "copy")
    assert not receipts.has_receipt(copy)
    (tmp_path / "link").symlink_to(stopped)
    assert receipts.has_receipt(tmp_path / "link")
    stopped.rename(tmp_path / "away")
    assert not receipts.has_receipt(tmp_path / "away")
    copy.rename(stopped)
    assert not receipts.has_receipt(stopped)


def test_a_run_cannot_name_the_folder_whose_files_it_reads(stopped, tmp_path):
    moved = shutil.copytree(stopped, tmp_path / "far" / "moved")
    with closing(sqlite3.connect(moved / "run.db")) as db:
        db.execute("update state set value = '../../../..' where key = 'folder'")
        db.commit()
        db.execute("pragma journal_mode = delete")
    (moved / "study.local").write_text("/\n")
    with RunFile.open(moved) as run:
        assert run.study_folder() == moved
        assert run_permissions(run) == ()
    with pytest.raises(InputError, match="was not made here"):
        RunFile.open(moved, writable=True)
    with RunFile.open(stopped) as run:
        assert run.study_folder() == (tmp_path / "study").resolve()


def test_where_receipts_lie_is_a_setting(evening, openiir, tmp_path):
    settings = tmp_path / "settings.toml"
    settings.write_text(f'receipts = "{tmp_path / "of-the-lab"}"\n')
    openiir("run", evening(), "--out", tmp_path / "run", "--settings", settings)
    assert len(list((tmp_path / "of-the-lab").iterdir())) == 1


def test_a_sweep_from_elsewhere_is_trusted_with_its_runs(openiir, tmp_path):
    done = openiir("sweep", "panel", "--seeds", "1", "--workers", "1", "--out", tmp_path / "sweep")
    assert done.code == 0, done.err
    moved = shutil.copytree(tmp_path / "sweep", tmp_path / "moved")
    refused = openiir("resume", moved)
    assert refused.code == 2 and "was not made here" in refused.err
    trusted = openiir("trust", moved)
    assert trusted.code == 0 and f"{moved} is this machine's own now" in trusted.out
    assert openiir("resume", moved).code == 0
