"""The run file: what is committed is there, what is not is not, and nobody else writes."""

import ctypes
import os
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from openiir.core.errors import DamagedRun, InputError, RunBusy
from openiir.core.records import TransportTry
from openiir.core.storage import (
    CallsByStep,
    Log,
    RunFile,
    TableRows,
    check_run,
    content_hash,
    database,
    hide_folder,
    is_free,
    receipts,
    tables,
)


def test_what_was_declared_is_read_back(declared: RunFile) -> None:
    assert declared.study()["seed"] == 3
    assert [p.id for p in declared.personas()] == ["zoe", "abe"], "in the study's order"
    assert [c.text for c in declared.chunks("main", until=0)] == ["Some text."]
    assert declared.fitted_parts() == {"lsa:main": b"numbers"}
    assert declared.steps() == {} and declared.state("status") == "running"


def test_a_step_is_read_back_as_it_was_written(declared: RunFile, rows: Callable[..., Any]) -> None:
    steps = [rows(1), rows(2)]
    for step in steps:
        declared.commit_step(step)
    assert declared.steps() == {step.number: step.digest() for step in steps}
    log = Log(declared)
    assert [(e.seq, e.step, e.kind, e.actor) for e in log.events()] == [
        (1, 1, "a.said", "zoe"),
        (2, 1, "a.end", None),
        (3, 2, "a.said", "zoe"),
        (4, 2, "a.end", None),
    ]
    assert [e.payload["n"] for e in log.events("a.said", since=1)] == [2]
    assert log.claims(since=1) == steps[1].claims and log.edges() == [*steps[0].edges, *steps[1].edges]
    assert sorted(log.searches(), key=str) == sorted([*steps[0].searches, *steps[1].searches], key=str)
    assert [c.id for c in log.chunks()] == ["c0001", "w1", "w2"]
    assert log.table("posts") == [{"by": "zoe", "n": 1, "x": 0.1}, {"by": "zoe", "n": 2, "x": 0.1}]
    assert log.table("none") == []
    early = Log(declared, until=1)
    assert len(list(early.events())) == 2 and len(early.claims()) == 2 and len(early.table("posts")) == 1


def test_a_call_is_found_at_its_place_and_nowhere_else(declared: RunFile, call: Callable[..., Any]) -> None:
    calls = [
        call("zoe", 1),
        call("zoe", 1, 1),
        call("zoe", 1, 1, 1, usable=False, error="no JSON"),
        call("abe", 2),
    ]
    for one in calls:
        declared.record_call(one)
    for one in calls:
        assert declared.find_call(one.place, one.attempt) == one
    assert declared.find_call(calls[0].place, 1) is None
    assert declared.find_call(calls[0].place.model_copy(update={"lane": "other"}), 0) is None
    assert list(declared.calls()) == [calls[3], *calls[:3]], "in canonical order"
    with pytest.raises(DamagedRun, match="UNIQUE"):
        declared.record_call(calls[0])


def test_calls_taken_step_by_step_are_those_found_one_by_one(
    declared: RunFile, call: Callable[..., Any]
) -> None:
    calls = [
        call("zoe", 1),
        call("zoe", 1, 1),
        call("zoe", 1, 1, 1, usable=False, error="no JSON"),
        call("abe", 2),
    ]
    for one in calls[::-1]:
        declared.record_call(one)
    by_step = CallsByStep(declared)
    for one in [*calls, *calls[::-1]]:
        for prompt in [("", ""), (one.prompt_hash, one.request)]:
            assert by_step.find_call(one.place, one.attempt, prompt) == one
    for place, attempt in [
        (calls[0].place, 1),
        (calls[0].place.model_copy(update={"lane": "other"}), 0),
        (calls[3].place.model_copy(update={"step": 3}), 0),
    ]:
        assert by_step.find_call(place, attempt, ("", "")) is declared.find_call(place, attempt) is None


