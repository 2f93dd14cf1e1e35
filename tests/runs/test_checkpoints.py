"""A run resumes from its last checkpoint to the content of one that nothing interrupted.

It is that of a crowd alone, or of a cast that talks, remembers and runs out of tokens beside a crowd.
"""

import asyncio
from pathlib import Path

import pytest

from openiir.core.errors import InputError, RunStopped
from openiir.core.storage import RunFile, checkpoints, content_hash
from openiir.runs import checkpointing
from openiir.runs.engine import Watcher, drive, resume
from openiir.runs.prepare import prepare_run
from openiir.runs.replay import replay
from openiir.runs.settings import Settings
from openiir.runs.study import load_study
from openiir.testing import cast
from openiir.testing.contract_runs import RunContract
from openiir.testing.offline import offline_study, run_loaded

ROUNDS = 6
CROWD = f"""type = "village"
seed = 3
PERSONAS
[config]
users = USERS
rounds = {ROUNDS}
[[change]]
step = 2
set = {{ mu = 0.8 }}
[[change]]
step = 4
set = {{ mu = 0.1 }}
[[event]]
at = "round 2"
kind = "flood"
height = 2.0
"""
SPEECH = """[[event]]
step = 5
kind = "speech"
speaker = "ben"
text = "The harbour should not be dredged, because the water is back."
"""


class StopAfter(Watcher):
    def __init__(self, step: int = 0) -> None:
        self.last, self.notes = step, []

    def note(self, text: str) -> None:
        self.notes.append(text)

    def step(self, number: int, label: str) -> None:
        if number == self.last:
            raise RunStopped(f"stopped after step {number}")


@pytest.fixture(params=["crowd", "cast"])
def study(request, village, tmp_path):
    return write_study(tmp_path, request.param)


@pytest.fixture
def crowd(village, tmp_path):
    return write_study(tmp_path, "crowd")


@pytest.fixture
def people(village, tmp_path):
    return write_study(tmp_path, "cast")


def write_study(folder: Path, name: str) -> Path:
    text = CROWD.replace("PERSONAS", "").replace("USERS", "50")
    if name == "cast":
        text = CROWD.replace("PERSONAS", 'personas = "people.toml"').replace("USERS", "500") + SPEECH
        people = (
            f'[[persona]]\nid = "{one.id}"\nname = "{one.name}"\nbio = "{one.bio}"\n'
            f"tokens = {120 if n % 5 else 40}\n"
            for n, one in enumerate(cast(12))
        )
        (folder / "people.toml").write_text("".join(people))
    (folder / "study.toml").write_text(text)
    return folder / "study.toml"


def stop(study: Path, out: Path, settings: Settings, step: int) -> Path:
    """Run until a step; gives the folder of checkpoints."""
    with prepare_run(load_study(str(study)), out, settings) as run, pytest.raises(RunStopped):
        asyncio.run(drive(run, settings, StopAfter(step)))
    return out / "checkpoints"


def go_on(out: Path, settings: Settings) -> tuple[str, list[str]]:
    watcher = StopAfter()
    return asyncio.run(resume(out, settings, watcher)), watcher.notes


@pytest.mark.parametrize(("workers", "block"), [(1, 1), (1, 7), (2, 4096), (2, 7), (4, 1), (4, 4096)])
def test_neither_workers_nor_blocks_matter(workers, block, crowd, sit, tmp_path):
    settings = Settings(workers=workers, block=block, checkpoint_every=2)
    assert sit(crowd, tmp_path / "run", settings) == sit(crowd, tmp_path / "whole")
    assert not (tmp_path / "run" / "checkpoints").exists(), "a finished run needs none"


