"""Members of one population: ids, columns of state, questions in arrays, promotion, acts of many."""

import asyncio
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

import numpy as np
import pytest
from pydantic import Field

from openiir.core.agents import Agent, AnswerRouter, Knowledge
from openiir.core.asking import Answer, AnswererChoice, OfflineAnswerer
from openiir.core.errors import UnknownName
from openiir.plugin import (
    Action,
    Columns,
    Count,
    CrowdQuestion,
    DepartureEvent,
    Draw,
    InputError,
    Measure,
    Persona,
    PromotionEvent,
    Record,
    Scenario,
    Source,
    Stage,
    Step,
    Surface,
    Table,
)
from openiir.runs.types import AT_HAND
from openiir.testing import ScenarioContract, cast
from openiir.testing.offline import offline_study, run_loaded, run_with_stops

SEED = 17
MEMBERS = 60


class Reaction(Record):
    thoughts: str = Field("", max_length=200)
    does: Literal["nothing", "like", "share"]
    stars: int = Field(ge=0, le=9)


@dataclass(frozen=True)
class React(CrowdQuestion[Reaction]):
    likes: Count
    stance: Annotated[float, Source("study")]
    shown: Annotated[tuple[int, ...], Source("study")]
    """Two numbers of posts, to have a column with two dimensions."""
    kind: ClassVar[str] = "small.react"
    example: ClassVar[Record] = Reaction(thoughts="I knew that.", does="like", stars=2)

    def prompt(self) -> str:
        return f"You read a post that {self.likes} people like. What do you do?"

    @classmethod
    def answer_columns(cls, columns: Columns, draw: Draw, behaviour: object) -> Columns:
        eager = draw.uniform() + columns["stance"] / 2
        stars = columns["shown"].sum(axis=1) + draw.at("stars").below(5)
        return {"does": (eager > 0.4).astype(np.int8) + (eager > 0.8), "stars": stars % 10}


class Reacted(Action):
    kind: ClassVar[str] = "small.reacted"
    does: int
    stars: int


class SmallConfig(Record):
    rounds: int = 3
    promote: int = 0
    """Round in which member 7 gets a persona; 0 for never."""
    leave: int = 0
    """Round in which member 9 leaves; 0 for never."""


class Small(Scenario):
    """Members react to posts, and a reaction moves their stance."""

    name = "small"
    Config = SmallConfig

    def actions(self):
        return (Reacted,)

    async def schedule(self, stage):
        population = stage.population(MEMBERS, "reader")
        start = stage.draw("small.start", step=0).uniform(agent=np.arange(MEMBERS))
        stance = population.column("stance", np.round(start * 2 - 1, 3))
        first = 1 if stage.restored is None else int(stage.restored["round"]) + 1
        for number in range(first, stage.config.rounds + 1):
            if number == stage.config.promote:
                stage.promote("reader-000007", Persona(id="novel", name="Nadia", bio="A reader."))
            if number == stage.config.leave:
                stage.leave("reader-000009")
            rows = population.rows
            columns = {"stance": stance[rows], "shown": np.stack([rows, rows + number], axis=1)}
            answers = await stage.ask_crowd(React, population, columns, lambda n: {"likes": 3})
            stance[rows] = np.round(stance[rows] * 0.9 + answers["does"] * 0.05, 3)
            stage.act_all(Reacted, rows, **answers)
            stage.keep(round=np.array(number))
            yield Step(f"round {number}")

    def metrics(self, log):
        return {"liked": Measure(float(Reacted.columns(log, ["does"])["does"].mean()))}

    def surfaces(self):
        return (Surface("reactions", "table", "Reactions", list_reactions, per_agent=True),)


def list_reactions(log, agent=None):
    """List what members did, by name."""
    members = log.members
    did = Reacted.columns(log, member=None if agent is None else members.row(agent))
    rows = zip(did["step"].tolist(), did["member"].tolist(), did["stars"].tolist(), strict=True)
    return Table(
        columns=("step", "member", "stars"), rows=tuple((step, members.name(row), n) for step, row, n in rows)
    )


