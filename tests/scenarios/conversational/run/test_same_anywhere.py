"""The same study gives the same bytes: at any worker count, under other hash seeds, stopped and resumed,
replayed."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import tomli_w

from openiir.core.storage import Log
from openiir.runs.engine import Watcher, drive
from openiir.runs.prepare import prepare_run
from openiir.runs.run_io import open_checked
from openiir.runs.settings import Settings
from openiir.runs.study import load_study
from openiir.testing.offline import replay_offline, run_with_stops

CONFIG: dict[str, Any] = {
    "data": {"name": "synthetic", "synthetic": {"users": 40, "items": 80}},
    "dialogues": 9,
    "batch": 4,
    "simulators": ["agenda", "dual"],
    "systems": ["random", "attribute", "neighbours"],
    "judge": {"dialogues": 6},
}


def write(path: Path, **config: Any) -> Path:
    table = {"type": "conversational", "name": "same", "seed": 11, "config": {**CONFIG, **config}}
    path.write_text(tomli_w.dumps(table))
    return path


def content(study: Path, folder: Path, workers: int = 1) -> str:
    settings = Settings(workers=workers)
    with prepare_run(load_study(str(study)), folder, settings) as run:
        return asyncio.run(drive(run, settings, Watcher()))


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("same") / "study.toml")


@pytest.fixture(scope="module")
def whole(study: Path) -> str:
    """The content hash of the study's run, which lies beside it."""
    return content(study, study.with_name("whole"))


def test_any_number_of_workers(study: Path, whole: str, tmp_path: Path) -> None:
    assert {content(study, tmp_path / f"run{workers}", workers) for workers in (2, 3)} == {whole}


def test_stopped_resumed_and_replayed(study: Path, whole: str, tmp_path: Path) -> None:
    assert run_with_stops(load_study(str(study)), tmp_path / "sittings", [1, 3]) == whole
    assert replay_offline(study.with_name("whole")) == whole


def test_another_hash_seed_and_the_table_at_the_end(study: Path, whole: str, tmp_path: Path) -> None:
    openiir = Path(sys.executable).with_name("openiir")
    command = [str(openiir), "run", str(study), "--out", str(tmp_path / "there")]
    done = subprocess.run(
        command, env={**os.environ, "PYTHONHASHSEED": "4242"}, capture_output=True, text=True, cwd="/"
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "Results by system"
    assert lines[-1] == f"content: {whole}"


@pytest.mark.parametrize(
    "other",
    [
        {"batch": 2},
        {"dialogues": 12},
        {"judge": {"dialogues": 0}},
        {"systems": ["attribute"]},
        {"simulators": ["agenda", "single", "dual"]},
        {"systems": ["oracle", "neighbours", "attribute", "random"]},
    ],
)
def test_a_dialogue_depends_on_nothing_but_its_need_its_user_and_the_two_who_meet(
    other: dict[str, Any], study: Path, whole: str, tmp_path: Path
) -> None:
    content(write(tmp_path / "changed.toml", **other), tmp_path / "changed")
    first, second = dialogues(study.with_name("whole")), dialogues(tmp_path / "changed")
    both = first.keys() & second.keys()
    assert len(both) >= 9
    assert {key: first[key] for key in both} == {key: second[key] for key in both}


def dialogues(folder: Path) -> dict[tuple[Any, ...], Any]:
    """The dialogues of a run by need, simulator and system."""
    with open_checked(folder, finished=True) as run:
        payloads = [event.payload for event in Log(run).events("conversational.dialogue")]
    return {(one["number"], one["simulator"], one["system"]): one for one in payloads}
