"""A small type for the tests of time, events and checkpoints:
a cast that talks and remembers, beside a crowd."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from openiir.plugin import (
    Action,
    ClaimSource,
    Count,
    Draw,
    EpisodicMemory,
    InputError,
    Interview,
    Log,
    Measure,
    Persona,
    Question,
    Record,
    Scenario,
    Stage,
    Step,
    Surface,
    hour_of_day,
    quantise,
)

TOPIC = "The harbour should be dredged every spring."
OPENINGS = (
    "Dredging the harbour costs the town too much",
    "A dredged harbour loses fewer boats",
    "Nobody knows",
)


class VillageConfig(Record):
    users: int = Field(200, ge=1)
    rounds: int = Field(6, ge=1, le=1_000)
    minutes: int = Field(300, ge=1)
    """Simulated minutes that a round lasts."""
    mu: float = Field(0.3, ge=0, le=1)


class Flood(Record):
    """Water that moves the opinion of everybody."""

    height: float = Field(ge=0, le=9)
    message: str = "the quay is under water"


class Speech(Record):
    """A member of the cast says something that it was not asked for."""

    speaker: str
    text: str = Field(max_length=300)


class Spoken(Record):
    text: str = Field(max_length=300)


@dataclass(frozen=True)
class Talk(Question[Spoken]):
    """What do you say? (drawn uniformly, with the number of memories)"""

    hour: Count
    remembered: tuple[str, ...]
    kind: ClassVar[str] = "village.talk"

    def prompt(self) -> str:
        return (
            f"It is {self.hour} o'clock. You remember: {'; '.join(self.remembered) or 'nothing'}. What do "
            "you say?"
        )

    def offline(self, draw: Draw) -> Spoken:
        opening = OPENINGS[draw.below(len(OPENINGS))]
        return Spoken(text=f"{opening}, because of {len(self.remembered)} things said at {self.hour}.")


class Talked(Action):
    kind: ClassVar[str] = "village.talked"
    text: str


class Village(Scenario):
    """Every round the cast talks, and each user of the crowd moves towards another one."""

    name: ClassVar[str] = "village"
    Config: ClassVar[type[Record]] = VillageConfig
    structural: ClassVar[frozenset[str]] = frozenset({"users"})
    events: ClassVar[Mapping[str, type[Record]]] = {"flood": Flood, "speech": Speech}
    remembers: ClassVar[bool] = True
    executed: ClassVar[list[int]] = []
    """Rounds that this process worked through."""
    forgets: ClassVar[bool] = False
    """Whether the type is wrong, and keeps no memories."""

    def actions(self) -> Sequence[type[Action]]:
        return [Talked]

    def planned_steps(self, config: Any) -> Sequence[str]:
        return [f"round {n}" for n in range(1, config.rounds + 1)]

    def check_events(
        self, config: Any, events: Sequence[tuple[int, Record]], personas: Sequence[Persona]
    ) -> None:
        known = {persona.id for persona in personas}
        for _, event in events:
            if isinstance(event, Speech) and event.speaker not in known:
                raise InputError(f"speaker = {event.speaker!r} is no persona of this study")

    async def schedule(self, stage: Stage) -> AsyncIterator[Step]:
        users = np.arange(stage.config.users)
        memories = {agent.id: EpisodicMemory("window:5") for agent in stage.agents}
        opinions = np.asarray(Draw(stage.answering.seed, "village.start").uniform(agent=users))
        if stage.restored is not None:
            opinions = stage.restored["opinions"].copy()
        await stage.restore_memories({} if self.forgets else memories)
        while stage.step <= stage.config.rounds:
            self.executed.append(stage.step)
            for event in stage.events:
                if isinstance(event, Flood):
                    opinions = quantise(np.minimum(1.0, opinions + event.height / 10))
                    stage.row("floods", step=stage.step, message=event.message)
                elif isinstance(event, Speech):
                    await self._say(stage, memories, event.speaker, event.text)
            heard = (stage.draw("village.heard").uniform(agent=users) * len(users)).astype(np.int64)
            opinions = quantise(opinions + stage.config.mu * (opinions[heard] - opinions))
            stage.columns("opinions", {"user": users, "opinion": opinions})
            hour = int(hour_of_day(stage.clock))
            batch = [
                (agent, Talk(hour, tuple(one.text for one in memories[agent.id])[-5:]))
                for agent in stage.agents
            ]
            for (agent, _), reply in zip(batch, await stage.ask_all(batch), strict=True):
                if reply is not None:
                    await self._say(stage, memories, agent.id, reply.text)
            stage.keep({} if self.forgets else memories, opinions=opinions)
            yield Step(f"round {stage.step}", at=stage.clock + stage.config.minutes)

    async def _say(self, stage: Stage, memories: Mapping[str, EpisodicMemory], id: str, text: str) -> None:
        stage.act(stage.agent(id), Talked(text=text))
        number = sum(len(memory) for memory in memories.values()) + 1_000 * stage.step
        found = await stage.extract(ClaimSource(text=text, speaker=id, number=number, topic=TOPIC))
        for memory in memories.values():
            memory.store(text, step=stage.step, claims=[claim.id for claim in found])

    def metrics(self, log: Log) -> Mapping[str, Measure]:
        return {"mean": Measure(float(log.columns("opinions", ["opinion"])["opinion"].mean()))}

    def surfaces(self) -> Sequence[Surface | Interview]:
        return []
