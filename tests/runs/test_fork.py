"""A fork shares its parent's prefix and is, from there on, the run that its own study would have given."""

import asyncio
import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from openiir.core.errors import InputError, ReplayDifference
from openiir.core.seeds import Draw
from openiir.core.storage import Log
from openiir.runs.engine import Watcher, drive
from openiir.runs.fork import fork
from openiir.runs.run_io import open_checked
from openiir.runs.settings import Settings

Command = Callable[..., Any]
WARMER = "[[change]]\nstep = 3\nset = { warmth = 0.9 }\n"


@pytest.fixture
def forked(tmp_path):
    """Forks a run offline, in this process, and gives the fork's content hash."""

    def go(parent, out, step, **sets):
        values = {key.replace("__", "."): value for key, value in sets.items()}
        with fork(parent, step, values, out)[0] as run:
            return asyncio.run(drive(run, Settings(), Watcher()))

    return go


def rows(folder: Path) -> dict[str, list[Any]]:
    """Every table of a run file but how it stands and what brought no reply."""
    db = sqlite3.connect(folder / "run.db")
    names = [name for (name,) in db.execute("select name from sqlite_master where type = 'table'")]
    found = {name: sorted(map(repr, db.execute(f"select * from {name}"))) for name in names}
    db.close()
    return {name: found[name] for name in found if name not in ("state", "transport")}


def answerers(folder: Path) -> set[tuple[int, str]]:
    with open_checked(folder) as run:
        return {(e.step, e.payload["answerer"]) for e in Log(run).events("asked")}


# What comes of it


@pytest.mark.parametrize("step", [1, 2, 3, 4])
def test_a_fork_is_what_its_study_run_afresh_gives(step, evening, sit, forked, tmp_path):
    """Draws go by name, so that an offline run of the changed study has the very noise of the fork."""
    own = f"[[change]]\nstep = {step}\nset = {{ warmth = 0.1, free = 2.0 }}\n"
    sit(evening(tables=WARMER), tmp_path / "parent")
    afresh = sit(evening(tables=WARMER + own, folder="other"), tmp_path / "afresh")
    assert forked(tmp_path / "parent", tmp_path / "fork", step, warmth=0.1, free=2.0) == afresh
    assert rows(tmp_path / "fork") == rows(tmp_path / "afresh")


@pytest.mark.parametrize("step", [1, 3, 4])
@pytest.mark.parametrize("sets", [{}, {"warmth": 0.5, "config__free": 0.0}, {"answers": "offline"}])
def test_a_fork_that_changes_nothing_is_its_parent(step, sets, evening, sit, forked, tmp_path):
    content = sit(evening(), tmp_path / "parent")
    assert forked(tmp_path / "parent", tmp_path / "fork", step, **sets) == content
    assert rows(tmp_path / "fork") == rows(tmp_path / "parent")


def test_what_holds_is_what_holds_at_the_step(evening, sit, forked, tmp_path):
    content = sit(evening(tables=WARMER), tmp_path / "parent")
    assert forked(tmp_path / "parent", tmp_path / "after", 3, warmth=0.9) == content
    assert forked(tmp_path / "parent", tmp_path / "before", 2, warmth=0.9) != content


def test_a_fork_of_a_fork_needs_neither_parent(evening, sit, forked, openiir, tmp_path):
    parent, child, grandchild = (tmp_path / name for name in ("parent", "child", "grandchild"))
    content = sit(evening(), parent)
    first = forked(parent, child, 3, warmth=0.9)
    second = forked(child, grandchild, 2, free=3.0)
    shutil.rmtree(parent)
    shutil.rmtree(child)
    assert openiir("replay", grandchild).content == second
    both = f"{WARMER}[[change]]\nstep = 2\nset = {{ free = 3.0 }}\n"
    assert sit(evening(tables=both, folder="other"), tmp_path / "afresh") == second
    origin = json.loads((grandchild / "manifest.json").read_text())["origin"]
    assert origin == {"from": "fork", "content": first, "steps": 4, "step": 2, "set": {"free": 3.0}}
    assert len({content, first, second}) == 3


