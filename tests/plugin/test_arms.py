"""Arms of one run: alike where nothing tells them apart, each with its own state, saved and restored."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
import pytest
from pydantic import Field

from openiir.core.records import Measure
from openiir.plugin import (
    Agent,
    Arm,
    Arms,
    CastArm,
    Columns,
    Count,
    CrowdQuestion,
    Draw,
    InputError,
    Lane,
    Members,
    Own,
    Persona,
    Population,
    Record,
    Scenario,
    Source,
    Stage,
    Step,
    Surface,
    Table,
    Twins,
    quantise,
)
from openiir.runs.audit import run_controls
from openiir.runs.types import AT_HAND
from openiir.testing import ScenarioContract, run_offline
from openiir.testing.offline import offline_study

MEMBERS = 20


class Opened(Record):
    opens: bool


@dataclass(frozen=True)
class Open(CrowdQuestion[Opened]):
    day: Count
    belief: Annotated[float, Source("study")]
    kind: ClassVar[str] = "worlds.open"

    def prompt(self) -> str:
        return f"It is day {self.day}. Do you open the paper?"

    @classmethod
    def answer_columns(cls, columns: Columns, draw: Draw, behaviour: object) -> Columns:
        return {"opens": draw.uniform() < columns["belief"]}


class WorldsConfig(Record):
    pushes: Mapping[str, float] = Field({"plain": 0.0, "same": 0.0, "pushed": 0.3}, min_length=1)
    days: int = 4


@dataclass(eq=False)
class World(Arm):
    push: float
    mean: Any
    """Shared by all arms."""
    belief: Own[Any]


class Worlds(Scenario):
    name = "worlds"
    Config = WorldsConfig
    structural = frozenset({"pushes", "days"})
    twins = Twins(("plain", "same"), {}, "world")

    def actions(self) -> Sequence[Any]:
        return []

    async def schedule(self, stage: Stage) -> AsyncIterator[Step]:
        members, mean = stage.population(MEMBERS), np.full(MEMBERS, 0.5)
        worlds = {name: World(push, mean, mean.copy()) for name, push in stage.config.pushes.items()}
        arms = Arms(stage, worlds)

        async def day(world: World, lane: Lane) -> int:
            columns = {"belief": world.belief}
            answers = await lane.ask_crowd(Open, members, columns, lambda n: {"day": stage.step})
            noise = lane.answer_draw(Open, members.rows).uniform()
            assert (answers["opens"] == (noise < world.belief)).all()
            world.belief = quantise(world.belief + world.push * (answers["opens"] - world.mean))
            for row, opens in enumerate(answers["opens"].tolist()):
                lane.row("opened", world=lane.name, row=row, opens=opens)
            return int(answers["opens"].sum())

        while stage.step <= stage.config.days:
            opened = await arms.live(day)
            assert list(opened) == list(worlds)
            stage.keep(**arms.state())
            yield Step(f"day {stage.step}")

    def metrics(self, log: Any) -> Mapping[str, Measure]:
        rows = log.table("opened")
        return {
            name: Measure(value=float(np.mean([r["opens"] for r in rows if r["world"] == name])))
            for name in dict.fromkeys(row["world"] for row in rows)
        }

    def surfaces(self) -> Sequence[Surface]:
        return [Surface("opened", "table", "Opened", lambda log: Table(columns=("opened",), rows=()))]


STUDY = {"type": "worlds", "seed": 7}


class TestContract(ScenarioContract):
    type = Worlds
    study: ClassVar = STUDY


@pytest.mark.parametrize(
    ("twins", "words"),
    [
        (Twins(("plain", "pushed"), {}, "world"), "of 80"),
        (Twins(("plain", "same"), {}, "arm"), "no table has rows of them in a column 'arm'"),
    ],
)
def test_arms_that_differ_are_no_null(twins, words, monkeypatch, tmp_path):
    monkeypatch.setitem(AT_HAND, "worlds", Worlds)
    monkeypatch.setattr(Worlds, "twins", twins)
    (found,) = run_controls(offline_study(STUDY, tmp_path))
    assert not found.holds and words in found.words and "which nothing tells apart" in found.control.says


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(AT_HAND, "worlds", Worlds)
        finished = run_offline(STUDY, tmp_path_factory.mktemp("worlds"))
    with finished.run:
        yield finished.log


def opened(log, world):
    return [(row["row"], row["opens"]) for row in log.table("opened") if row["world"] == world]


def test_arms_that_nothing_tells_apart_are_alike(log):
    assert opened(log, "plain") == opened(log, "same")


def test_an_arm_that_differs_differs(log):
    assert opened(log, "plain")[:MEMBERS] == opened(log, "pushed")[:MEMBERS], "the first day has one noise"
    assert opened(log, "plain") != opened(log, "pushed")


class Bare:
    restored = None


def test_own_state_must_be_own():
    belief = np.zeros(3)
    with pytest.raises(InputError, match="one array as their own belief"):
        Arms(Bare(), {"a": World(0.0, belief, belief), "b": World(0.0, belief, belief)})


def test_what_is_shared_must_be_one():
    with pytest.raises(InputError, match="different arrays as mean"):
        Arms(Bare(), {name: World(0.0, np.zeros(3), np.zeros(3)) for name in "ab"})


def test_an_arm_takes_over_a_copy_of_its_state():
    kept = {"a.belief": np.ones(2), "ab.belief": np.zeros(2)}
    stage = Bare()
    stage.restored = kept
    mean = np.zeros(2)
    arms = Arms(stage, {name: World(0.0, mean, np.full(2, 9.0)) for name in ("a", "ab")})
    assert [arms[name].belief.tolist() for name in arms] == [[1, 1], [0, 0]]
    assert not np.shares_memory(arms["a"].belief, kept["a.belief"])
    assert {key: array.tolist() for key, array in arms.state().items()} == {
        key: array.tolist() for key, array in kept.items()
    }


@dataclass(eq=False)
class Country(Arm):
    world: World
    capital: Own[Any]


def test_parts_of_an_arm_are_saved_and_restored_with_it():
    def found(value):
        return {name: Country(World(0.0, mean, np.full(2, value)), np.full(1, value)) for name in "ab"}

    mean, stage = np.zeros(2), Bare()
    kept = Arms(Bare(), found(3.0)).state()
    assert sorted(kept) == ["a.capital", "a.world.belief", "b.capital", "b.world.belief"]
    stage.restored = kept
    again = Arms(stage, found(9.0))
    assert again["b"].world.belief.tolist() == [3, 3] and again["b"].capital.tolist() == [3]
    assert not np.shares_memory(again["b"].world.belief, kept["b.world.belief"])


def test_what_arms_have_in_common_is_saved_beside_them():
    mean, stage = np.zeros(2), Bare()
    arms = {name: World(0.0, mean, np.full(2, 1.0)) for name in ("a", "shared")}
    stage.restored = Arms(Bare(), arms, World(0.0, mean, np.full(2, 5.0))).state()
    common = World(0.0, mean, np.full(2, 9.0))
    again = Arms(stage, {name: World(0.0, mean, np.full(2, 7.0)) for name in arms}, common)
    assert common.belief.tolist() == [5, 5] and list(again) == ["a", "shared"]
    assert [one.belief.tolist() for one in again.values()] == [[1, 1], [1, 1]]


def test_the_cast_of_an_arm_has_budgets_of_its_own():
    personas = {row: Persona(id=id, name=id, bio="X.", tokens=100) for row, id in enumerate(("ada", "ben"))}
    agents = {row: Agent.of(one) for row, one in personas.items()}
    users = Population(Members(5, "member", personas), agents)
    one, other = CastArm(users), CastArm(users)
    one.agents[1].debit(30)
    assert [arm.users.agents[1].budget.tokens for arm in (one, other)] == [70, 100]
    assert agents[1].budget.tokens == 100 and one.agents[1].key == 1
    other.restore(one.state())
    assert [agent.budget.tokens for agent in other.agents.values()] == [100, 70]