@pytest.mark.parametrize(("every", "workers", "block"), [(1, 1, 4096), (2, 2, 7), (3, 4, 1)])
def test_a_stop_after_any_step_changes_nothing(every, workers, block, village, study, sit, tmp_path):
    whole = sit(study, tmp_path / "whole")
    settings = Settings(workers=workers, block=block, checkpoint_every=every)
    for step in range(1, ROUNDS + 1):
        out, last = tmp_path / f"at-{step}", step - step % every
        kept = stop(study, out, settings, step)
        assert [path.name for path in kept.glob("*")] == ([f"{last:06}.npz"] if last else [])
        village.executed.clear()
        content, notes = go_on(out, Settings(workers=5 - workers))
        assert content == whole
        assert village.executed == list(range(last + 1, ROUNDS + 1)), "what is kept is not done again"
        assert notes == ([f"goes on from the checkpoint of step {last}"] if last else [])
        assert not kept.exists()
    village.executed.clear()
    assert asyncio.run(replay(out, Settings(workers=workers, block=block), Watcher())) == whole
    assert village.executed == list(range(1, ROUNDS + 1)), "a replay executes everything"


def test_a_run_stopped_at_every_step_goes_on_from_each_checkpoint(study, sit, tmp_path):
    settings, out = Settings(checkpoint_every=1), tmp_path / "run"
    stop(study, out, settings, 1)
    for step in range(2, ROUNDS + 1):
        with pytest.raises(RunStopped):
            asyncio.run(resume(out, settings, StopAfter(step)))
        assert [path.name for path in (out / "checkpoints").iterdir()] == [f"{step:06}.npz"]
    assert go_on(out, settings)[0] == sit(study, tmp_path / "whole")


def test_a_checkpoint_of_an_earlier_release_is_read(crowd, sit, tmp_path):
    """It has the type's arrays only, and was written only where no agent had been asked."""
    kept = stop(crowd, tmp_path / "run", Settings(checkpoint_every=1), 3)
    with RunFile.open(tmp_path / "run", writable=True) as run:
        step, arrays = run.checkpoint() or (0, {})
        run.set_state(
            checkpoint=checkpoints.write_checkpoint(run.folder, step, {"opinions": arrays["opinions"]})
        )
    content, notes = go_on(tmp_path / "run", Settings())
    assert content == sit(crowd, tmp_path / "whole")
    assert notes == ["goes on from the checkpoint of step 3"] and not kept.exists()


def test_a_damaged_checkpoint_is_refused_and_a_missing_one_is_no_loss(crowd, sit, openiir, tmp_path):
    kept = stop(crowd, tmp_path / "run", Settings(checkpoint_every=1), 3)
    (path,) = kept.iterdir()
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    refused = openiir("resume", tmp_path / "run")
    assert refused.code == 2 and "not the checkpoint that was written; delete it" in refused.err
    path.unlink()
    assert openiir("resume", tmp_path / "run", "--workers", 2).content == sit(crowd, tmp_path / "whole")


def test_what_a_crash_left_is_deleted(crowd, sit, tmp_path):
    kept = stop(crowd, tmp_path / "run", Settings(checkpoint_every=2), 3)
    (kept / "000003.npz").write_bytes(b"half a checkpoint")
    content, notes = go_on(tmp_path / "run", Settings(checkpoint_every=0))
    assert content == sit(crowd, tmp_path / "whole") and notes == ["goes on from the checkpoint of step 2"]


@pytest.mark.parametrize(
    ("every", "worth", "written"), [(None, 10.0, []), (None, 0.0, ["000003.npz"]), (0, 0.0, [])]
)
def test_left_to_itself_a_quick_run_writes_none(every, worth, written, crowd, tmp_path, monkeypatch):
    monkeypatch.setattr(checkpointing, "WORTH", worth)
    kept = stop(crowd, tmp_path / "run", Settings(checkpoint_every=every), 3)
    assert [path.name for path in kept.glob("*")] == written