def test_the_parent_is_only_read(evening, sit, forked, fingerprints, tmp_path):
    sit(evening(), tmp_path / "parent")
    before = fingerprints(tmp_path / "parent")
    forked(tmp_path / "parent", tmp_path / "fork", 3, warmth=0.9)
    assert fingerprints(tmp_path / "parent") == before


def test_other_code_does_not_pass_for_the_prefix(evening, sit, forked, parlour, monkeypatch, tmp_path):
    sit(evening(), tmp_path / "parent")
    monkeypatch.setattr(parlour, "WORDS", ("all is well",) * 4)
    with pytest.raises(ReplayDifference, match="first difference: step 1, event"):
        forked(tmp_path / "parent", tmp_path / "fork", 3, warmth=0.9)


# Replies


def test_the_prefix_is_not_asked_again(by_model, served, openiir, tmp_path):
    server, settings = served(malformed=0.2)
    options = ("--settings", settings)
    openiir("run", by_model, "--out", tmp_path / "parent", *options)
    before = server.counts.requests
    child = openiir(
        "fork", tmp_path / "parent", "--step", 3, "--set", "warmth=0.9", "--out", tmp_path / "fork", *options
    )
    asked = server.counts.requests - before
    db = sqlite3.connect(tmp_path / "fork" / "run.db")
    assert asked == db.execute("select count(*) from call where step >= 3").fetchone()[0] > 0
    assert db.execute("select count(*) from call where step < 3").fetchone()[0] > 0
    db.close()
    by_model.write_text(f"{by_model.read_text()}{WARMER}")
    afresh = openiir("run", by_model, "--out", tmp_path / "afresh", *options)
    assert child.content == afresh.content == openiir("replay", tmp_path / "fork").content
    assert rows(tmp_path / "fork")["call_details"] == rows(tmp_path / "afresh")["call_details"]
    again = server.counts.requests
    idle = openiir("fork", tmp_path / "fork", "--step", 2, "--out", tmp_path / "idle", *options)
    assert idle.content == child.content and server.counts.requests == again


def test_who_answers_can_change_at_a_step(by_model, served, openiir, tmp_path):
    server, settings = served()
    options = ("--settings", settings)
    openiir("run", by_model, "--out", tmp_path / "parent", *options)
    before = server.counts.requests
    sets = ("--set", "answers.default=offline", "--set", "answers.persona.ada.parlour.rate=model")
    child = openiir("fork", tmp_path / "parent", "--step", 3, *sets, "--out", tmp_path / "fork", *options)
    assert server.counts.requests - before == 2, "ada's ratings at steps 3 and 4"
    assert answerers(tmp_path / "fork") == {(n, "model") for n in (1, 2, 3, 4)} | {
        (3, "offline"),
        (4, "offline"),
    }
    with open_checked(tmp_path / "fork") as run:
        (note,) = Log(run).events("changed")
        assert note.payload == {"answers.default": "offline", "answers.persona.ada.parlour.rate": "model"}
    tables = (
        '[[change]]\nstep = 3\nset = { "answers.default" = "offline", "answers.persona.ada.parlour.rate" = '
        '"model" }'
    )
    by_model.write_text(f"{by_model.read_text()}{tables}")
    assert openiir("run", by_model, "--out", tmp_path / "afresh", *options).content == child.content
    assert openiir("replay", tmp_path / "fork").content == child.content


def test_an_offline_run_can_go_on_with_a_model(evening, sit, served, openiir, tmp_path):
    sit(evening(), tmp_path / "parent")
    server, settings = served()
    words = ("fork", tmp_path / "parent", "--step", 4, "--settings", settings, "--out", tmp_path / "fork")
    unnamed = openiir(*words, "--set", "answers=model")
    assert unnamed.code == 2 and "no model is named" in unnamed.err and not (tmp_path / "fork").exists()
    child = openiir(*words, "--set", "answers=model", "--set", "model.name=standin")
    assert answerers(tmp_path / "fork") == {(n, "offline") for n in (1, 2, 3)} | {(4, "model")}
    assert server.counts.requests > 0
    assert openiir("replay", tmp_path / "fork").content == child.content


