"""A run with a cast resumes from its last checkpoint:
budgets, memories, claims and members are what they were."""

import asyncio
from pathlib import Path

import pytest

from openiir.core.errors import InputError, RunStopped
from openiir.core.storage import RunFile
from openiir.runs.engine import Silent, drive, resume
from openiir.runs.prepare import prepare_run
from openiir.runs.replay import replay
from openiir.runs.settings import Settings
from openiir.runs.study import load_study
from openiir.testing import cast
from openiir.testing.contract_runs import RunContract
from openiir.testing.offline import offline_study, run_loaded

ROUNDS, USERS = 6, 2_000
STUDY = f"""type = "village"
seed = 3
personas = "people.toml"
[config]
users = {USERS}
rounds = {ROUNDS}
[[event]]
at = "round 2"
kind = "flood"
height = 2.0
[[event]]
step = 5
kind = "speech"
speaker = "ben"
text = "The harbour should not be dredged, because the water is back."
"""


class StopAfter(Silent):
    def __init__(self, step: int) -> None:
        self.last, self.notes = step, []

    def note(self, text: str) -> None:
        self.notes.append(text)

    def step(self, number: int, label: str) -> None:
        if number == self.last:
            raise RunStopped(f"stopped after step {number}")


@pytest.fixture
def study(village, tmp_path):
    people = "".join(
        f'[[persona]]\nid = "{one.id}"\nname = "{one.name}"\nbio = "{one.bio}"\ntokens = '
        f"{120 if n % 5 else 40}\n"
        for n, one in enumerate(cast(24))
    )
    (tmp_path / "people.toml").write_text(people)
    (tmp_path / "study.toml").write_text(STUDY)
    return tmp_path / "study.toml"


@pytest.fixture
def whole(study, sit, tmp_path):
    """The content of a run that nothing interrupted."""
    return sit(study, tmp_path / "whole")


def stop(study: Path, out: Path, settings: Settings, step: int) -> None:
    with prepare_run(load_study(str(study)), out, settings) as run, pytest.raises(RunStopped):
        asyncio.run(drive(run, settings, StopAfter(step)))


@pytest.mark.parametrize(
    ("step", "every", "workers"), [(1, 1, 1), (3, 3, 3), (3, 2, 1), (5, 3, 3), (6, 4, 1)]
)
def test_a_stopped_run_goes_on_from_its_checkpoint(step, every, workers, village, study, whole, tmp_path):
    settings, out, last = (
        Settings(checkpoint_every=every, workers=workers),
        tmp_path / "run",
        step - step % every,
    )
    stop(study, out, settings, step)
    village.executed.clear()
    watcher = StopAfter(0)
    assert asyncio.run(resume(out, Settings(workers=4 - workers), watcher)) == whole
    assert village.executed == list(range(last + 1, ROUNDS + 1)), "earlier steps are not executed again"
    assert watcher.notes == ([f"goes on from the checkpoint of step {last}"] if last else [])
    village.executed.clear()
    assert asyncio.run(replay(out, Settings(workers=workers), Silent())) == whole
    assert village.executed == list(range(1, ROUNDS + 1))


def test_budgets_bite_and_debits_add_up_after_a_resume(study, whole, tmp_path):
    stop(study, tmp_path / "run", Settings(checkpoint_every=1), 3)
    asyncio.run(resume(tmp_path / "run", Settings(), Silent()))
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
    assert len(poor) == 5 and all(spent[id] == (40, ROUNDS - 2) or spent[id][1] > 0 for id in poor)
    assert all(spent[id][1] == 0 for id in tokens if id not in poor)


@pytest.mark.parametrize("workers", [1, 3])
def test_a_kill_at_any_moment_changes_nothing(workers, study, whole, sittings, openiir, tmp_path):
    settings = tmp_path / "settings.toml"
    settings.write_text(f"checkpoint_every = 2\nworkers = {workers}\n")
    run = ["run", str(study), "--settings", str(settings), "--out"]
    (counted,) = sittings({"argv": [*run, str(tmp_path / "counted")], "count": True})
    assert counted["code"] == 0, counted["err"]
    names = counted["moments"]
    first = names.index("before old checkpoints", names.index("after checkpoint")) + 1
    moments = [first + (len(names) - first) * n // 7 for n in (0, 2, 4, 6)]
    died = sittings(*({"argv": [*run, str(tmp_path / f"at-{n}")], "kill": n} for n in moments))
    assert [job["signal"] for job in died] == [9] * len(moments)
    for n in moments:
        resumed = openiir("resume", tmp_path / f"at-{n}", "--settings", settings)
        assert resumed.content == whole, (names[n - 1], resumed.err)
        assert "goes on from the checkpoint of step" in resumed.err


def test_memories_that_were_not_kept_are_missed(village, study, tmp_path, monkeypatch):
    monkeypatch.setattr(village, "forgets", True)
    stop(study, tmp_path / "run", Settings(checkpoint_every=1), 3)
    monkeypatch.setattr(village, "forgets", False)
    with pytest.raises(InputError, match="the checkpoint has no memory called 'ada'; give stage.keep"):
        asyncio.run(resume(tmp_path / "run", Settings(), Silent()))


def test_the_contract_finds_a_type_that_keeps_too_little(village, study, tmp_path, monkeypatch):
    monkeypatch.setattr(village, "forgets", True)
    loaded = offline_study(study, tmp_path, ["config.users=20", "config.rounds=5"])
    finished = run_loaded(loaded, tmp_path / "whole")
    contract = RunContract()
    contract.test_resume_agrees_after_a_stop_at_each_step(loaded, finished, tmp_path / "again")
    with pytest.raises(AssertionError, match="give stage.keep all of the type's state"):
        contract.test_resume_from_a_checkpoint_agrees(loaded, finished, tmp_path / "kept")
    finished.run.close()
