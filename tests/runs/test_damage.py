"""A run that is not what its record says is refused by every command with one message, and left as it is."""

import json
import os
import re
import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from openiir.core.seeds import Draw

COMMANDS = (
    ("replay",),
    ("resume",),
    ("show", "ratings"),
    ("measure",),
    ("ask", "--agent", "ada", "How are you?"),
)


@pytest.fixture(scope="session")
def originals(tmp_path_factory, sitter):
    """A finished run and a killed one, both answered by a model."""
    from openiir.testing.standin import Behaviour, StandIn

    place = tmp_path_factory.mktemp("originals")
    study = write_small(place / "study")
    with StandIn(Behaviour()) as server:
        settings = place / "settings.toml"
        settings.write_text(f'endpoint = "{server.url}"\n')
        run = ["run", str(study), "--settings", str(settings), "--out"]
        count = {"argv": [*run, str(place / "finished")], "cwd": str(place), "count": True}
        (finished,) = told(sitter, [count])
        third = [n for n, name in enumerate(finished["moments"]) if name == "after step"][-2]
        kill = {"argv": [*run, str(place / "killed")], "cwd": str(place), "kill": third + 1}
        (killed,) = told(sitter, [kill])
    assert finished["code"] == 0 and killed["signal"] == 9
    assert (place / "killed" / "run.db-wal").stat().st_size > 0
    return place


def told(sitter: "subprocess.Popen[str]", jobs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    assert sitter.stdin is not None and sitter.stdout is not None
    sitter.stdin.write(json.dumps(jobs) + "\n")
    sitter.stdin.flush()
    return list(json.loads(sitter.stdout.readline()))


def write_small(place: Path) -> Path:
    place.mkdir()
    (place / "people.toml").write_text(
        "".join(f'[[persona]]\nid = "{n}"\nname = "{n}"\nbio = "{n} fishes."\n' for n in ("ada", "ben"))
    )
    (place / "sea.md").write_text("Ropes should be checked every day.\n\nTide tables are wrong by summer.\n")
    (place / "study.toml").write_text(
        'type = "parlour"\nseed = 5\nname = "small"\npersonas = '
        '"people.toml"\n[answers.kind]\n"parlour.rate" = "model"\n'
        '[world]\nsources = ["sea.md"]\ndimensions = 2\n[model]\nname = "standin"\n'
    )
    return place / "study.toml"


@pytest.fixture
def finished(originals, tmp_path, with_parlour):
    shutil.copytree(originals / "finished", tmp_path / "run")
    return tmp_path / "run"


@pytest.fixture
def killed(originals, tmp_path, with_parlour, own):
    return own(shutil.copytree(originals / "killed", tmp_path / "run"))


def changed_by(sql: str) -> Callable[[Path], None]:
    def damage(run: Path) -> None:
        db = sqlite3.connect(run / "run.db")
        db.create_function(
            "tampered", 1, lambda text: text.replace("e", "a", 1) if "e" in text else f"{text}x"
        )
        assert db.execute(sql).rowcount != 0  # a pragma counts nothing: -1
        db.commit()
        db.close()

    return damage


def garbled_schema(run: Path) -> None:
    """SQLite quotes a schema that it cannot read, and here the quotation is no text."""
    content = (run / "run.db").read_bytes()
    (run / "run.db").write_bytes(content.replace(b"CREATE TABLE event", b"CREATE TABL\xc3 event", 1))


def cut(name: str, share: float) -> Callable[[Path], None]:
    def damage(run: Path) -> None:
        (path,) = sorted(run.glob(name))[:1]
        os.truncate(path, int(path.stat().st_size * share))

    return damage


def overwritten(name: str, share: float, length: int = 4096) -> Callable[[Path], None]:
    def damage(run: Path) -> None:
        (path,) = sorted(run.glob(name))[:1]
        content = bytearray(path.read_bytes())
        start = (
            int(len(content) * share) // length * length
            if len(content) > length
            else int(len(content) * share)
        )
        noise = bytes(int(Draw(9, "noise").below(256, item=n)) for n in range(length))
        content[start : start + length] = noise
        path.write_bytes(content)

    return damage


def removed(name: str) -> Callable[[Path], None]:
    return lambda run: sorted(run.glob(name))[0].unlink()


def replaced(name: str, old: str, new: str) -> Callable[[Path], None]:
    def damage(run: Path) -> None:
        (path,) = sorted(run.glob(name))[:1]
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new, 1))

    return damage


def emptied(run: Path) -> None:
    shutil.rmtree(run)
    run.mkdir()


def a_file(run: Path) -> None:
    shutil.rmtree(run)
    run.write_text("a file")


