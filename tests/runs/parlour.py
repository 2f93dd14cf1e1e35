"""A small type for the tests of runs: every step a batch of questions, a lane a persona, claims, rows, an
action.

It is loaded by its path, in the test process and in the processes that tests start.
"""

import math
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import Field

from openiir.plugin import (
    Action,
    Agent,
    ClaimSource,
    Count,
    Draw,
    Interview,
    Lane,
    Log,
    Measure,
    Persona,
    Question,
    Record,
    Scenario,
    Stage,
    Stars,
    Step,
    Surface,
    Table,
)

WORDS = (
    "boats are late",
    "the harbour is calm",
    "nobody reads the tide table",
    "ropes should be checked daily",
)


class ParlourConfig(Record):
    topic: str = "Ropes should be checked every day"
    steps: int = Field(4, ge=1, le=100)
    warmth: float = Field(0.5, ge=0, le=1)
    free: float = 0.0
    """A number without bounds."""


class Rating(Record):
    score: int = Field(ge=0, le=10)


class Words(Record):
    text: str = Field(min_length=1, max_length=300)


@dataclass(frozen=True)
class Rate(Question[Rating]):
    """How warm is it? (drawn uniformly)"""

    warmth: Stars
    before: Count
    kind: ClassVar[str] = "parlour.rate"

    def prompt(self) -> str:
        return (
            f"The fire stands at {self.warmth}. You said {self.before} before. How warm is it, from 0 to 10?"
        )

    def offline(self, draw: Draw) -> Rating:
        return Rating(score=min(10, int(draw.below(6)) + round(5 * self.warmth)))


@dataclass(frozen=True)
class Remark(Question[Words]):
    """What do you say? (drawn uniformly from a few sentences)"""

    passages: tuple[str, ...]
    heard: str
    kind: ClassVar[str] = "parlour.remark"

    def prompt(self) -> str:
        return "You read:\n" + "\n".join(self.passages) + f"\nYou heard: {self.heard}\nWhat do you say?"

    def offline(self, draw: Draw) -> Words:
        return Words(text=f"I say that {WORDS[draw.below(len(WORDS))]}, because {self.passages[0]}"[:300])


class Spoke(Action):
    kind: ClassVar[str] = "parlour.spoke"
    text: str


class Parlour(Scenario):
    """Personas sit together, rate the fire and remark on what they read."""

    name: ClassVar[str] = "parlour"
    Config: ClassVar[type[Record]] = ParlourConfig
    structural: ClassVar[frozenset[str]] = frozenset({"steps"})

    def actions(self) -> Sequence[type[Action]]:
        return [Spoke]

    async def schedule(self, stage: Stage) -> AsyncIterator[Step]:
        scores = {agent.id: 0 for agent in stage.agents}
        heard, number = "nothing yet", 0
        while stage.step <= stage.config.steps:
            batch = [(agent, Rate(stage.config.warmth, scores[agent.id])) for agent in stage.agents]
            for agent, rating in zip(stage.agents, await stage.ask_all(batch), strict=True):
                scores[agent.id] = rating.score if rating else -1
                stage.row("ratings", agent=agent.id, step=stage.step, score=scores[agent.id])
            said = await stage.lanes({a.id: self._life(stage, a, heard) for a in stage.agents})
            for agent in stage.agents:
                text = said[agent.id]
                if text is not None:
                    number += 1
                    stage.act(agent, Spoke(text=text))
                    heard = text
            await stage.extract(
                ClaimSource(text=heard, speaker="all", number=number, topic=stage.config.topic)
            )
            stage.row("steps", step=stage.step, mean=sum(scores.values()) / len(scores))
            yield Step(f"evening {stage.step}")

    def _life(self, stage: Stage, agent: Agent, heard: str) -> Any:
        async def live(lane: Lane) -> str | None:
            hits = await lane.lookup(agent, heard, 2)
            passages = tuple(hit.chunk.text for hit in hits) or ("nothing",)
            first = await lane.ask(agent, Remark(passages, heard))
            if first is None:
                return None
            second = await lane.ask(agent, Remark(passages, first.text))
            return (second or first).text

        return live

    def metrics(self, log: Log) -> Mapping[str, Measure]:
        rows = log.table("ratings")
        return {
            "warmth.mean": Measure(value=sum(r["score"] for r in rows) / len(rows)),
            "warmth.none": Measure(value=math.nan, reason="it is not measured"),
        }

    def surfaces(self) -> Sequence[Surface | Interview]:
        return [
            Surface("ratings", "table", "How warm it was", _ratings),
            Interview("chat", "Ask a guest", _question, lambda log, agent: []),
        ]


def _ratings(log: Log, since: int = 0) -> Table:
    rows = log.table("ratings", since=since)
    return Table(columns=("agent", "score"), rows=tuple((r["agent"], r["score"]) for r in rows))


def _question(log: Log, persona: Persona, text: str) -> Question[Any]:
    spoken = [action.text for _, action in Spoke.read(log, actor=persona.id)]
    return Remark(tuple(spoken) or ("nothing",), text)
