"""A small type for the tests of dialogues: everybody talks with every system named, in a lane of its own."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import Field

from openiir.plugin import (
    Action,
    Agent,
    Draw,
    Interview,
    Lane,
    Log,
    Measure,
    Question,
    Record,
    Scenario,
    Stage,
    Step,
    Surface,
)

WORDS = ("something with boats", "no, shorter", "who plays in it", "is it sad", "the first one then")


class TalkerConfig(Record):
    systems: tuple[str, ...] = ("bot",)
    steps: int = Field(default=1, ge=1, le=10)
    turns: int = Field(default=4, ge=1, le=50)
    """The most turns of a dialogue; one has at least half as many."""
    opened: bool = True
    """Whether the system may speak first."""
    leaves: bool = True
    """Whether a dialogue is left before the next one."""


class Said(Record):
    text: str = Field("", max_length=500)
    ended: bool = False
    fault: str = Field("", max_length=500)


class Words(Record):
    text: str = Field(max_length=100)


@dataclass(frozen=True)
class Say(Question[Said]):
    """What does the system say next?"""

    words: str
    user: str
    history: tuple[str, ...]
    kind: ClassVar[str] = "talker.say"

    def prompt(self) -> str:
        return "\n".join([*self.history, "What do you say next?"])

    def says(self) -> str:
        return self.words

    def read_answer(self, text: str, data: Any, ended: bool, fault: str) -> Mapping[str, Any]:
        return {"text": text, "ended": ended, "fault": fault}

    def request(self) -> Mapping[str, Any]:
        return {"user": self.user}

    def offline(self, draw: Draw) -> Said:
        return Said(text=f"How about number {draw.below(100)}?")


@dataclass(frozen=True)
class Reply(Question[Words]):
    """What do you say to that? (drawn uniformly)"""

    to: str
    kind: ClassVar[str] = "talker.reply"

    def prompt(self) -> str:
        return f"It says: {self.to}\nWhat do you say?"

    def offline(self, draw: Draw) -> Words:
        return Words(text=draw.choose(WORDS))


class Told(Action):
    kind: ClassVar[str] = "talker.told"
    system: str
    text: str
    fault: str


class Talker(Scenario):
    """Dialogues, each in a lane."""

    name: ClassVar[str] = "talker"
    Config: ClassVar[type[Record]] = TalkerConfig

    def actions(self) -> Sequence[type[Action]]:
        return [Told]

    async def schedule(self, stage: Stage) -> AsyncIterator[Step]:
        while stage.step <= stage.config.steps:
            await stage.lanes({agent.id: self._life(stage, agent) for agent in stage.agents})
            yield Step(f"round {stage.step}")

    def _life(self, stage: Stage, agent: Agent) -> Any:
        async def live(lane: Lane) -> None:
            me = Agent.of(agent.persona)
            for name in stage.config.systems:
                await self._talk(stage, lane, me, name)
                if stage.config.leaves:
                    await lane.end_dialogue(f"system:{name}")
            last = await lane.ask(me, Reply("Goodbye."))
            lane.note("talker.end", me.id, {"text": last.text if last else "", "tokens": me.budget.tokens})

        return live

    async def _talk(self, stage: Stage, lane: Lane, me: Agent, name: str) -> None:
        config = stage.config
        length = config.turns - stage.draw("length", agent=me.id, item=name).below(1 + config.turns // 2)
        words, history = "" if config.opened else "hello", []
        for _ in range(length):
            said = await lane.ask(f"system:{name}", Say(words, me.id, tuple(history)))
            if said is None:
                break
            lane.act(me, Told(system=name, text=said.text, fault=said.fault))
            if said.fault or said.ended:
                break
            reply = await lane.ask(me, Reply(said.text))
            words = reply.text if reply else "nothing"
            history += [said.text, words]

    def metrics(self, log: Log) -> Mapping[str, Measure]:
        told = [action for _, action in Told.read(log)]
        return {
            "told": Measure(value=float(len(told))),
            "faults": Measure(value=float(sum(bool(action.fault) for action in told))),
        }

    def surfaces(self) -> Sequence[Surface | Interview]:
        return []