class TestContract(ScenarioContract):
    type = Small
    study: ClassVar = {"type": "small", "seed": 7}


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Loads a study of the small type, with settings."""
    monkeypatch.setitem(AT_HAND, "small", Small)
    return lambda *sets: offline_study({"type": "small", "seed": 7}, tmp_path, sets)


@pytest.fixture
def stage():
    """A stage at its first step with a population of 60, four of them agents answered offline."""
    router = AnswerRouter(SEED, AnswererChoice(), {"offline": OfflineAnswerer()})
    stage = Stage(router, Knowledge({}, None, None), None, None)
    stage.agents = [Agent.of(persona) for persona in cast(4)]
    stage.begin(1)
    return stage


def react(stage, population, rows=None, **changed):
    rows = population.rows if rows is None else np.asarray(rows)
    columns = {"stance": rows / 60, "shown": np.stack([rows, rows], axis=1), **changed}
    return asyncio.run(stage.ask_crowd(React, population, columns, lambda n: {"likes": int(n)}, rows=rows))


def test_members_have_ids_names_and_rows_in_one_space(stage):
    population = stage.population(60, "reader")
    assert [population.id(row) for row in (0, 3, 4, 59)] == ["ada", "dov", "reader-000004", "reader-000059"]
    assert (population.name(0), population.name(17)) == (stage.agents[0].persona.name, "reader 17")
    for row in range(60):
        assert population.row(population.id(row)) == row
    assert population.row(stage.agents[2]) == 2
    assert (
        "reader-000059" in population
        and "reader-000060" not in population
        and "reader-000000" not in population
    )
    for stranger in ("reader-000060", "reader-000000", "reader-0", "reader-0000007", "nobody"):
        with pytest.raises(UnknownName):
            population.row(stranger)
    with pytest.raises(InputError, match="no member in row 60"):
        population.id(60)


def test_a_cast_member_may_not_have_the_id_of_the_crowd(stage):
    stage.agents.append(Agent.of(Persona(id="reader-000030", name="R", bio="B")))
    with pytest.raises(InputError, match="has the id of the member in row 30"):
        stage.population(60, "reader")


def test_a_population_has_room_for_its_cast_and_is_made_once(stage):
    with pytest.raises(InputError, match="no room for a cast of 4"):
        stage.population(3)
    stage.population(60)
    with pytest.raises(InputError, match="has a population already"):
        stage.population(60)


def test_columns_have_a_row_for_each_member(stage):
    population = stage.population(60)
    column = population.column("stance", np.zeros((60, 2)))
    column[3] = 1
    assert population.columns["stance"][3].tolist() == [1, 1]
    with pytest.raises(InputError, match="59 rows for a population of 60"):
        population.column("taste", np.zeros(59))
    with pytest.raises(InputError, match="already"):
        population.column("stance", np.zeros(60))


def test_a_member_answers_in_the_crowd_as_when_asked_alone(stage):
    population = stage.population(60, "reader")
    together = react(stage, population)
    for row in range(60):
        alone = React(3, row / 60, (row, row)).offline(Draw(SEED, "small.react", agent=row, step=1))
        assert React.row_of(alone, {"does": 0})["does"] == together["does"][row]
        assert alone.stars == together["stars"][row]
        assert alone.does == ("nothing", "like", "share")[together["does"][row]]


def test_neither_blocks_nor_who_else_is_asked_changes_an_answer(stage):
    population = stage.population(60, "reader")
    whole = react(stage, population)
    population.crowd.spread = replace(population.crowd.spread, block=7, workers=3)
    some = np.array([59, 2, 30])
    parts = react(stage, population, some)
    assert parts["stars"].tolist() == whole["stars"][some].tolist()
    assert react(stage, population)["does"].tolist() == whole["does"].tolist()
    nobody = react(stage, population, np.zeros(0, dtype=np.int64))
    assert {name: len(column) for name, column in nobody.items()} == {"does": 0, "stars": 0}


def test_members_whom_others_answer_for_are_asked_with_their_facts(stage):
    class Fixed(OfflineAnswerer):
        waits = False

        async def answer(self, asked):
            prompts.append((asked.place.asker, asked.question.likes, asked.question.shown))
            return Answer(None if asked.place.asker == "cleo" else Reaction(does="share", stars=9), "fixed")

    prompts = []
    population = stage.population(60, "reader")
    before = react(stage, population)
    stage.answering.answerers = {"offline": OfflineAnswerer(), "model": Fixed()}
    stage.answering.choice = AnswererChoice(persona={"ada": "model", "cleo": "model"})
    rows = np.arange(59, -1, -1)
    after = react(stage, population, rows)
    assert prompts == [("cleo", 57, (2, 2)), ("ada", 59, (0, 0))]
    assert (after["does"][59], after["stars"][59]) == (2, 9)
    assert (after["does"][57], after["stars"][57]) == (0, 0), "no usable answer"
    assert after.replies == {2: None, 0: Reaction(does="share", stars=9)}
    others = [n for n in range(60) if rows[n] not in (0, 2)]
    assert after["stars"][others].tolist() == before["stars"][rows[others]].tolist()


class Named(Record):
    word: str = Field(max_length=40)


@dataclass(frozen=True)
class NameIt(CrowdQuestion[Named]):
    usual: Annotated[str, Source("study")]
    kind: ClassVar[str] = "small.name"

    def prompt(self) -> str:
        return "What do you call it?"

    @classmethod
    def answer_columns(cls, columns: Columns, draw: Draw, behaviour: object) -> Columns:
        return {"word": columns["usual"]}


def test_texts_of_those_asked_are_kept_whole_beside_shorter_ones(stage):
    class Model(OfflineAnswerer):
        name = "model"

        async def answer(self, asked):
            return Answer(None if asked.place.asker == "ben" else Named(word="a wheelbarrow"), self.name)

    people = AnswererChoice(persona={"ada": "model", "ben": "model"})
    stage.answering = AnswerRouter(SEED, people, {"offline": OfflineAnswerer(), "model": Model()})
    population = stage.population(60, "reader")
    columns = {"usual": np.full(60, "cart")}
    answers = asyncio.run(stage.ask_crowd(NameIt, population, columns, lambda n: {}))
    assert answers["word"].tolist() == ["a wheelbarrow", "", *["cart"] * 58]


@pytest.mark.parametrize(
    ("rows", "changed", "complaint"),
    [
        ([1, 2, 1], {}, "asked twice"),
        ([1, 60], {}, "rows of members are 0 to 59"),
        ([1, 2], {"stance": np.zeros(3)}, "'stance' has 3 rows for 2 members"),
    ],
)
def test_wrong_rows_are_refused(stage, rows, changed, complaint):
    population = stage.population(60)
    with pytest.raises(InputError, match=complaint):
        react(stage, population, rows, **changed)


def test_those_who_left_are_not_asked(stage):
    population = stage.population(60, "reader")
    stage.leave("reader-000009")
    stage.leave(stage.agents[1])
    assert [agent.id for agent in stage.agents] == ["ada", "cleo", "dov"]
    assert {9, 1}.isdisjoint(population.rows) and len(population.rows) == 58
    with pytest.raises(InputError, match="'ben' has left and cannot be asked"):
        react(stage, population, np.arange(60))
    with pytest.raises(InputError, match="left in step 1"):
        stage.act("reader-000009", Reacted(does=1, stars=1))
    with pytest.raises(InputError, match="left in step 1"):
        stage.leave("reader-000009")


def test_acts_of_many_have_the_columns_of_the_action(stage):
    with pytest.raises(InputError, match="its fields are does, stars"):
        stage.act_all(Reacted, np.array([1]), does=np.array([1]))


def test_a_number_stands_for_a_whole_column_and_no_act_for_empty_ones(load, stage, tmp_path):
    class Rated(Action):
        kind: ClassVar[str] = "small-world.rated"
        post: int
        stars: float

    ran = run_loaded(load(), tmp_path / "run")
    kinds = {name: column.dtype.kind for name, column in Rated.columns(ran.log).items()}
    assert kinds == {"step": "i", "member": "i", "post": "i", "stars": "f"}
    stage.act_all(Rated, np.array([3, 5]), post=7, stars=np.array([0.5, 1.5]))
    rows = stage.rows.tables["small_world_rated"].arrow().to_pydict()
    assert rows == {"step": [1, 1], "member": [3, 5], "post": [7, 7], "stars": [0.5, 1.5]}


def test_all_are_asked_about_one_subject(stage):
    class Listening(OfflineAnswerer):
        waits = False

        async def answer(self, asked):
            places.append((asked.place.asker, asked.place.subject, asked.draw.item))
            return Answer(None, "listening")

    places = []
    population = stage.population(60, "reader")
    stage.answering.answerers = {"offline": OfflineAnswerer(), "model": Listening()}
    stage.answering.choice = AnswererChoice(persona={"ada": "model"})
    rows = population.rows
    columns = {"stance": rows / 60, "shown": np.stack([rows, rows], axis=1)}
    about = [
        asyncio.run(stage.ask_crowd(React, population, columns, lambda n: {"likes": 1}, subject=subject))
        for subject in ("post 1", "post 2")
    ]
    assert places == [("ada", "post 1", "post 1"), ("ada", "post 2", "post 2")]
    assert about[0]["stars"].tolist() != about[1]["stars"].tolist()


def test_events_promote_members_and_let_them_leave(stage):
    population = stage.population(60, "reader")
    agent = stage.apply(PromotionEvent(member="reader-000007", name="Nadia", bio="A reader."))
    assert agent is population.agents[7] and population.name(7) == "Nadia"
    assert stage.apply(DepartureEvent(member="reader-000007")) is None
    assert stage.apply(DepartureEvent(member="reader-000008")) is None
    assert {7, 8}.isdisjoint(population.rows.tolist()) and agent not in stage.agents


def tables(finished):
    return {name: column.tolist() for name, column in Reacted.columns(finished.log).items()}


def test_promotion_changes_no_table(load, tmp_path):
    plain = run_loaded(load(), tmp_path / "plain")
    promoted = run_loaded(load("config.promote=2"), tmp_path / "promoted")
    assert promoted.sections["tables"] == plain.sections["tables"]
    assert tables(promoted) == tables(plain)
    assert len(tables(plain)["member"]) == 3 * MEMBERS
    members = promoted.log.members
    assert (members.id(7), members.name(7), plain.log.members.name(7)) == (
        "reader-000007",
        "Nadia",
        "reader 7",
    )
    assert members.row("reader-000007") == 7 and members.id(8) == "reader-000008"
    own = Reacted.columns(promoted.log, ["step", "stars"], member=7)
    assert own["step"].tolist() == [1, 2, 3]
    assert Reacted.columns(promoted.log, since=2)["step"].tolist() == [3] * MEMBERS


def test_a_run_goes_on_from_a_checkpoint_with_its_columns(load, tmp_path):
    whole = run_loaded(load("config.leave=2"), tmp_path / "whole")
    assert len(tables(whole)["member"]) == 3 * MEMBERS - 2
    assert run_with_stops(load("config.leave=2"), tmp_path / "stopped", [1, 2]) == whole.content
    resumed = run_with_stops(load(), tmp_path / "resumed", [1, 2], checkpoints=True)
    assert resumed == run_loaded(load(), tmp_path / "unstopped").content
