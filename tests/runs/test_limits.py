"""Limits and Ctrl-C stop a run cleanly; it goes on from there to the content it would have had."""

import os
import signal
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

import pytest

PRICES = (
    '[endpoint]\nurl = "URL"\nfirst_wait = 0.001\nwidth = 16\nprices = { prompt = 1000.0, reply = 2000.0 }\n'
)


def scalar(run: Path, sql: str) -> Any:
    db = sqlite3.connect(run / "run.db")
    found = db.execute(sql).fetchone()[0]
    db.close()
    return found


@pytest.mark.parametrize("limit", ["calls = 1", "calls = 17", "tokens = 900", "money = 1.5", "calls = 0"])
def test_a_limit_stops_and_a_higher_one_goes_on(limit, by_model, served, openiir, tmp_path):
    _, free = served(PRICES)
    whole = openiir("run", by_model, "--out", tmp_path / "whole", "--settings", free).content
    server, tight = served(f"{PRICES}[limits]\n{limit}\n", latency=0.005)
    stopped = openiir("run", by_model, "--out", tmp_path / "run", "--settings", tight)
    name = limit.split()[0]
    assert stopped.code == 1
    assert f"limits.{name}" in stopped.err and "resume" in stopped.err and "Traceback" not in stopped.err
    assert scalar(tmp_path / "run", "select value from state where key = 'status'") == "stopped"
    made = scalar(tmp_path / "run", "select count(*) from call")
    assert made == server.counts.requests < scalar(tmp_path / "whole", "select count(*) from call")
    if name == "calls":
        assert made == int(limit.split()[-1])
    same = openiir("resume", tmp_path / "run", "--settings", tight)
    assert same.code == 1 and server.counts.requests == made
    assert openiir("resume", tmp_path / "run", "--settings", free).content == whole


def test_a_limit_that_is_not_reached_changes_nothing(by_model, served, openiir, tmp_path):
    _, free = served()
    whole = openiir("run", by_model, "--out", tmp_path / "whole", "--settings", free).content
    _, wide = served(f"{PRICES}[limits]\ncalls = 500\ntokens = 1000000\nmoney = 1000.0\n")
    assert openiir("run", by_model, "--out", tmp_path / "run", "--settings", wide).content == whole


def test_a_replay_is_not_limited(by_model, served, openiir, tmp_path, monkeypatch):
    _, free = served()
    whole = openiir("run", by_model, "--out", tmp_path / "run", "--settings", free).content
    _, nothing = served(f"{PRICES}[limits]\ncalls = 0\n")
    monkeypatch.setenv("OPENIIR_SETTINGS", str(nothing))
    assert openiir("replay", tmp_path / "run").content == whole


@pytest.mark.parametrize("moment", [60, 80, 101])
def test_ctrl_c_stops_and_the_run_goes_on(moment, by_model, served, sittings, openiir, tmp_path):
    settings = ["--settings", str(served(latency=0.002)[1])]
    run = ["run", str(by_model), *settings, "--out"]
    whole = openiir(*run, tmp_path / "whole").content
    (stopped,) = sittings({"argv": [*run, str(tmp_path / "run")], "interrupt": moment})
    assert stopped["signal"] is None and stopped["code"] == 1 and "goes on" in stopped["err"], stopped
    assert "Traceback" not in stopped["err"] and "ESCAPED" not in stopped["err"]
    assert scalar(tmp_path / "run", "select value from state where key = 'status'") == "stopped"
    assert not list((tmp_path / "run").glob("run.db-*"))
    assert openiir("resume", tmp_path / "run", *settings).content == whole


def test_ctrl_c_ends_the_wait_for_a_person(evening, sitter_words, openiir, tmp_path):
    study = evening('answers = "human"')
    ours, theirs = os.openpty()
    words = [*sitter_words, "run", str(study), "--out", str(tmp_path / "run")]
    with subprocess.Popen(
        words, stdin=theirs, stdout=theirs, stderr=subprocess.PIPE, start_new_session=True
    ) as run:
        os.close(theirs)
        shown = b""
        while b"score" not in shown:
            shown += os.read(ours, 1000)
        os.write(ours, b"7\n")
        while shown.count(b"score") < 2:
            shown += os.read(ours, 1000)
        run.send_signal(signal.SIGINT)
        try:
            assert run.wait(timeout=60) != 0
        finally:
            run.kill()  # were it to go on waiting, the test would wait with it
        assert run.stderr is not None and b"Traceback" not in run.stderr.read()
    os.close(ours)
    assert scalar(tmp_path / "run", "select value from state where key = 'status'") == "stopped"
    assert scalar(tmp_path / "run", "select group_concat(reply) from call") == '{"score": 7}'