def test_without_an_endpoint_nothing_is_left_behind(evening, sit, openiir, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sit(evening(tables='[model]\nname = "standin"'), tmp_path / "parent")
    told = openiir("fork", "parent", "--step", 2, "--set", "answers=model", "--out", "fork")
    assert told.code == 2 and "endpoint" in told.err and not (tmp_path / "fork").exists()


def test_a_person_is_not_asked_the_prefix_again(evening, openiir, tmp_path, monkeypatch):
    study = evening(tables='[answers.persona.ben]\n"parlour.rate" = "human"')
    typed = iter(["9", "8", "7", "6", "3", "2"])
    monkeypatch.setattr("builtins.input", lambda prompt="": next(typed))
    openiir("run", study, "--out", tmp_path / "run")
    child = openiir("fork", tmp_path / "run", "--step", 3, "--set", "warmth=1.0", "--out", tmp_path / "fork")
    with open_checked(tmp_path / "fork") as run:
        assert [r["score"] for r in Log(run).table("ratings") if r["agent"] == "ben"] == [9, 8, 3, 2]
    assert openiir("replay", tmp_path / "fork").content == child.content


# Stops and kills


def test_a_stopped_run_forks_where_it_stands_and_not_beyond(by_model, served, openiir, tmp_path):
    _, free = served()
    whole = openiir("run", by_model, "--out", tmp_path / "whole", "--settings", free).content
    server, tight = served("[limits]\ncalls = 25\n")
    openiir("run", by_model, "--out", tmp_path / "parent", "--settings", tight)
    with open_checked(tmp_path / "parent") as run:
        steps = len(run.steps())
        begun = run.usage()["calls"]
    assert 0 < steps < 4 and begun == 25
    words = ("fork", tmp_path / "parent", "--settings", free, "--out", tmp_path / "fork", "--step")
    beyond = openiir(*words, steps + 2, "--set", "warmth=0.9")
    assert (
        beyond.code == 2
        and f"has got to step {steps} so far; name a step from 1 to {steps + 1}" in beyond.err
    )
    assert openiir(*words, steps + 1).content == whole, "what was under way is shared as well"
    other = openiir(*words[:-2], tmp_path / "other", "--step", steps + 1, "--set", "warmth=0.9")
    by_model.write_text(f"{by_model.read_text()}{WARMER.replace('3', str(steps + 1))}")
    assert other.content == openiir("run", by_model, "--out", tmp_path / "afresh", "--settings", free).content


def test_a_fork_killed_at_any_moment_goes_on(evening, served, sittings, openiir, tmp_path):
    study = evening('answers = "model"', '[model]\nname = "standin"\n[config]\nsteps = 2')
    settings = ["--settings", str(served(malformed=0.2)[1])]
    parent = tmp_path / "parent"
    openiir("run", study, "--out", parent, *settings)
    words = ["fork", str(parent), "--step", "2", "--set", "warmth=0.9", *settings, "--out"]
    (whole,) = sittings({"argv": [*words, str(tmp_path / "whole")], "count": True})
    assert whole["code"] == 0, whole["err"]
    content = whole["out"].strip().splitlines()[-1]
    draw, last = Draw(1, "moments"), len(whole["moments"])
    declared = whole["moments"].index("after renaming") + 1
    moments = {1, declared - 1, declared, last} | {
        declared + draw.below(last - declared, item=n) for n in range(4)
    }
    killed = sittings(*({"argv": [*words, str(tmp_path / f"at-{n}")], "kill": n} for n in sorted(moments)))
    assert [died["signal"] for died in killed] == [9] * len(moments)
    for n in sorted(moments):
        out = tmp_path / f"at-{n}"
        resumed = openiir("resume", out, *settings)
        if n < declared:
            assert resumed.code == 2, (n, resumed)
            resumed = openiir(*words, out)
        assert resumed.out.strip().splitlines()[-1] == content, (n, whole["moments"][n - 1], resumed.err)
        assert json.loads((out / "manifest.json").read_text())["origin"]["from"] == "fork"


def test_a_fork_killed_while_its_prefix_is_copied_can_be_forked_again(
    evening, sit, forked, tmp_path, monkeypatch
):
    """A process that dies leaves parts that no run names, and nothing else."""
    sit(evening(), tmp_path / "parent")
    expected = forked(tmp_path / "parent", tmp_path / "whole", 3, warmth=0.9)
    out = tmp_path / "fork"

    class Died(BaseException):
        pass

    def die(path, **_):
        raise Died

    with monkeypatch.context() as patch:
        patch.setattr("openiir.core.storage.shared_steps.copy_file", lambda *_: die(out))
        patch.setattr("openiir.core.storage.run_file.RunFile.withdraw", lambda self: self.db.close())
        with pytest.raises(Died):
            forked(tmp_path / "parent", out, 3, warmth=0.9)
    (out / "tables" / "ratings-000001.parquet").write_bytes(b"half a part")
    assert forked(tmp_path / "parent", out, 3, warmth=0.9) == expected


# What cannot be


@pytest.mark.parametrize(
    ("step", "sets", "words"),
    [
        (0, {}, "no fork at step 0: .* has 4 steps; name a step from 1 to 4"),
        (-1, {}, "no fork at step -1"),
        (5, {"warmth": 1.0}, "after its last step nothing is left to change; name a step from 1 to 4"),
        (9, {"warmth": 1.0}, "no fork at step 9: .* has 4 steps; name"),
        (2, {"steps": 9}, "'steps' is structural"),
        (2, {"steps": 4}, "'steps' is structural"),
        (2, {"warmht": 1.0}, "did you mean 'warmth'"),
        (2, {"warmth": 3}, "less than or equal to 1"),
        (2, {"warmth__x": 3}, "'warmth' is no table"),
        (2, {"seed": 8}, "'seed' is settled when a run starts.*run the study anew with --set seed="),
        (2, {"personas": "a.toml"}, "'personas' is settled"),
        (2, {"world__main__weight": 0.1}, "settled when a run starts"),
        (2, {"answers": "nobody"}, "no answerer is called 'nobody'"),
        (2, {"answers": "model"}, "no model is named"),
        (2, {"answers": "system:x"}, "no system is called 'x'"),
        (2, {"answers__persona__adda": "offline"}, "did you mean 'ada'"),
        (2, {"answers__kind__parlour.rat": "offline"}, "did you mean 'parlour.rate'"),
        (2, {"answers__defalt": "offline"}, "did you mean 'default'"),
        (2, {"model__temperature": 0.1}, "'model.name' is missing"),
    ],
)
def test_what_cannot_be_forked_is_told_and_leaves_nothing(step, sets, words, evening, sit, forked, tmp_path):
    sit(evening(), tmp_path / "parent")
    with pytest.raises(InputError, match=words):
        forked(tmp_path / "parent", tmp_path / "fork", step, **sets)
    assert not (tmp_path / "fork").exists()


def test_a_model_is_named_once(by_model, served, openiir, tmp_path):
    settings = served()[1]
    openiir("run", by_model, "--out", tmp_path / "run", "--settings", settings)
    told = openiir(
        "fork", tmp_path / "run", "--step", 2, "--set", "model.name=other", "--out", tmp_path / "fork"
    )
    assert told.code == 2 and "names its model already (standin)" in told.err


def test_a_later_change_that_no_longer_fits_is_told_before_the_fork(evening, sit, forked, tmp_path):
    late = (
        '[answers.persona]\nada = "offline"\n[[change]]\nstep = 4\nset = { '
        '"answers.persona.ada.parlour.rate" = "offline" }'
    )
    with pytest.raises(InputError, match="'ada' is no table"):
        sit(evening(tables=late), tmp_path / "parent")


def test_the_command_names_the_next_free_folder(evening, sit, openiir, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    content = sit(evening(), tmp_path / "parent")
    for number in ("001", "002"):
        told = openiir("fork", "parent", "--step", 2)
        assert told.out == f"run: runs/evening-fork-{number}\ncontent: {content}\n"
        assert "nothing is changed, so all that parent has is shared" in told.err
    told = openiir("fork", "parent", "--step", 3, "--set", "warmth=0.9", "--out", "parent")
    assert told.code == 2 and "not empty" in told.err
    told = openiir("fork", "nowhere", "--step", 3)
    assert told.code == 2 and "does not exist" in told.err
