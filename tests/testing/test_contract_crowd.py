"""The contract of a type whose users are a crowd, and the part of its tables that an interview may rest
on."""

from typing import ClassVar

import numpy as np
import pytest
from pydantic import Field

from openiir.core.errors import InputError
from openiir.core.storage import RunFile, StepRows
from openiir.plugin import Measure, Record, Scenario, Step, Surface, Table, quantise
from openiir.testing import ScenarioContract, cast
from openiir.testing.own_log import OwnLog


class HerdConfig(Record):
    weeks: int = Field(3, ge=1, le=9)
    pull: float = Field(0.5, ge=0, le=1)


class Herd(Scenario):
    """Users drift; all of their state is kept."""

    name = "herd"
    Config = HerdConfig

    def actions(self):
        return ()

    async def schedule(self, stage):
        users = np.arange(20)
        state = {"place": np.zeros(20), "speed": np.ones(20)} | dict(stage.restored or {})
        while stage.step <= stage.config.weeks:
            noise, pull = stage.draw("herd.noise"), stage.config.pull

            def move(part):
                state["speed"][part] = quantise(pull * state["speed"][part] + noise.normal(agent=users[part]))  # noqa: B023
                state["place"][part] += state["speed"][part]

            stage.crowd(20).each(move)
            stage.columns("places", {"user": users, "place": state["place"]})
            stage.keep(**self.kept(state))
            yield Step(f"week {stage.step}")

    def kept(self, state):
        return state

    def metrics(self, log):
        return {"spread": Measure(float(log.columns("places", ["place"])["place"].std()))}

    def surfaces(self):
        return (Surface("size", "table", "Users", lambda log: Table(columns=("users",), rows=((20,),))),)


class Forgetful(Herd):
    """Keeps a part of its state."""

    def kept(self, state):
        return {"place": state["place"]}


class TestCrowdThatKeepsAll(ScenarioContract):
    type = Herd
    study: ClassVar = {"type": "herd", "seed": 5}


def test_what_was_not_kept_is_seen(tried):
    tried(Forgetful, "test_resume_agrees_after_a_stop_at_each_step")


def test_what_was_not_kept_is_seen_from_a_checkpoint(tried):
    with pytest.raises(AssertionError, match=r"give stage.keep all of the type"):
        tried(Forgetful, "test_resume_from_a_checkpoint_agrees")


def test_a_crowd_alone_is_asked_nothing(tried):
    with pytest.raises(pytest.skip.Exception, match="a crowd alone"):
        tried(Herd, "test_replies_are_bounded")


def test_only_arrays_can_be_kept(tried):
    odd = type("Herd", (Herd,), {"kept": lambda self, state: {"place": [object()]}})
    with pytest.raises(InputError, match=r"stage.keep\(place=...\) is given values of type object"):
        tried(odd, "test_replay_agrees")


def test_a_log_of_one_s_own_leaves_out_the_rows_that_name_others(tmp_path):
    with RunFile.create(tmp_path / "run") as run:
        run.declare({"type": "t", "name": "n", "seed": 0}, cast(3), [], {})
        rows = StepRows(1)
        rows.columns("said", {"by": ["ada", "ben", "cleo", "nobody"], "n": np.arange(4)})
        rows.columns("counts", {"n": np.arange(2)})
        run.commit_step(rows)
        log = OwnLog(run, "ben")
        assert log.table("said") == [{"by": "ben", "n": 1}, {"by": "nobody", "n": 3}]
        assert log.columns("said")["by"].tolist() == ["ben", "nobody"]
        assert {name: column.tolist() for name, column in log.columns("said", ["n"]).items()} == {"n": [1, 3]}
        assert log.columns("counts")["n"].tolist() == [0, 1] and log.columns("none") == {}
        with pytest.raises(InputError, match="use columns"):
            log.parts("said")