def test_a_scratch_run_has_the_content_of_one_that_is_kept(
    declared: RunFile, call: Callable[..., Any], rows: Callable[..., Any], tmp_path: Path
) -> None:
    with RunFile.create(tmp_path / "scratch", scratch=True) as scratch:
        scratch.declare(declared.study(), declared.personas(), declared.chunks(), declared.fitted_parts())
        for run in (declared, scratch):
            for step in (1, 2):
                run.record_call(call("zoe", step))
                run.commit_step(rows(step), rows(step).digest() if run is scratch else None)
        assert content_hash(scratch.db) == content_hash(declared.db)
        assert scratch.steps() == declared.steps() and list(scratch.calls()) == list(declared.calls())
        assert not list(scratch.folder.glob("run.db-*")), "nothing to be folded in"


def test_tries_never_enter_the_content(declared: RunFile, call: Callable[..., Any]) -> None:
    declared.record_call(call("zoe", 1))
    before = content_hash(declared.db)
    declared.record_try(TransportTry(place=call("zoe", 1).place, attempt=0, number=1, what="429", waited=0.5))
    declared.set_state(status="stopped", reason="whatever")
    assert content_hash(declared.db) == before


def test_the_order_in_which_calls_came_does_not_matter(
    tmp_path: Path, declared: RunFile, call: Callable[..., Any]
) -> None:
    calls = [call("zoe", 1), call("abe", 1), call("zoe", 2), call("abe", 1, 1)]
    with RunFile.create(tmp_path / "other") as other:
        other.declare(declared.study(), declared.personas(), declared.chunks(), declared.fitted_parts())
        for one, two in zip(calls, calls[::-1], strict=True):
            declared.record_call(one)
            other.record_call(two)
        assert content_hash(other.db) == content_hash(declared.db)


def test_all_that_a_run_is_enters_its_content(
    tmp_path: Path, declared: RunFile, call: Callable[..., Any], rows: Callable[..., Any]
) -> None:
    seen = {name: {content_hash(declared.db).sections[name]} for name in content_hash(declared.db).sections}
    declared.record_call(call("zoe", 1))
    declared.commit_step(rows(1))
    for name, digest in content_hash(declared.db).sections.items():
        seen[name].add(digest)
    changed = {name for name, digests in seen.items() if len(digests) == 2}
    assert changed == {"calls", "events", "claims", "edges", "searches", "chunks", "tables"}
    assert content_hash(declared.db).content.startswith("sha256:")


