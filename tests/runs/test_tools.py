"""A study may change a member's search tools in mid-run: logged, replayed, resumed, forked."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from openiir.core.errors import InputError, RunStopped
from openiir.core.storage import Log
from openiir.plugin import Measure, Record, Scenario, Stage, Step, Surface, Table
from openiir.runs.build import rebuild_world
from openiir.runs.engine import Watcher, drive, resume
from openiir.runs.prepare import prepare_run
from openiir.runs.run_io import open_checked
from openiir.runs.settings import Settings
from openiir.runs.study import load_study
from openiir.runs.types import AT_HAND

CHANGE = "[[change]]\nstep = 3\nset = {{ {} }}\n"
QUERY = "the tide tables and the boats of a harbour, without a sound or a rope"


class ReadersConfig(Record):
    steps: int = 4
    query: str = QUERY


class Readers(Scenario):
    """Everybody looks the same up in every step."""

    name = "readers"
    Config = ReadersConfig

    def actions(self) -> list[Any]:
        return []

    async def schedule(self, stage: Stage) -> AsyncIterator[Step]:
        while stage.step <= stage.config.steps:
            for agent in stage.agents:
                await stage.lookup(agent, stage.config.query, 3)
            stage.keep()
            yield Step(f"day {stage.step}")

    def metrics(self, log: Log) -> Mapping[str, Measure]:
        return {}

    def surfaces(self) -> list[Surface]:
        return [Surface("none", "table", "Nothing", lambda log: Table(columns=("none",), rows=()))]


@pytest.fixture
def readers(evening: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Writes a study of readers with this change at step 3."""
    monkeypatch.setitem(AT_HAND, "readers", Readers)

    def write(set_: str = "", tables: str = "", folder: str = "study") -> Path:
        study = evening(tables=(CHANGE.format(set_) if set_ else "") + tables, folder=folder)
        study.write_text(study.read_text().replace('type = "parlour"', 'type = "readers"'))
        return study

    return write


def looked_up(folder: Path) -> list[tuple[int, str, dict[str, Any]]]:
    with open_checked(folder) as run:
        return [(event.step, event.actor or "", event.payload) for event in Log(run).events("lookup")]


def sources(folder: Path) -> list[tuple[int, list[str]]]:
    """Step and sources of each look-up."""
    with open_checked(folder) as run:
        source = {chunk.id: chunk.source for chunk in Log(run).chunks()}
    return [(step, [source[id] for id in found["chunks"]]) for step, _, found in looked_up(folder)]


@pytest.mark.parametrize(
    "set_",
    [
        '"persona.ada.retrieval" = "none"',
        'persona.ada.retrieval = "none"',
        'persona = { ada = { retrieval = "none" } }',
    ],
)
def test_a_mode_changes_at_its_step_for_its_member_however_it_is_written(set_, readers, openiir, tmp_path):
    ran = openiir("run", readers(set_), "--out", tmp_path / "run")
    for step, actor, found in looked_up(tmp_path / "run"):
        changed = actor == "ada" and step >= 3
        assert found.get("mode") == ("none" if changed else None) and bool(found["chunks"]) != changed
    with open_checked(tmp_path / "run") as run:
        ((step, payload),) = [(e.step, e.payload) for e in Log(run).events("changed")]
    assert step == 3 and "persona" in str(payload)
    assert openiir("replay", tmp_path / "run").content == ran.content


def test_a_change_for_everybody_leaves_those_who_have_one_of_their_own(readers, openiir, tmp_path):
    both = '"persona.*.retrieval" = "keyword", "persona.ben.retrieval" = "match"'
    assert openiir("run", readers(both), "--out", tmp_path / "run").code == 0
    modes = {(step >= 3, actor): found.get("mode") for step, actor, found in looked_up(tmp_path / "run")}
    assert {mode for (late, _), mode in modes.items() if not late} == {None}
    assert [modes[True, actor] for actor in ("ada", "ben", "cleo")] == ["keyword", "match", "keyword"]


def test_a_policy_re_ranks_what_its_member_finds(readers, openiir, tmp_path):
    ran = openiir("run", readers('"persona.*.policy" = { by = "cap", most = 1 }'), "--out", tmp_path / "run")
    found = sources(tmp_path / "run")
    before, after = ({tuple(one) for step, one in found if (step >= 3) == late} for late in (False, True))
    assert before == {("sea.md", "sea.md", "sea.md")} and after == {("sea.md", "land.md", "sea.md")}
    told = {(step >= 3, one.get("policy")) for step, _, one in looked_up(tmp_path / "run")}
    assert told == {(False, None), (True, "cap")}
    assert openiir("replay", tmp_path / "run").content == ran.content


@pytest.mark.parametrize(
    ("policy", "first"),
    [
        ('{ by = "down_rank", factor = 0.0, sources = ["sea*"] }', "land.md"),
        ('{ by = "down_rank", factor = 0.0, sources = ["land.*"] }', "sea.md"),
        ('{ by = "provenance", factor = 100.0, sources = ["land.md"] }', "land.md"),
        ('{ by = "quota", share = 1.0, sources = ["land.md"] }', "land.md"),
        ('{ by = "quota", share = 1.0, sources = ["sea.md"] }', "sea.md"),
    ],
)
def test_policies_treat_the_sources_that_they_name(policy, first, readers, openiir, tmp_path):
    assert openiir("run", readers(f'"persona.*.policy" = {policy}'), "--out", tmp_path / "run").code == 0
    assert {one[0] for step, one in sources(tmp_path / "run") if step >= 3} == {first}


