"""Nothing in a run's folder is written through a link, and a log from elsewhere is read in a copy."""

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from openiir.core.errors import DamagedRun
from openiir.core.storage import AfterFile, RunFile, TableRows, checkpoints, hide_folder, is_free, tables
from openiir.core.storage.folder import note_study_folder, write_whole


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    (tmp_path / "victim").write_text("mine")
    return tmp_path / "victim"


def a_part(folder: Path) -> None:
    rows = TableRows("t")
    rows.add_row({"a": 1})
    tables.write_part(folder, 1, rows)


WRITERS: dict[str, Callable[[Path], object]] = {
    "live.json.part": lambda folder: write_whole(folder / "live.json", "{}"),
    "manifest.json.part": lambda folder: write_whole(folder / "manifest.json", "{}"),
    "tables/t-000001.parquet": a_part,
    "checkpoints/000001.npz": lambda folder: checkpoints.write_checkpoint(folder, 1, {"a": np.arange(3)}),
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_planted_link_is_replaced_and_its_target_left_alone(
    name: str, tmp_path: Path, victim: Path
) -> None:
    run = tmp_path / "run"
    for below in ("tables", "checkpoints"):
        (run / below).mkdir(parents=True)
    (run / name).symlink_to(victim)
    WRITERS[name](run)
    assert victim.read_text() == "mine"
    assert not (run / name).is_symlink()


def test_the_note_of_a_study_is_not_written_through_a_link(
    tmp_path: Path, victim: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home" / "study").mkdir(parents=True)
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "study.local").symlink_to(victim)
    assert note_study_folder(tmp_path / "run", tmp_path / "home" / "study") == ""
    assert victim.read_text() == "mine"


def test_no_run_begins_where_the_tables_are_a_link(tmp_path: Path) -> None:
    """A run that begins empties its tables."""
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "a.parquet").write_text("mine")
    run = tmp_path / "run"
    run.mkdir()
    (run / "run.db.part").touch()
    (run / "tables").symlink_to(tmp_path / "theirs")
    assert is_free(run)
    with pytest.raises(DamagedRun, match="is a link"):
        RunFile.create(run)
    assert (tmp_path / "theirs" / "a.parquet").read_text() == "mine"


def test_a_linked_lock_is_not_opened(declared: RunFile, victim: Path) -> None:
    declared.close()
    (declared.folder / "run.lock").unlink()
    (declared.folder / "run.lock").symlink_to(victim)
    for use in (hide_folder, lambda folder: RunFile.open(folder, writable=True)):
        with pytest.raises(DamagedRun, match="is a link"):
            use(declared.folder)
    assert victim.read_text() == "mine"


def test_the_log_of_a_run_from_elsewhere_is_read_in_a_copy(
    declared: RunFile, rows: Callable[..., Any], tmp_path: Path
) -> None:
    declared.commit_step(rows(1))
    killed = shutil.copytree(declared.folder, tmp_path / "killed")
    (killed / "run.db-shm").unlink(missing_ok=True)
    before = {path.name: path.stat().st_mtime_ns for path in killed.iterdir()}
    assert "run.db-wal" in before
    with RunFile.open(killed) as run:
        assert list(run.steps()) == [1]
        with pytest.raises(sqlite3.OperationalError, match="readonly|query_only|read-only"):
            run.db.execute("delete from event")
    assert {path.name: path.stat().st_mtime_ns for path in killed.iterdir()} == before


def test_answers_are_not_written_where_a_journal_would_be_played(declared: RunFile, own: Any) -> None:
    declared.close()
    folder = declared.folder
    AfterFile(folder, "sha256:1").__exit__()
    with closing(sqlite3.connect(folder / "after.db", isolation_level=None)) as writer:
        for words in ("pragma synchronous = off", "begin immediate", "delete from run"):
            writer.execute(words)
        journal = (folder / "after.db-journal").read_bytes()
        writer.execute("rollback")
    moved = folder.rename(folder.parent / "moved")
    (moved / "after.db-journal").write_bytes(journal)
    for opened in (lambda: AfterFile(moved, "sha256:1"), lambda: AfterFile.read(moved, "sha256:1")):
        with pytest.raises(DamagedRun, match="left half written"):
            opened()
    own(moved)
    with AfterFile(moved, "sha256:1") as after:
        assert after.interviews() == []
    assert not (moved / "after.db-journal").exists()


ODD = """
import os, sys
from pathlib import Path
from openiir.core.storage import TableRows, tables
folder = Path(os.fsdecode(sys.stdin.buffer.read()))
(folder / "tables").mkdir(parents=True)
rows = TableRows("t")
rows.add_row({"a": 1})
file, *_, digest = tables.write_part(folder, 1, rows)
assert tables.part_hash(folder, file) == (1, digest)
assert tables.read_part(folder, file).to_pylist() == [{"a": 1}]
"""


@pytest.mark.parametrize("name", [b"run-\xff", "läufe".encode()])
def test_table_parts_lie_in_folders_of_any_name(name: bytes, tmp_path: Path) -> None:
    """Also where Python takes names for ASCII."""
    ascii = {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PATH": "/usr/bin"}
    done = subprocess.run(
        [sys.executable, "-c", ODD], input=bytes(tmp_path) + b"/" + name, env=ascii, capture_output=True
    )
    assert done.returncode == 0, done.stderr.decode()
