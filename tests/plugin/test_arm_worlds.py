"""Arms may search worlds of their own, under the same ids and draws: what one adds is not in another."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from openiir.core.errors import RunStopped
from openiir.core.storage import Log
from openiir.plugin import Arm, Arms, Lane, Measure, Record, Scenario, Stage, Step, Surface, Table
from openiir.runs.engine import Watcher, drive, resume
from openiir.runs.prepare import prepare_run
from openiir.runs.run_io import open_checked
from openiir.runs.settings import Settings
from openiir.runs.study import load_study
from openiir.runs.types import AT_HAND

STEPS = 4
ADDED = "Checking ropes every day is a habit that a harbour can do without."
QUERY = "Checking ropes every day"
WORLDS = ("plain", "same", "flooded")


@dataclass(eq=False)
class Country(Arm):
    floods: bool


class Countries(Scenario):
    """In each arm everybody looks the same up in the arm's own world; one arm adds a page of its own."""

    name = "countries"
    Config = Record

    def actions(self) -> list[Any]:
        return []

    async def schedule(self, stage: Stage) -> AsyncIterator[Step]:
        arms = Arms(stage, {name: Country(name == "flooded") for name in WORLDS})

        async def live(country: Country, lane: Lane) -> None:
            for agent in stage.agents:
                await lane.lookup(agent, QUERY, 3, world=lane.name)
            if country.floods and lane.step == 2:
                await lane.publish({"page": ADDED}, world=lane.name)
            if lane.step == 3:
                lane.row("drawn", arm=lane.name, number=stage.draw("number").below(1_000_000))

        while stage.step <= STEPS:
            await arms.live(live)
            stage.keep(**arms.state())
            yield Step(f"day {stage.step}")

    def metrics(self, log: Log) -> Mapping[str, Measure]:
        return {}

    def surfaces(self) -> list[Surface]:
        return [Surface("none", "table", "Nothing", lambda log: Table(columns=("none",), rows=()))]


@pytest.fixture
def study(evening: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setitem(AT_HAND, "countries", Countries)
    file = evening()
    top, world = file.read_text().replace('"parlour"', '"countries"').split("[world]")
    file.write_text(top + "".join(f"[world.{name}]{world}" for name in WORLDS))
    return file


class StopAfter(Watcher):
    def step(self, number: int, label: str) -> None:
        if number == 2:
            raise RunStopped("stopped after step 2")


def found(folder: Path) -> dict[tuple[str, int], list[list[str]]]:
    """Ids that each agent found, by arm and step."""
    arms: dict[tuple[str, int], list[list[str]]] = {}
    with open_checked(folder) as run:
        for event in Log(run).events("lookup"):
            assert event.payload["world"] == event.lane
            arms.setdefault((event.lane, event.step), []).append(event.payload["chunks"])
    return arms


def test_what_is_added_to_one_world_is_invisible_in_another(study, sit, openiir, tmp_path):
    content = sit(study, tmp_path / "run")
    arms = found(tmp_path / "run")
    for step in range(1, STEPS + 1):
        assert arms["plain", step] == arms["same", step] == arms["plain", 1]
        assert (arms["flooded", step] == arms["plain", step]) == (step <= 2), "from the step after on"
    with open_checked(tmp_path / "run") as run:
        log = Log(run)
        (added,) = log.found_chunks()
        texts = {world: [(c.id, c.text) for c in log.chunks(world) if c.id != added.id] for world in WORLDS}
        drawn = {row["number"] for row in log.table("drawn")}
    assert (added.world, added.text) == ("flooded", ADDED)
    assert texts["plain"] == texts["same"] == texts["flooded"], "the same ids, in each a store of its own"
    assert all(added.id in one for one in arms["flooded", 3]) and len(drawn) == 1
    assert openiir("replay", tmp_path / "run").content == content


def test_an_arm_has_its_own_world_after_a_checkpoint_too(study, sit, tmp_path):
    settings = Settings(checkpoint_every=1)
    with prepare_run(load_study(str(study)), tmp_path / "run", settings) as run, pytest.raises(RunStopped):
        asyncio.run(drive(run, settings, StopAfter()))
    assert (tmp_path / "run/checkpoints/000002.npz").exists()
    assert asyncio.run(resume(tmp_path / "run", settings, Watcher())) == sit(study, tmp_path / "whole")
    assert found(tmp_path / "run") == found(tmp_path / "whole")
