"""The society that `openiir new --society` writes:
its runs are the same however they are computed, stopped or forked."""

import asyncio
import importlib
import os
import re
import shlex
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import tomli_w

from openiir.cli.new import new
from openiir.core.errors import InputError
from openiir.core.storage import Log
from openiir.runs import types
from openiir.runs.engine import Watcher, drive
from openiir.runs.prepare import prepare_run
from openiir.runs.run_io import open_checked
from openiir.runs.settings import Settings, load_settings
from openiir.runs.study import load_study
from openiir.testing import cast
from openiir.testing.offline import replay_offline, run_offline

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "write-a-society.md").read_text("utf-8")
KILLED_AT = 12
KILLER = f"""
import os, signal, sys
sys.path.insert(0, sys.argv.pop(1))
from night_bus import NightBusStudy
from openiir.cli import main
from openiir.runs import engine, types

types.AT_HAND["night-bus"] = NightBusStudy
step = engine.LiveWatcher.step

def step_or_die(self, number, label):
    step(self, number, label)
    if number == {KILLED_AT}:
        os.kill(os.getpid(), signal.SIGKILL)

engine.LiveWatcher.step = step_or_die
main()
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """The folder with the package's module."""
    folder = tmp_path_factory.mktemp("society")
    new("night-bus", folder / "made", society=True)
    return folder / "made" / "src"


@pytest.fixture(autouse=True)
def society(source, monkeypatch):
    """The type, registered."""
    monkeypatch.syspath_prepend(str(source))
    type_ = importlib.import_module("night_bus").NightBusStudy
    monkeypatch.setitem(types.AT_HAND, "night-bus", type_)
    return type_


@pytest.fixture
def study(source, tmp_path):
    """Writes the reference study with other tables, personas and configuration; returns its file."""
    reference = source / "night_bus" / "reference"

    def write(name="study", people=None, events=None, config=None, **tables):
        values = tomllib.loads((reference / "study.toml").read_text("utf-8"))
        values["config"] |= config or {}
        values |= {**tables, "personas": f"{name}-people.toml"}
        if events is not None:
            values["event"] = [values["event"][n] for n in events]
        text = (reference / "personas.toml").read_text("utf-8")
        if people:
            text = tomli_w.dumps({"persona": [p.model_dump(mode="json", exclude_none=True) for p in people]})
        (tmp_path / f"{name}-people.toml").write_text(text, encoding="utf-8")
        (tmp_path / f"{name}.toml").write_text(tomli_w.dumps(values), encoding="utf-8")
        return tmp_path / f"{name}.toml"

    return write


def run(path, folder, settings=None):
    """Run a study and return the content hash."""
    settings = settings or Settings()
    with prepare_run(load_study(str(path)), folder, settings) as begun:
        return asyncio.run(drive(begun, settings, Watcher()))


def test_neither_workers_nor_blocks_change_a_run(study, tmp_path):
    path = study(config={"members": 200, "temper": {"like": 0.5}, "hours": 12})
    contents = {
        run(path, tmp_path / f"{workers}-{block}", Settings(workers=workers, block=block))
        for workers, block in ((1, 4_096), (2, 7), (3, 64), (4, 1))
    }
    assert len(contents) == 1