@pytest.mark.parametrize("breaks", ["a claim twice", "an edge to nowhere", "a payload that is not JSON"])
def test_a_step_is_written_whole_or_not_at_all(
    breaks: str, declared: RunFile, rows: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    declared.commit_step(rows(1))
    before, bad = content_hash(declared.db), rows(2)
    if breaks == "a claim twice":
        bad.claims += bad.claims[:1]
    elif breaks == "an edge to nowhere":
        bad.edges[0] = bad.edges[0].model_copy(update={"target": "k999"})
    else:
        bad.events.append(("main", "x", None, "{"))
    with pytest.raises(DamagedRun):
        declared.commit_step(bad)
    assert content_hash(declared.db) == before and list(declared.steps()) == [1]
    assert len(list((declared.folder / "tables").glob("*.parquet"))) == 2, (
        "the part is there, and no row names it"
    )
    assert Log(declared).table("posts") == [{"by": "zoe", "n": 1, "x": 0.1}]
    declared.delete_unlisted_files()
    assert [p.name for p in (declared.folder / "tables").iterdir()] == ["posts-000001.parquet"]
    check_run(declared)


def test_a_checked_run_holds_whatever_it_holds(
    declared: RunFile, call: Callable[..., Any], rows: Callable[..., Any]
) -> None:
    check_run(declared)
    for step in (1, 2, 3):
        declared.record_call(call("zoe", step))
        declared.put_many({f"hash {step}": bytes([step])})
        declared.commit_step(rows(step))
        declared.record_call(call("abe", step + 1))
        check_run(declared)
    declared.db.execute("update embedding set vector = x'00' where hash = 'hash 2'")
    with pytest.raises(DamagedRun, match="embedding hash 2"):
        check_run(declared)


STUDY = {"type": "t", "name": "n", "seed": 0}


def killed_at_birth(folder: Path, when: str) -> None:
    """What a kill leaves of a run at a moment of its creation."""
    folder.mkdir()
    (folder / "run.lock").touch()
    if when == "its file is empty":
        (folder / "run.db.part").touch()
    elif when == "its file is half written":
        (folder / "run.db.part").write_bytes(b"SQLite format 3\0" + bytes(900))
    elif when != "its lock is there":
        shutil.rmtree(folder)
        run = RunFile.create(folder)
        if when == "it is declared and has no name":
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(database, "rename_finished", lambda connection, path, scratch: connection)
                run.declare(STUDY, [], [], {}, Path("/elsewhere"))
        run.db.close()
        run._lock.release()


@pytest.mark.parametrize(
    "when",
    [
        "its lock is there",
        "its file is empty",
        "its file is half written",
        "it has tables",
        "it is declared and has no name",
    ],
)
def test_a_run_exists_once_it_is_declared(when: str, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    assert is_free(folder)
    killed_at_birth(folder, when)
    assert is_free(folder) and not (folder / "run.db").exists() and hide_folder(folder) is None
    with pytest.raises(InputError, match="holds no run"):
        RunFile.open(folder, writable=True)
    with RunFile.create(folder) as again:
        again.declare(STUDY, [], [], {})
        assert {path.name for path in folder.iterdir()} <= {
            "run.lock",
            "tables",
            "run.db",
            "run.db-wal",
            "run.db-shm",
        }
    assert not is_free(folder)
    with pytest.raises(InputError, match="not empty"):
        RunFile.create(folder)


def test_a_run_that_a_kill_left_aside_is_the_one_that_is_replaced(declared: RunFile) -> None:
    declared.close()
    aside = hide_folder(declared.folder)
    assert aside is not None and (aside / "run.db").exists() and is_free(declared.folder)
    assert not declared.folder.exists() and hide_folder(declared.folder) == aside


def test_what_a_run_replaces_goes_with_its_first_step_and_comes_back_where_it_is_withdrawn(
    tmp_path: Path, rows: Callable[..., Any]
) -> None:
    folder = tmp_path / "run"
    for name in ("first", "second"):
        aside = hide_folder(folder) if folder.exists() else None
        run = RunFile.create(folder)
        run.declare({"type": "t", "name": name, "seed": 0}, [], [], {})
        run.replaces = aside
        if aside is None:
            run.commit_step(rows(1))
            run.close()
    run.withdraw()
    with RunFile.open(folder) as back:
        assert back.study()["name"] == "first" and list(back.steps()) == [1]
    aside = hide_folder(folder)
    assert aside is not None
    with RunFile.create(folder) as third:
        third.declare({"type": "t", "name": "third", "seed": 0}, [], [], {})
        third.replaces = aside
        third.commit_step(rows(1))
    assert not aside.exists() and folder.exists()


@pytest.mark.parametrize("count", [499, 500, 501, 1_502])
def test_every_stored_vector_is_found_however_many_are_asked_for(declared: RunFile, count: int) -> None:
    vectors = {f"sha256:{n:064x}": n.to_bytes(4, "big") for n in range(count)}
    declared.put_many(vectors)
    assert declared.get_many(list(vectors)) == vectors
    assert declared.get_many(["sha256:none"]) == {}


def test_one_writes_and_others_read(declared: RunFile, rows: Callable[..., Any]) -> None:
    declared.commit_step(rows(1))
    with pytest.raises(RunBusy, match="another process"):
        RunFile.open(declared.folder, writable=True)
    with pytest.raises(RunBusy):
        hide_folder(declared.folder)
    with RunFile.open(declared.folder) as reader:
        assert list(reader.steps()) == [1]
        declared.commit_step(rows(2))
        assert list(reader.steps()) == [1, 2], "a live page sees the new step"
        with pytest.raises(InputError, match="cannot be opened or written"):
            reader.set_state(status="done")


def test_a_closed_run_is_one_file_that_can_be_read_without_a_trace(
    declared: RunFile, rows: Callable[..., Any]
) -> None:
    declared.commit_step(rows(1))
    declared.close()
    names = sorted(p.name for p in declared.folder.iterdir())
    assert names == ["run.db", "run.lock", "tables"]
    with RunFile.open(declared.folder) as reader:
        check_run(reader)
    plain = sqlite3.connect(f"{(declared.folder / 'run.db').as_uri()}?mode=ro", uri=True)
    assert plain.execute("select count(*) from event").fetchone() == (2,)
    plain.close()
    assert sorted(p.name for p in declared.folder.iterdir()) == names


def test_a_log_left_by_a_reader_is_no_harm(declared: RunFile, rows: Callable[..., Any]) -> None:
    with RunFile.open(declared.folder) as reader:
        reader.db.execute("begin")
        reader.steps()
        declared.commit_step(rows(1))
        declared.close()
        assert reader.steps() == {}, "the reader keeps the view it began with"
        reader.db.execute("rollback")
    with RunFile.open(declared.folder) as later:
        assert list(later.steps()) == [1]
        check_run(later)


def test_a_change_that_a_kill_left_half_written_is_undone_in_a_run_that_was_made_here(
    declared: RunFile, rows: Callable[..., Any], tmp_path: Path
) -> None:
    declared.commit_step(rows(1))
    declared.close()
    writer = sqlite3.connect(declared.folder / "run.db", isolation_level=None)
    for words in ("pragma synchronous = off", "begin immediate", "delete from study"):
        writer.execute(words)  # the journal is whole from its first page on, and the file still as it was
    killed = shutil.copytree(declared.folder, tmp_path / "killed")
    writer.close()
    assert (killed / "run.db-journal").stat().st_size
    for made_here in (False, True):
        if made_here:
            receipts.write_receipt(killed, None)
        with pytest.raises(DamagedRun, match="left half written"):
            RunFile.open(killed)
        RunFile.undo_half_written(killed)
        assert (killed / "run.db-journal").exists() != made_here
    with RunFile.open(killed) as run:
        assert list(run.steps()) == [1]
        check_run(run)


@pytest.fixture
def created(tmp_path: Path) -> Iterator[Callable[[], set[str]]]:
    """Lists the names of all files created in the folder of the run, however short they were there."""
    libc = ctypes.CDLL(None)
    events = libc.inotify_init1(os.O_NONBLOCK)
    (tmp_path / "run").mkdir()
    created_or_renamed = 0x100 | 0x80
    assert libc.inotify_add_watch(events, os.fsencode(tmp_path / "run"), created_or_renamed) > 0
    yield lambda: {part.decode() for part in re.findall(rb"[\w.-]{4,}", os.read(events, 1 << 16))}
    os.close(events)


def test_no_kill_can_leave_a_journal_beside_a_run(
    created: Callable[[], set[str]], declared: RunFile, rows: Callable[..., Any]
) -> None:
    declared.commit_step(rows(1))
    declared.close()
    assert {"run.db.part", "run.db", "run.db-wal", "run.lock"} <= (names := created())
    with RunFile.open(declared.folder, writable=True) as run:
        run.commit_step(rows(2))
    names |= (again := created())
    assert "run.db-wal" in again and not {"run.db-journal", "run.db.part-journal"} & names
    with RunFile.open(declared.folder) as run:
        assert list(run.steps()) == [1, 2]


def test_a_table_part_reads_as_it_was_written(tmp_path: Path) -> None:
    (tmp_path / "tables").mkdir()
    rows = [
        {"a": 1, "b": 0.3, "c": "ü", "d": None, "e": True},
        {"a": 2**53 + 1, "b": -0.0, "c": "", "d": None, "e": False},
    ]
    batches, backwards = TableRows("t"), TableRows("t")
    for row, other in zip(rows, rows[::-1], strict=True):
        batches.add_row(row)
        backwards.add_row(other)
    file, table, step, count, digest = tables.write_part(tmp_path, 7, batches)
    assert (file, table, step, count) == ("t-000007.parquet", "t", 7, 2)
    assert tables.read_part(tmp_path, file).to_pylist() == rows
    assert tables.part_hash(tmp_path, file) == (2, digest)
    assert batches.digest() == digest != backwards.digest()
