"""A small type with a crowd for the tests of checkpoints:
users in columns who drift towards what they hear."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from pydantic import Field

from openiir.plugin import (
    Action,
    Draw,
    Interview,
    Log,
    Measure,
    Question,
    Record,
    Scenario,
    Stage,
    Step,
    Surface,
    quantise,
)


class CommonsConfig(Record):
    users: int = Field(50, ge=1)
    weeks: int = Field(5, ge=1, le=100)
    mu: float = Field(0.3, ge=0, le=1)
    poll: int = 0
    """The week in which the cast is asked; 0 for none."""


class Mood(Record):
    value: int = Field(ge=0, le=10)


@dataclass(frozen=True)
class Poll(Question[Mood]):
    """How is it? (drawn uniformly)"""

    kind: ClassVar[str] = "commons.poll"

    def prompt(self) -> str:
        return "How is it, from 0 to 10?"

    def offline(self, draw: Draw) -> Mood:
        return Mood(value=draw.below(11))


class Commons(Scenario):
    """Every week each user hears somebody and moves towards them."""

    name: ClassVar[str] = "commons"
    Config: ClassVar[type[Record]] = CommonsConfig
    structural: ClassVar[frozenset[str]] = frozenset({"users"})
    executed: ClassVar[list[int]] = []
    """Weeks that this process worked through."""

    def actions(self) -> Sequence[type[Action]]:
        return []

    async def schedule(self, stage: Stage) -> AsyncIterator[Step]:
        users = np.arange(stage.config.users)
        crowd = stage.crowd(len(users))
        if stage.restored is not None:
            opinions = stage.restored["opinions"].copy()
        else:
            opinions = np.asarray(Draw(stage.answering.seed, "commons.start").uniform(agent=users))
        while stage.step <= stage.config.weeks:
            self.executed.append(stage.step)
            heard = np.empty_like(users)
            before, speakers, mu = opinions.copy(), stage.draw("commons.speaker"), stage.config.mu

            def hear(part: slice) -> None:
                heard[part] = (speakers.uniform(agent=users[part]) * len(users)).astype(np.int64)  # noqa: B023
                moved = before[part] + mu * (before[heard[part]] - before[part])  # noqa: B023
                opinions[part] = quantise(moved)

            crowd.each(hear)
            week = np.full(len(users), stage.step, np.int16)
            stage.columns("opinions", {"week": week, "user": users, "heard": heard, "opinion": opinions})
            stage.row("weeks", week=stage.step, mean=float(quantise(opinions.mean())), mu=mu)
            if stage.step == stage.config.poll:
                await stage.ask_all([(agent, Poll()) for agent in stage.agents])
            stage.keep(opinions=opinions)
            yield Step(f"week {stage.step}")

    def metrics(self, log: Log) -> Mapping[str, Measure]:
        return {"spread": Measure(value=float(log.columns("opinions", ["opinion"])["opinion"].std()))}

    def surfaces(self) -> Sequence[Surface | Interview]:
        return []