def test_diversity_reads_the_vectors_of_passages(readers, openiir, tmp_path):
    """From the first on, the one least like all before it."""
    set_ = '"persona.*.policy" = { by = "mmr", weight = 0.0 }'
    query = "ropes checked every day, tides and boats"
    study = readers(set_, f'[config]\nquery = "{query}"')
    assert openiir("run", study, "--out", tmp_path / "run").code == 0
    with open_checked(tmp_path / "run") as run:
        world = asyncio.run(rebuild_world(run, "main"))
    left = [hit.chunk.id for hit in asyncio.run(world.lookup(query, 50))]
    plain, expected = left[:3], [left.pop(0)]
    while len(expected) < 3:
        likeness = [max(0.0, *(float(world.vector(n) @ world.vector(m)) for m in expected)) for n in left]
        expected.append(left.pop(likeness.index(min(likeness))))
    found = {(step >= 3, tuple(one["chunks"])) for step, _, one in looked_up(tmp_path / "run")}
    assert found == {(False, tuple(plain)), (True, tuple(expected))} and plain != expected


def test_a_killed_run_goes_on_with_changed_tools(evening, sittings, openiir, tmp_path):
    study = evening(tables=CHANGE.format('"persona.ada.retrieval" = "vector"'))
    whole = openiir("run", study, "--out", tmp_path / "whole").content
    (died,) = sittings({"argv": ["run", str(study), "--out", str(tmp_path / "run")], "kill": 40})
    assert died["signal"] == 9 and openiir("resume", tmp_path / "run").content == whole


class StopAfter(Watcher):
    def step(self, number: int, label: str) -> None:
        if number == 3:
            raise RunStopped("stopped after step 3")


def test_a_run_goes_on_from_a_checkpoint_with_the_tools_of_earlier_changes(readers, sit, tmp_path):
    study, settings = readers('"persona.ada.retrieval" = "none"'), Settings(checkpoint_every=1)
    with prepare_run(load_study(str(study)), tmp_path / "run", settings) as run, pytest.raises(RunStopped):
        asyncio.run(drive(run, settings, StopAfter()))
    assert (tmp_path / "run/checkpoints/000003.npz").exists()
    assert asyncio.run(resume(tmp_path / "run", settings, Watcher())) == sit(study, tmp_path / "whole")
    assert [
        one["chunks"] for step, who, one in looked_up(tmp_path / "run") if who == "ada" and step == 4
    ] == [[]]


def test_a_fork_changes_tools(readers, openiir, tmp_path):
    openiir("run", readers(), "--out", tmp_path / "run")
    words = ["--step", "3", "--set", "persona.ada.policy={by='cap', most=1}", "--out", tmp_path / "fork"]
    forked = openiir("fork", tmp_path / "run", *words)
    assert forked.code == 0, forked.err
    found = looked_up(tmp_path / "fork")
    assert {(step >= 3, actor) for step, actor, one in found if "policy" in one} == {(True, "ada")}
    assert looked_up(tmp_path / "run")[:6] == found[:6]
    assert openiir("replay", tmp_path / "fork").content == forked.content
    fixed = openiir(
        "fork", tmp_path / "run", "--step", "3", "--set", "retrieval=match", "--out", tmp_path / "x"
    )
    assert fixed.code == 2 and "settled when a run starts" in fixed.err and "persona.ID" in fixed.err


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ('"persona.adda.retrieval" = "none"', "did you mean 'ada'"),
        ('"persona.ada.retrieval" = "magic"', "no retrieval mode is called 'magic'"),
        ('"persona.ada.stance" = 0.5', "'persona.ada.stance' cannot change; persona.ID.retrieval"),
        ('"persona.ada" = "none"', "'persona.ada' cannot change"),
        ('"persona.ada.policy" = "mmr"', 'a policy is a table such as { by = "mmr" }'),
        ('"persona.ada.policy.by" = "mmr"', "'persona.ada.policy.by' cannot change"),
        ('"persona.ada.policy" = { by = "best" }', '"none", "mmr", "quota", "cap"'),
        ('"persona.ada.policy" = { by = "mmr", wieght = 1 }', "did you mean 'weight'"),
        ('"persona.ada.policy" = { by = "mmr", sources = ["a"] }', "treats no sources; leave sources out"),
        ('"persona.ada.policy" = { by = "down_rank" }', "treats passages of certain sources; name these"),
        ('"persona.ada.policy" = { by = "down_rank", sources = "a" }', "sources is a list of names"),
        ('"persona.ada.policy" = { by = "quota", group = 1, sources = ["a"] }', "leave group out"),
    ],
)
def test_tools_that_cannot_be_are_refused_before_the_run(entry, words, readers):
    with pytest.raises(InputError) as told:
        load_study(str(readers(entry)))
    assert words in str(told.value) and "study.toml" in str(told.value)


def test_tools_need_a_world(readers):
    study = readers('"persona.ada.retrieval" = "none"')
    text = study.read_text()
    study.write_text(text[: text.index("[world]")] + text[text.index("[[change]]") :])
    with pytest.raises(InputError, match=r"persona\.ada searches nothing, since the study has no \[world\]"):
        load_study(str(study))
