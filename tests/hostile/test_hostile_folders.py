"""A run folder from a stranger is read within bounds: nothing of it is followed, undone or written to."""

import hashlib
import json
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.hostile.folders import FOLDERS, KEPT, bomb_page

from openiir.core.storage import RunFile
from openiir.runs.settings import Settings
from openiir.server.app import build_app
from openiir.server.guard import Access

GOLDEN = Path(__file__).parents[1] / "golden" / "feed"
COMMANDS = (
    ("show", "RUN"),
    ("show", "RUN", "clicks"),
    ("verify", "RUN"),
    ("measure", "RUN"),
    ("replay", "RUN"),
    ("resume", "RUN"),
    ("inspect", "RUN"),
    ("inspect", "RUN", "5"),
    ("ask", "RUN", "Why?"),
    ("compare", "RUN", "GOOD"),
    ("export", "RUN", "--out", "RUN.html"),
    ("fork", "RUN", "--step", "1", "--out", "RUN-fork"),
)


@pytest.fixture(scope="session")
def good(tmp_path_factory):
    """A finished run that was made elsewhere."""
    folder = shutil.copytree(GOLDEN, tmp_path_factory.mktemp("hostile") / "good")
    (folder / "views.json").unlink()
    return folder


@pytest.fixture(scope="session")
def victim(good):
    """A folder of somebody else's files."""
    folder = good.parent / "victim"
    folder.mkdir()
    for name in KEPT:
        (folder / name).write_text("not to be touched")
    return folder


def stand(folder: Path) -> dict[str, Any]:
    """What every entry of a folder is, with its size and (where it is small) its hash."""
    found = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        small = path.is_file() and not path.is_symlink() and status.st_size < 10_000_000
        digest = hashlib.sha256(path.read_bytes()).hexdigest() if small else ""
        found[str(path.relative_to(folder))] = (status.st_mode, status.st_size, status.st_ino, digest)
    return found


@pytest.fixture(scope="session")
def hostile(good, victim):
    """The hostile folders, by name, below one folder of runs."""
    folders = {}
    for number, (name, (build, _)) in enumerate(FOLDERS.items()):
        folders[name] = shutil.copytree(good, good.parent / "runs" / f"run-{number:02}")
        build(folders[name], victim)
    return folders


@pytest.fixture(scope="session")
def outcomes(hostile, good, victim):
    """What each command said of each hostile folder, in one process with a budget."""
    before = {name: stand(folder) for name, folder in hostile.items()} | {"the victim": stand(victim)}
    pairs = [(name, command) for name in hostile for command in commands_on(name)]
    words = [
        [word.replace("RUN", str(hostile[name])).replace("GOOD", str(good)) for word in command]
        for name, command in pairs
    ]
    told = run_within_budget(words)
    after = {name: stand(folder) for name, folder in hostile.items()} | {"the victim": stand(victim)}
    return {"told": list(zip(pairs, told, strict=True)), "before": before, "after": after}


def commands_on(name: str) -> list[tuple[str, ...]]:
    """The commands that are tried; two that read a table without end for seconds are left out."""
    return [c for c in COMMANDS if name != "a table without end" or c[0] not in ("verify", "export")]


def run_within_budget(words: list[list[str]]) -> list[tuple[int, str, str]]:
    script = Path(__file__).with_name("commands.py")
    done = subprocess.run(
        [sys.executable, str(script)], input=json.dumps(words), capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return [tuple(one) for one in json.loads(done.stdout)]  # type: ignore[misc]


@pytest.mark.parametrize("name", FOLDERS)
def test_no_command_is_taken_in(name, outcomes):
    said = [(command, *told) for (folder, command), told in outcomes["told"] if folder == name]
    assert len(said) == len(commands_on(name))
    words = FOLDERS[name][1].split("|")
    for command, code, out, err in said:
        assert code in (0, 1, 2), (command, code, out, err)  # 98: it took too long
        assert "fault of openiir" not in err and "Traceback" not in err, (command, err)
    refused = [err for _, code, _, err in said if code]
    assert refused and any(word in refused[0] for word in words), refused
    assert outcomes["after"][name] == outcomes["before"][name]


def test_nobody_elses_files_are_touched(outcomes):
    assert outcomes["after"]["the victim"] == outcomes["before"]["the victim"]


def test_trust_plays_no_journal_and_follows_nothing(good, victim, tmp_path):
    """What it takes on is a clean copy, and the folder as it came is kept."""
    folders, before = {}, stand(victim)
    for number, (name, (build, _)) in enumerate(FOLDERS.items()):
        if not name.startswith("a part of"):  # refused by their sizes, as by every command
            folders[name] = shutil.copytree(good, tmp_path / f"run-{number:02}")
            build(folders[name], victim)
    said = run_within_budget([["trust", str(folder)] for folder in folders.values()])
    assert stand(victim) == before
    for (name, folder), (code, out, err) in zip(folders.items(), said, strict=True):
        assert code in (0, 2) and "fault of openiir" not in err, (name, code, err)
        if code == 0:
            assert f"kept in {folder}.as-it-came" in out, (name, out)
            assert sorted(path.name for path in folder.iterdir()) == ["manifest.json", "run.db", "tables"], (
                name
            )
    trusted = {name for (name, _), (code, *_) in zip(folders.items(), said, strict=True) if code == 0}
    assert {"a journal that deletes", "a linked live.json.part", "live.json as a pipe"} <= trusted, said


def test_a_query_without_end_is_ended(hostile):
    run = RunFile.open(hostile["a table without end"])
    with run, pytest.raises(sqlite3.OperationalError, match="interrupted"):
        run.db.execute("select max(seq), count(lane) from event").fetchall()


def test_a_list_of_hostile_runs_names_each_with_its_reason(hostile, good):
    """The server goes on: no folder stops it."""
    shutil.copytree(good, good.parent / "runs" / "good")
    app = build_app(good.parent / "runs", Access(token="t"), Settings())
    with TestClient(app, base_url="http://127.0.0.1:8317", headers={"X-Openiir": "1"}) as client:
        listed = client.get("/api/runs", headers={"Authorization": "Bearer t"}).json()
    cards = {card["id"]: card for card in listed["runs"]}
    assert cards["good"]["state"] == "finished"
    for name, folder in hostile.items():
        card = cards[folder.name]
        words = FOLDERS[name][1].split("|")
        assert card["state"] in ("damaged", "finished"), (name, card)
        assert card["state"] == "finished" or any(word in card["reason"] for word in words), (name, card)


def test_a_page_that_unpacks_to_gigabytes_is_given_up(tmp_path):
    page = bomb_page(tmp_path / "page.html")
    assert page.stat().st_size < 6_000_000
    ((code, _, err),) = run_within_budget([["verify", str(page)]])
    assert code == 2 and "too large" in err, err
