"""Sweeps on worker processes, and what becomes of them when something is killed."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from openiir.runs.sweep import local
from openiir.runs.sweep.local import run_local
from openiir.runs.sweep_record import read_sweep

COMMAND = [sys.executable, "-c", "import openiir.cli; openiir.cli.main()"]
LONG = '[sweep]\n"config.warmth" = [0.2, 0.8]\nseeds = 2\n[config]\nsteps = 15\n'
FRAIL = """
import json, os, sys
sys.stdin.readline()
for line in sys.stdin:
    cell = json.loads(line)
    if cell["arm"]["config.warmth"] == 0.2:
        os.kill(os.getpid(), 9)
    print(json.dumps({**cell, "status": "done"}), flush=True)
"""
"""A worker that runs nothing, and dies over one cell."""


def wait_for(what: Callable[[], Any]) -> Any:
    """What it gives once it gives something; a minute is an error."""
    end = time.monotonic() + 60
    while not (found := what()):
        assert time.monotonic() < end, "it never came"
        time.sleep(0.005)
    return found


@pytest.fixture
def whole(sweep, evening, tmp_path):
    """The sweep as it is when nothing happens."""
    return sweep(evening(tables=LONG), tmp_path / "whole")


@pytest.fixture
def started(evening, installed, tmp_path):
    """The command at work on two workers, in a process of its own."""
    words = [*COMMAND, "sweep", str(evening(tables=LONG)), "--workers", "2", "--out", str(tmp_path / "sweep")]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        yield process
        process.kill()


def under_way(folder: Path) -> bool:
    return any(not (run.parent / "manifest.json").exists() for run in folder.glob("cells/*/run.db"))


def test_workers_give_the_very_content_and_a_killed_one_costs_nothing(
    evening, sweep, whole, installed, heard, children, kill, parlour, tmp_path
):
    killed: list[int] = []
    module = installed / f"{parlour.__name__}.py"
    module.write_text(module.read_text() + "\nprint('what a type prints is no answer')\n")

    def strike():
        before = set(children(os.getpid()))
        go.set()
        wait_for(lambda: under_way(tmp_path / "sweep"))
        killed.append(sorted(set(children(os.getpid())) - before)[0])
        kill(killed[0])

    async def two_workers(folder, settings, cells, workers, told):
        striking.start()
        go.wait()
        await run_local(folder, settings, cells, 2, told)

    go, striking = threading.Event(), threading.Thread(target=strike)
    heard.cells.clear()
    assert sweep(evening(tables=LONG), tmp_path / "sweep", engine=two_workers).cells == whole.cells
    striking.join()
    assert killed and sorted(c.id for c in heard.cells) == [c.id for c in whole.cells]


def test_a_cell_that_kills_every_worker_is_told_and_the_others_go_on(small, sweep, monkeypatch, tmp_path):
    monkeypatch.setattr(local, "PROGRAM", (sys.executable, "-S", "-c", FRAIL))
    found = sweep(small('[sweep]\n"config.warmth" = [0.2, 0.5, 0.8]\n'), tmp_path / "sweep", engine=run_local)
    assert [c.status for c in found.cells] == ["failed", "done", "done"]
    assert "died 2 times (signal 9)" in found.cells[0].reason


def test_a_killed_sweep_takes_its_workers_along_and_goes_on_with_what_is_missing(
    started, whole, children, openiir, inlined, tmp_path
):
    out = tmp_path / "sweep"
    wait_for(lambda: under_way(out))
    workers = children(started.pid)
    assert len(workers) == 2
    started.kill()
    started.wait()
    assert {c.status for c in read_sweep(out).cells} <= {"done", "waiting"}
    resumed = openiir("resume", out)
    assert resumed.content == whole.content()
    wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in workers))
    assert [json.loads((out / c.folder / "manifest.json").read_text())["content"] for c in whole.cells] == [
        c.content for c in whole.cells
    ]


def test_ctrl_c_stops_the_workers_and_says_how_to_go_on(started, children, openiir, inlined, tmp_path):
    wait_for(lambda: under_way(tmp_path / "sweep"))
    workers = children(started.pid)
    started.send_signal(signal.SIGINT)
    out, err = started.communicate(timeout=60)
    assert started.returncode == 1 and "openiir resume" in err and "Traceback" not in err
    assert not any(Path(f"/proc/{pid}").exists() for pid in workers)
    assert "content:" not in out
    assert openiir("resume", tmp_path / "sweep").code == 0