def another_part(run: Path) -> None:
    shutil.copy(sorted(run.glob("tables/ratings-*.parquet"))[0], run / "tables" / "ratings-000099.parquet")


def swapped_parts(run: Path) -> None:
    one, other, *_ = sorted(run.glob("tables/ratings-*.parquet"))
    one.replace(run / "spare")
    other.replace(one)
    (run / "spare").replace(other)


ROWS = {
    "a changed reply": ("update call set reply = tampered(reply) where step = 2", "the reply to"),
    "a changed prompt": ("update prompt set body = json(tampered(body)) where rowid = 3", "the prompt of"),
    "a deleted prompt": ("delete from prompt where rowid = 3", "the prompt of"),
    "a deleted call": ("delete from call where step = 2 and kind = 'parlour.rate'", "a call of step 2"),
    "a call made unusable": (
        "update call set usable = 0 where step = 1 and kind = 'parlour.rate'",
        "a call of step 1",
    ),
    "a changed event": ("update event set payload = tampered(payload) where seq = 9", "step 1 was changed"),
    "an event of someone else": ("update event set actor = 'ben' where actor = 'ada' and step = 2", "step 2"),
    "a deleted event": ("delete from event where seq = 8", "step 1 was changed"),
    "a moved event": ("update event set step = 3 where seq = 2", "was changed"),
    "a claim's changed text": ("update claim set text = tampered(text)", "a row of claim"),
    "a claim's changed document": (
        "update claim set document = json_set(document, '$.confidence', 0.0123)",
        "was changed",
    ),
    "a deleted step": ("delete from step where number = 2", "step 2 is missing"),
    "a deleted last step": ("delete from step where number = (select max(number) from step)", "is missing"),
    "a changed digest": ("update step set digest = tampered(digest) where number = 1", "step 1"),
    "a changed study": (
        "update study set document = json_set(document, '$.seed', 6), seed = 6",
        "study, personas",
    ),
    "another seed beside the study": ("update study set seed = 6", "a row of study"),
    "a changed persona": (
        "update persona set document = json_set(document, '$.bio', 'x')",
        "study, personas",
    ),
    "a deleted persona": ("delete from persona where id = 'ben'", "study, personas"),
    "a changed chunk": ("update chunk set text = tampered(text)", "chunk"),
    "a deleted chunk": ("delete from chunk where id = 'c0001'", "chunks"),
    "a changed fitted part": ("update fitted set body = zeroblob(length(body))", "fitted part"),
    "a part that is not named": (
        "delete from part where file = 'ratings-000001.parquet'",
        "step 1 was changed",
    ),
    "another schema": ("pragma user_version = 7", "schema 7"),
    "an emptied file's version": ("pragma user_version = 0", "is empty"),
}
FILES = {
    "a schema that is no text": (garbled_schema, "is damaged"),
    "a truncated database": (cut("run.db", 0.6), "damaged"),
    "a database cut within its first page": (cut("run.db", 0.001), "damaged|not a database|is empty"),
    "an emptied database": (cut("run.db", 0.0), "is empty"),
    "noise in its head": (overwritten("run.db", 0.0), "damaged|not a database"),
    "noise at a quarter": (overwritten("run.db", 0.25), "run"),
    "noise at the half": (overwritten("run.db", 0.5), "run"),
    "noise at three quarters": (overwritten("run.db", 0.75), "run"),
    "no database": (removed("run.db"), "is missing"),
    "an empty folder": (emptied, "holds no run"),
    "a file for a folder": (a_file, "is a file"),
    "a missing part": (removed("tables/ratings-*.parquet"), "is missing"),
    "a truncated part": (cut("tables/ratings-*.parquet", 0.5), "cannot be read"),
    "an emptied part": (cut("tables/ratings-*.parquet", 0.0), "cannot be read"),
    "noise in a part": (overwritten("tables/ratings-*.parquet", 0.02, 60), "ratings-"),
    "two parts swapped": (swapped_parts, "is not the part"),
}
ENDED = {
    "no manifest": (removed("manifest.json"), "is missing"),
    "a manifest that is not JSON": (replaced("manifest.json", "{", ""), "is not the manifest"),
    "another content hash in it": (
        replaced("manifest.json", '"content": "sha256:', '"content": "sha256:0'),
        "manifest",
    ),
    "another name in it": (replaced("manifest.json", '"small"', '"large"'), "was changed"),
    "an emptied manifest": (cut("manifest.json", 0.0), "is not the manifest"),
    "a part of someone else": (another_part, "is no part of this run"),
    "another recorded hash": (
        changed_by("update state set value = tampered(value) where key = 'content'"),
        "content",
    ),
    "an edge of someone else": (
        changed_by("insert into edge select 99, 1, id, id, 'supports', 0.5, 'x' from claim limit 1"),
        "step 1 was changed",
    ),
}
DAMAGES = {name: (changed_by(sql), words) for name, (sql, words) in ROWS.items()} | FILES


