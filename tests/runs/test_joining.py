"""Agents that join and leave during a run are shown, asked, resumed, replayed and forked like any other."""

from dataclasses import dataclass
from typing import ClassVar

import pytest
from pydantic import Field

from openiir.plugin import (
    Action,
    Count,
    Entry,
    Interview,
    Measure,
    Question,
    Record,
    Scenario,
    Step,
    Surface,
)
from openiir.runs import types
from openiir.testing import ScenarioContract, cast
from openiir.testing.offline import offline_study, run_loaded, run_with_stops

EVE, FINN = cast(6)[4:]


class Vote(Record):
    score: int = Field(ge=0, le=99)


@dataclass(frozen=True)
class Ask(Question[Vote]):
    round: Count
    kind: ClassVar[str] = "club.ask"

    def prompt(self):
        return f"Your vote in round {self.round}?"

    def offline(self, draw):
        return Vote(score=draw.below(90) + min(9, self.round))


class Voted(Action):
    kind: ClassVar[str] = "club.voted"
    score: int


class ClubConfig(Record):
    rounds: int = Field(4, ge=1, le=9)
    silent: bool = False
    """Whether nobody is asked."""


class Club(Scenario):
    """Ben leaves in round 2 and Finn takes his place in round 3, when Eve joins too."""

    name = "club"
    Config = ClubConfig

    def actions(self):
        return (Voted,)

    async def schedule(self, stage):
        while stage.step <= stage.config.rounds:
            if stage.step == 2:
                stage.leave(stage.agent("ben"))
            if stage.step == 3:
                stage.join(EVE, key=1_003)
                stage.join(FINN)
            asked = [] if stage.config.silent else [(agent, Ask(stage.step)) for agent in stage.agents]
            votes = await stage.ask_all(asked) or [Vote(score=1)] * len(stage.agents)
            for agent, vote in zip(stage.agents, votes, strict=True):
                stage.act(agent, Voted(score=vote.score if vote else 0))
            stage.keep()
            yield Step(f"round {stage.step}")

    def metrics(self, log):
        return {"members": Measure(float(len(log.personas)))}

    def surfaces(self):
        question = lambda log, persona, text: Ask(sum(1 for _ in Voted.read(log, actor=persona.id)))  # noqa: E731
        return (
            Surface("votes", "timeline", "Votes", votes, per_agent=True, live="append"),
            Interview("chat", "Ask a member", question, lambda log, agent: []),
        )


def votes(log, since=0, agent=None):
    names = {p.id: p.name for p in log.personas}
    return [
        Entry(step=event.step, actor=names[event.actor], agent=event.actor, text=str(vote.score))
        for event, vote in Voted.read(log, since=since)
        if agent in (None, event.actor)
    ]


class TestContract(ScenarioContract):
    type = Club
    study: ClassVar = {"type": "club", "seed": 3}


@pytest.fixture
def loaded(tmp_path, monkeypatch):
    monkeypatch.setitem(types.AT_HAND, "club", Club)
    return offline_study({"type": "club", "seed": 3}, tmp_path)


def test_whoever_joined_or_left_is_shown_and_asked(loaded, openiir, tmp_path):
    run_loaded(loaded, run := tmp_path / "run").run.close()
    for name, id, rounds in (
        ("Eve Tanaka", "eve", (3, 4)),
        ("Ben Osei", "ben", (1,)),
        ("Finn Aldous", "finn", (3, 4)),
    ):
        shown = openiir("show", run, "votes", "--agent", id).out
        assert shown.count(name) == len(rounds)
        asked = openiir("ask", run, "--agent", id, "Why?")
        assert asked.code == 0 and name in asked.out
    assert all(persona.name in openiir("ask", run, "--agent", "all", "Why?").out for persona in cast(6))
    assert "did you mean 'finn'" in openiir("show", run, "votes", "--agent", "fin").err


def test_a_fork_has_those_who_joined_before_it(loaded, openiir, tmp_path):
    parent = run_loaded(loaded, tmp_path / "run")
    parent.run.close()
    again = openiir("fork", tmp_path / "run", "--step", 4, "--set", "rounds=4", "--out", tmp_path / "same")
    assert again.content == parent.content
    longer = openiir("fork", tmp_path / "run", "--step", 4, "--set", "rounds=5", "--out", tmp_path / "longer")
    assert longer.code == 0
    assert (
        "Finn Aldous"
        in openiir("show", tmp_path / "longer", "votes", "--format", "json", "--agent", "finn").out
    )
    assert openiir("replay", tmp_path / "longer").content == longer.content


def test_no_checkpoint_forgets_who_left(tmp_path, monkeypatch):
    monkeypatch.setitem(types.AT_HAND, "club", Club)
    silent = offline_study({"type": "club", "config": {"silent": True}}, tmp_path)
    whole = run_loaded(silent, tmp_path / "whole")
    whole.run.close()
    assert run_with_stops(silent, tmp_path / "run", [1, 2, 3], checkpoints=True) == whole.content
