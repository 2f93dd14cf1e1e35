"""A crowd's run has one content at any number of workers and any size of block, from any checkpoint."""

import asyncio
import importlib.util
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from openiir.core.errors import RunStopped
from openiir.core.storage import RunFile, checkpoints, content_hash
from openiir.runs import checkpointing, types
from openiir.runs.engine import Silent, drive, resume
from openiir.runs.prepare import prepare_run
from openiir.runs.replay import replay
from openiir.runs.settings import Settings
from openiir.runs.study import load_study

HERE = Path(__file__).parent
WEEKS = 5


class StopAfter(Silent):
    def __init__(self, step: int) -> None:
        self.last, self.notes = step, []

    def note(self, text: str) -> None:
        self.notes.append(text)

    def step(self, number: int, label: str) -> None:
        if number == self.last:
            raise RunStopped(f"stopped after step {number}")


@pytest.fixture
def commons(monkeypatch):
    """The small type with a crowd, registered; gives its class."""
    spec = importlib.util.spec_from_file_location("openiir_tests_commons", HERE / "commons.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    entry = EntryPoint("commons", f"{spec.name}:Commons", types.GROUP)
    installed = types._entries()
    monkeypatch.setattr(types, "_entries", lambda: [*installed, entry])
    return module.Commons


@pytest.fixture
def study(commons, tmp_path):
    (tmp_path / "people.toml").write_text('[[persona]]\nid = "ada"\nname = "Ada"\nbio = "Ada fishes."\n')
    (tmp_path / "study.toml").write_text(
        f'type = "commons"\nseed = 3\npersonas = "people.toml"\n[config]\nweeks = {WEEKS}\n'
        "[[change]]\nstep = 2\nset = { mu = 0.8 }\n[[change]]\nstep = 4\nset = { mu = 0.1 }\n"
    )
    return tmp_path / "study.toml"


@pytest.fixture
def whole(study, sit, tmp_path):
    """The content of a run that nothing interrupted."""
    return sit(study, tmp_path / "whole")


def stopped(study: Path, out: Path, settings: Settings, step: int, *sets: str) -> Path:
    """A run that stopped after a step; gives its checkpoints' folder."""
    with prepare_run(load_study(str(study), sets), out, settings) as run, pytest.raises(RunStopped):
        asyncio.run(drive(run, settings, StopAfter(step)))
    return out / "checkpoints"


def gone_on(out: Path, settings: Settings) -> tuple[str, list[str]]:
    watcher = StopAfter(0)
    return asyncio.run(resume(out, settings, watcher)), watcher.notes


@pytest.mark.parametrize("workers", [1, 2, 4])
@pytest.mark.parametrize("block", [1, 7, 4096])
def test_neither_workers_nor_blocks_matter(workers, block, study, whole, sit, tmp_path):
    settings = Settings(workers=workers, block=block, checkpoint_every=2)
    assert sit(study, tmp_path / "run", settings) == whole
    assert not (tmp_path / "run" / "checkpoints").exists(), "a finished run needs none"


@pytest.mark.parametrize(("workers", "block"), [(1, 4096), (2, 7), (4, 1)])
@pytest.mark.parametrize("every", [1, 2])
def test_a_stop_after_any_step_changes_nothing(every, workers, block, commons, study, whole, tmp_path):
    settings = Settings(workers=workers, block=block, checkpoint_every=every)
    for step in range(1, WEEKS + 1):
        out, last = tmp_path / f"at-{step}", step - step % every
        kept = stopped(study, out, settings, step)
        assert [path.name for path in kept.glob("*")] == ([f"{last:06}.npz"] if last else [])
        commons.executed.clear()
        content, notes = gone_on(out, Settings())
        assert content == whole
        assert commons.executed == list(range(last + 1, WEEKS + 1)), (
            "what the checkpoint holds is not done again"
        )
        assert notes == ([f"goes on from the checkpoint of step {last}"] if last else [])
        assert not kept.exists()


def test_a_run_stopped_at_every_step_goes_on_from_each_checkpoint(study, whole, tmp_path):
    settings, out = Settings(checkpoint_every=1), tmp_path / "run"
    stopped(study, out, settings, 1)
    for step in range(2, WEEKS + 1):
        with pytest.raises(RunStopped):
            asyncio.run(resume(out, settings, StopAfter(step)))
        assert [path.name for path in (out / "checkpoints").iterdir()] == [f"{step:06}.npz"]
    assert gone_on(out, settings)[0] == whole


def test_a_replay_executes_everything(commons, study, whole, tmp_path):
    settings = Settings(checkpoint_every=1)
    stopped(study, tmp_path / "run", settings, 3)
    gone_on(tmp_path / "run", settings)
    commons.executed.clear()
    assert asyncio.run(replay(tmp_path / "run", Settings(workers=2, block=7), Silent())) == whole
    assert commons.executed == list(range(1, WEEKS + 1))


def test_a_poll_of_the_cast_is_not_executed_again(commons, study, sit, tmp_path):
    whole = sit(study, tmp_path / "asked", None, "config.poll=3")
    for step in (2, 3, 5):
        out = tmp_path / f"at-{step}"
        kept = stopped(study, out, Settings(checkpoint_every=1), step, "config.poll=3")
        assert [path.name for path in kept.iterdir()] == [f"{step:06}.npz"]
        commons.executed.clear()
        assert gone_on(out, Settings())[0] == whole
        assert commons.executed == list(range(step + 1, WEEKS + 1))


def test_a_checkpoint_of_an_earlier_release_is_read(study, whole, tmp_path):
    """It has the type's arrays only, and was written only where no agent had been asked."""
    kept = stopped(study, tmp_path / "run", Settings(checkpoint_every=1), 3)
    with RunFile.open(tmp_path / "run", writable=True) as run:
        step, arrays = run.checkpoint() or (0, {})
        run.set_state(checkpoint=checkpoints.write(run.folder, step, {"opinions": arrays["opinions"]}))
    content, notes = gone_on(tmp_path / "run", Settings())
    assert content == whole and notes == ["goes on from the checkpoint of step 3"] and not kept.exists()


def test_a_damaged_checkpoint_is_refused_and_a_missing_one_is_no_loss(study, whole, openiir, tmp_path):
    kept = stopped(study, tmp_path / "run", Settings(checkpoint_every=1), 3)
    (path,) = kept.iterdir()
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    refused = openiir("resume", tmp_path / "run")
    assert refused.code == 2 and "not the checkpoint that was written; delete it" in refused.err
    path.unlink()
    assert openiir("resume", tmp_path / "run", "--workers", 2).content == whole


def test_what_a_crash_left_is_deleted(study, whole, tmp_path):
    kept = stopped(study, tmp_path / "run", Settings(checkpoint_every=2), 3)
    (kept / "000003.npz").write_bytes(b"half a checkpoint")
    content, notes = gone_on(tmp_path / "run", Settings(checkpoint_every=0))
    assert content == whole and notes == ["goes on from the checkpoint of step 2"]


@pytest.mark.parametrize(
    ("every", "worth", "written"), [(None, 10.0, []), (None, 0.0, ["000003.npz"]), (0, 0.0, [])]
)
def test_left_to_itself_a_quick_run_writes_none(every, worth, written, study, tmp_path, monkeypatch):
    monkeypatch.setattr(checkpointing, "WORTH", worth)
    kept = stopped(study, tmp_path / "run", Settings(checkpoint_every=every), 3)
    assert [path.name for path in kept.glob("*")] == written


@pytest.mark.parametrize("workers", [1, 4])
def test_a_kill_at_any_moment_changes_nothing(workers, study, whole, sittings, openiir, tmp_path):
    settings = tmp_path / "settings.toml"
    settings.write_text(f"checkpoint_every = 2\nblock = 7\nworkers = {workers}\n")
    run = ["run", str(study), "--settings", str(settings), "--out"]
    (counted,) = sittings({"argv": [*run, str(tmp_path / "counted")], "count": True})
    assert counted["code"] == 0, counted["err"]
    names = counted["moments"]
    first = names.index("after declaration") + 1
    assert {"before checkpoint", "after checkpoint", "before old checkpoints"} <= set(names[first:])
    moments = range(first + 2 * workers, len(names) + 1, 12)
    died = sittings(*({"argv": [*run, str(tmp_path / f"at-{n}")], "kill": n} for n in moments))
    assert [job["signal"] for job in died] == [9] * len(moments)
    for n in moments:
        resumed = openiir("resume", tmp_path / f"at-{n}", "--settings", settings)
        assert resumed.content == whole, (names[n - 1], resumed.err)


def test_a_checkpoint_never_enters_the_content(study, tmp_path):
    stopped(study, tmp_path / "run", Settings(checkpoint_every=1), 3)
    with RunFile.open(tmp_path / "run", writable=True) as run:
        step, arrays = run.checkpoint() or (0, {})
        before = content_hash(run.db)
        run.set_state(checkpoint="")
        assert run.checkpoint() is None and content_hash(run.db) == before
    assert step == 3 and arrays["opinions"].shape == (50,)