@pytest.mark.parametrize("workers", [1, 3])
def test_a_kill_at_any_moment_changes_nothing(workers, study, sit, sittings, openiir, tmp_path):
    settings = tmp_path / "settings.toml"
    settings.write_text(f"checkpoint_every = 2\nblock = 7\nworkers = {workers}\n")
    run = ["run", str(study), "--settings", str(settings), "--out"]
    (counted,) = sittings({"argv": [*run, str(tmp_path / "counted")], "count": True})
    assert counted["code"] == 0, counted["err"]
    names = counted["moments"]
    begun, kept = names.index("after declaration"), names.index("after checkpoint")
    assert {"before checkpoint", "before old checkpoints"} <= set(names[begun:])
    moments = [begun + 3, *(kept + (len(names) - kept) * n // 6 for n in range(1, 6))]
    died = sittings(*({"argv": [*run, str(tmp_path / f"at-{n}")], "kill": n} for n in moments))
    assert [job["signal"] for job in died] == [9] * len(moments)
    whole, told = sit(study, tmp_path / "whole"), []
    for n in moments:
        resumed = openiir("resume", tmp_path / f"at-{n}", "--settings", settings)
        assert resumed.content == whole, (names[n - 1], resumed.err)
        told.append("goes on from the checkpoint of step" in resumed.err)
    assert told.count(True) >= 3


def test_a_checkpoint_never_enters_the_content(crowd, tmp_path):
    stop(crowd, tmp_path / "run", Settings(checkpoint_every=1), 3)
    with RunFile.open(tmp_path / "run", writable=True) as run:
        step, arrays = run.checkpoint() or (0, {})
        before = content_hash(run.db)
        run.set_state(checkpoint="")
        assert run.checkpoint() is None and content_hash(run.db) == before
    assert step == 3 and arrays["opinions"].shape == (50,)


def test_budgets_bite_and_debits_add_up_after_a_resume(people, tmp_path):
    stop(people, tmp_path / "run", Settings(checkpoint_every=1), 3)
    asyncio.run(resume(tmp_path / "run", Settings(), Watcher()))
    with RunFile.open(tmp_path / "run") as run:
        sql = (
            "select actor, sum(json_extract(payload, '$.debit')), sum(json_extract(payload, '$.outcome') = "
            "'exhausted') from event where kind = 'asked' and actor <> 'extractor' group by actor"
        )
        spent = {actor: (debit, out) for actor, debit, out in run.db.execute(sql)}
        tokens = {persona.id: persona.tokens for persona in run.personas()}
    assert spent.keys() == tokens.keys()
    assert all(spent[id][0] <= tokens[id] for id in tokens)
    poor = [id for id in tokens if tokens[id] == 40]
    assert len(poor) == 3 and all(spent[id] == (40, ROUNDS - 2) or spent[id][1] > 0 for id in poor)
    assert all(spent[id][1] == 0 for id in tokens if id not in poor)


def test_memories_that_were_not_kept_are_missed(village, people, tmp_path, monkeypatch):
    monkeypatch.setattr(village, "forgets", True)
    stop(people, tmp_path / "run", Settings(checkpoint_every=1), 3)
    monkeypatch.setattr(village, "forgets", False)
    with pytest.raises(InputError, match="the checkpoint has no memory called 'ada'; give it to stage.keep"):
        asyncio.run(resume(tmp_path / "run", Settings(), Watcher()))


def test_the_contract_finds_a_type_that_keeps_too_little(village, people, tmp_path, monkeypatch):
    monkeypatch.setattr(village, "forgets", True)
    loaded = offline_study(people, tmp_path, ["config.users=20", "config.rounds=5"])
    finished = run_loaded(loaded, tmp_path / "whole")
    contract = RunContract()
    contract.test_resume_agrees_after_a_stop_at_each_step(loaded, finished, tmp_path / "again")
    with pytest.raises(AssertionError, match="give stage.keep all of the type's state"):
        contract.test_resume_from_a_checkpoint_agrees(loaded, finished, tmp_path / "kept")
    finished.run.close()