@pytest.mark.parametrize("name", [*DAMAGES, *ENDED])
def test_a_finished_run_that_was_damaged_is_refused_by_every_command(
    name, finished, openiir, fingerprints, tmp_path
):
    damage, words = (DAMAGES | ENDED)[name]
    damage(finished)
    before = fingerprints(tmp_path)
    for command, *rest in COMMANDS:
        refused(openiir(command, finished, *rest), words)
        assert fingerprints(tmp_path) == before, command


@pytest.mark.parametrize("name", DAMAGES)
def test_a_killed_run_that_was_damaged_is_not_gone_on_with(name, killed, openiir, fingerprints):
    damage, words = DAMAGES[name]
    fold(killed)
    damage(killed)
    before = fingerprints(killed.parent)
    for command in (("resume",), ("show", "ratings")):
        refused(openiir(command[0], killed, *command[1:]), words)
        assert fingerprints(killed.parent) == before, command


def refused(result: Any, words: str) -> None:
    assert result.code == 2, result
    assert result.out == "" and result.err.startswith("Error: ") and result.err.count("Error: ") == 1, result
    assert re.search(words, result.err), result.err
    assert "Traceback" not in result.err and "fault of openiir" not in result.err


def fold(run: Path) -> None:
    """Bring the write-ahead log into the file, so that a damage to the file is not hidden by it."""
    db = sqlite3.connect(run / "run.db")
    db.execute("pragma journal_mode = delete")
    db.close()


@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 0.9])
def test_a_cut_write_ahead_log_costs_what_was_in_it_and_no_more(share, killed, originals, served, openiir):
    """What is left is an earlier state of the run, whole; so it goes on, or says that it had not begun."""
    cut("run.db-wal", share)(killed)
    (killed / "run.db-shm").unlink(missing_ok=True)
    resumed = openiir("resume", killed, "--settings", served()[1])
    whole = openiir("resume", originals / "finished").content
    if resumed.code == 0:
        assert resumed.content == whole
    else:
        refused(resumed, "is empty")


def test_a_cut_log_beside_a_manifest_is_refused(killed, originals, openiir):
    shutil.copy(originals / "finished" / "manifest.json", killed)
    refused(openiir("resume", killed), "the content hash is")


def test_reading_needs_no_leave_to_write(finished, sittings, fingerprints):
    """On a read-only disk; looking and measuring work with an after-file and without, asking says what to
    do."""
    run = str(finished)
    commands = [["show", run, "ratings"], ["replay", run], ["resume", run], ["measure", run], ["verify", run]]
    for measured in (False, True):
        before = fingerprints(finished)
        (done,) = sittings({"argvs": [*commands, ["ask", run, "Why?"]], "read_only": run})
        if done["code"] == 77:
            pytest.skip("this machine lets us mount nothing")
        assert done["codes"] == [0, 0, 0, 0, 0, 2], (measured, done["err"])
        shown, *others = [line for line in done["out"].splitlines() if line.startswith("content")]
        assert others == [shown]
        assert "these measures are not kept" in done["err"], done["err"]
        assert "copy the run into a folder of yours" in done["err"], done["err"]
        assert "Traceback" not in done["err"] and "fault of openiir" not in done["err"]
        assert fingerprints(finished) == before
        sittings({"argvs": [["measure", run], ["ask", run, "--agent", "ada", "Why?"]]})
    assert (finished / "after.db").exists()


def test_what_cannot_be_written_to_is_not_gone_on_with(killed, sittings):
    run = str(killed)
    (done,) = sittings({"argvs": [["resume", run], ["show", run, "ratings"]], "read_only": run})
    if done["codes"] == []:
        pytest.skip("this machine lets us mount nothing")
    assert done["codes"] == [2, 0], done["err"]
    assert "permissions" in done["err"]


def test_reading_leaves_nothing_behind(finished, openiir, fingerprints):
    before = fingerprints(finished)
    assert not {name for name in before if name.endswith(("-wal", "-shm", "-journal", ".part"))}
    for words in (("show", "ratings"), ("show",), ("replay",), ("resume",)):
        assert openiir(words[0], finished, *words[1:]).code == 0
    assert fingerprints(finished) == before
    openiir("measure", finished)
    after = fingerprints(finished)
    assert set(after) - set(before) == {"after.db"}
    assert {name: after[name] for name in before} == before