def test_a_large_run_killed_at_half_goes_on_from_its_last_checkpoint(study, source, openiir, tmp_path):
    """24 members with a persona and 400 without."""
    people = [p.model_copy(update={"id": "mara"}) if p.id == "ada" else p for p in cast(24)]
    path = study(people=people, config={"members": 424, "temper": {"like": 0.3}})
    path.write_text(path.read_text("utf-8").replace("neighbour-0000", "neighbour-0001"), encoding="utf-8")
    whole = run(path, tmp_path / "whole")
    (tmp_path / "settings.toml").write_text("checkpoint_every = 5\n")
    words = ["run", path, "--settings", tmp_path / "settings.toml", "--out", tmp_path / "killed"]
    died = subprocess.run(
        [sys.executable, "-c", KILLER, str(source), *map(str, words)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        check=False,
    )
    assert died.returncode == -signal.SIGKILL, died.stderr
    resumed = openiir("resume", tmp_path / "killed")
    assert resumed.content == whole
    assert "goes on from the checkpoint of step 10" in resumed.err
    with open_checked(tmp_path / "killed", finished=True) as done:
        members = Log(done).members
        assert members.size == 424 and len(members.personas) == 24 + 1
    assert replay_offline(tmp_path / "killed") == whole


def test_a_fork_at_an_event_is_what_its_study_gives(study, openiir, tmp_path):
    run(study("rumour", events=(0, 1)), tmp_path / "rumour")
    afresh = run(study("corrected", events=(0, 1, 2)), tmp_path / "corrected")
    _, _, event, _ = tomllib.loads(study("all").read_text("utf-8"))["event"]
    words = ", ".join(f'{key} = "{value}"' for key, value in event.items() if key != "at")
    forked = openiir("fork", tmp_path / "rumour", "--at", "hour 8", "--event", words, "--out", tmp_path / "f")
    assert forked.content == afresh and "steps 1 to 7 are shared with" in forked.err
    strange = ("--at", "hour 8", "--event", "kind=leave,member=neighbour-000999", "--out", tmp_path / "g")
    refused = openiir("fork", tmp_path / "rumour", *strange)
    assert refused.code == 2 and "no member of this run is called 'neighbour-000999'" in refused.err


def test_an_event_after_the_last_hour_is_refused(study):
    with pytest.raises(InputError, match="no step is called 'hour 8'; of the 6 steps"):
        load_study(str(study(config={"hours": 6}, events=(2,))))


def test_a_model_answers_for_the_cast_and_is_its_state(study, served, tmp_path):
    path = study(
        answers={"kind": {"night-bus.react": "model"}}, model={"name": "standin"}, config={"hours": 12}
    )
    settings = load_settings(served()[1])
    content = run(path, tmp_path / "run", settings)
    with open_checked(tmp_path / "run", finished=True) as done:
        log = Log(done)
        asked = [(event.step, event.actor) for event in log.events("asked") if event.actor != "extractor"]
        members, read = log.members, log.columns("night_bus_reacted")
    cast_ = {members.id(row) for row in members.personas}
    assert {actor for _, actor in asked} <= cast_ and len(asked) > 4
    rows = [(int(step), members.id(int(row))) for step, row in zip(read["step"], read["member"], strict=True)]
    late = [(step, id) for step, id in rows if id in cast_ and (id != "neighbour-000023" or step >= 4)]
    assert sorted(asked) == sorted(late), "each reading of a member of the cast is asked for, once it is one"
    assert replay_offline(tmp_path / "run") == content


def test_a_study_that_lets_a_stranger_leave_is_refused(study, tmp_path):
    path = study(events=(3,))
    path.write_text(path.read_text("utf-8").replace("neighbour-000030", "neighbour-000400"), encoding="utf-8")
    with pytest.raises(InputError, match="no member of this run is called 'neighbour-000400'"):
        run_offline(path, tmp_path / "run")


def test_a_type_without_room_for_its_cast_is_refused(study):
    with pytest.raises(InputError, match="a population of 20 has no room for a cast of 24"):
        load_study(str(study(people=cast(24), config={"members": 20}, events=())))


def test_the_page_shows_the_package_as_it_is_written(source):
    """Each block of Python stands in the named file, up to indentation; `...` stands for lines left out."""
    blocks = re.findall(r"<!-- not run: from (\S+) -->\n```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) > 8 and PAGE.count("```python") == len(blocks)
    for file, block in blocks:
        lines = "\n".join(line.strip() for line in (source / file).read_text("utf-8").splitlines())
        for part in re.split(r"^\s*\.\.\.\n", block, flags=re.MULTILINE):
            assert "\n".join(line.strip() for line in part.strip().splitlines()) in lines, part


def test_the_page_shows_events_of_the_reference_study(source):
    (shown,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    study = tomllib.loads((source / "night_bus" / "reference" / "study.toml").read_text("utf-8"))
    assert tomllib.loads(shown)["event"] == study["event"][:2]


def test_the_page_shows_what_its_commands_print(openiir, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL):
        for command, shown in re.findall(r"^\$ openiir (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
            ran = openiir(*shlex.split(command))
            printed = re.sub(r"sha256:\w+", "sha256:...", ran.out if ran.code == 0 else ran.err)
            assert printed == shown, command
