"""Small made-up types for the tests of runs: a parlour, dialogues, pages of systems, a village, a crowd.

Found like plug-ins, in the test process and in the processes that tests start; `register` makes them known.
"""

import math
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from openiir.plugin import (
    Action,
    Agent,
    ClaimSource,
    Count,
    Draw,
    EpisodicMemory,
    InputError,
    Interview,
    Measure,
    Question,
    Record,
    Scenario,
    Stars,
    Step,
    Surface,
    Table,
    hour_of_day,
    quantise,
)
from openiir.runs import types


def register(*names, patch=None):
    """Register small types beside the installed ones; for one test if it gives its monkeypatch."""
    known = [
        *types._entries(),
        *(EntryPoint(name, f"{__name__}:{name.title()}", types.GROUP) for name in names),
    ]
    (patch.setattr if patch else setattr)(types, "_entries", lambda: known)


class SmallType(Scenario):
    """A type without actions and views."""

    def actions(self):
        return []

    def surfaces(self):
        return []


# Parlour


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

    def prompt(self):
        return (
            f"The fire stands at {self.warmth}. You said {self.before} before. How warm is it, from 0 to 10?"
        )

    def offline(self, draw):
        return Rating(score=min(10, int(draw.below(6)) + round(5 * self.warmth)))


@dataclass(frozen=True)
class Remark(Question[Words]):
    """What do you say? (drawn uniformly from a few sentences)"""

    passages: tuple[str, ...]
    heard: str
    kind: ClassVar[str] = "parlour.remark"

    def prompt(self):
        return "You read:\n" + "\n".join(self.passages) + f"\nYou heard: {self.heard}\nWhat do you say?"

    def offline(self, draw):
        return Words(text=f"I say that {WORDS[draw.below(len(WORDS))]}, because {self.passages[0]}"[:300])


class Spoke(Action):
    kind = "parlour.spoke"
    text: str


class Parlour(Scenario):
    """Personas sit together, rate the fire and remark on what they read."""

    name = "parlour"
    Config = ParlourConfig
    structural = frozenset({"steps"})

    def actions(self):
        return [Spoke]

    async def schedule(self, stage):
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

    def _life(self, stage, agent, heard):
        async def live(lane):
            hits = await lane.lookup(agent, heard, 2)
            passages = tuple(hit.chunk.text for hit in hits) or ("nothing",)
            first = await lane.ask(agent, Remark(passages, heard))
            if first is None:
                return None
            second = await lane.ask(agent, Remark(passages, first.text))
            return (second or first).text

        return live

    def metrics(self, log):
        rows = log.table("ratings")
        return {
            "warmth.mean": Measure(value=sum(r["score"] for r in rows) / len(rows)),
            "warmth.none": Measure(value=math.nan, reason="it is not measured"),
        }

    def surfaces(self):
        return [
            Surface("ratings", "table", "How warm it was", _ratings),
            Interview("chat", "Ask a guest", _question, lambda log, agent: []),
        ]


def _ratings(log, since=0):
    rows = log.table("ratings", since=since)
    return Table(columns=("agent", "score"), rows=tuple((r["agent"], r["score"]) for r in rows))


def _question(log, persona, text):
    spoken = [action.text for _, action in Spoke.read(log, actor=persona.id)]
    return Remark(tuple(spoken) or ("nothing",), text)


# Dialogues, in a lane each


REPLIES = ("something with boats", "no, shorter", "who plays in it", "is it sad", "the first one then")


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


@dataclass(frozen=True)
class Say(Question[Said]):
    """What does the system say next?"""

    words: str
    user: str
    history: tuple[str, ...]
    kind: ClassVar[str] = "talker.say"

    def prompt(self):
        return "\n".join([*self.history, "What do you say next?"])

    def says(self):
        return self.words

    def read_answer(self, text, data, ended, fault):
        return {"text": text, "ended": ended, "fault": fault}

    def request(self):
        return {"user": self.user}

    def offline(self, draw):
        return Said(text=f"How about number {draw.below(100)}?")


@dataclass(frozen=True)
class Reply(Question[Words]):
    """What do you say to that? (drawn uniformly)"""

    to: str
    kind: ClassVar[str] = "talker.reply"

    def prompt(self):
        return f"It says: {self.to}\nWhat do you say?"

    def offline(self, draw):
        return Words(text=draw.choose(REPLIES))


class Told(Action):
    kind = "talker.told"
    system: str
    text: str
    fault: str


class Talker(SmallType):
    """Dialogues, each in a lane."""

    name = "talker"
    Config = TalkerConfig

    def actions(self):
        return [Told]

    async def schedule(self, stage):
        while stage.step <= stage.config.steps:
            await stage.lanes({agent.id: self._life(stage, agent) for agent in stage.agents})
            yield Step(f"round {stage.step}")

    def _life(self, stage, agent):
        async def live(lane):
            me = Agent.of(agent.persona)
            for name in stage.config.systems:
                await self._talk(stage, lane, me, name)
                if stage.config.leaves:
                    await lane.end_dialogue(f"system:{name}")
            last = await lane.ask(me, Reply("Goodbye."))
            lane.note("talker.end", me.id, {"text": last.text if last else "", "tokens": me.budget.tokens})

        return live

    async def _talk(self, stage, lane, me, name):
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

    def metrics(self, log):
        told = [action for _, action in Told.read(log)]
        return {
            "told": Measure(value=float(len(told))),
            "faults": Measure(value=float(sum(bool(action.fault) for action in told))),
        }


# Pages of systems that are asked in their own name


class CounterConfig(Record):
    systems: tuple[str, ...] = ("left", "right")
    pages: int = Field(default=2, ge=1, le=10)
    shown: int = Field(default=3, ge=1, le=10)


class Recommended(Record):
    items: tuple[Annotated[str, Field(max_length=64)], ...] = Field(max_length=10)


@dataclass(frozen=True)
class Page(Question[Recommended]):
    """Which items come next? (offline: the first ones)"""

    user: str
    n: Count
    seen: tuple[str, ...]
    kind: ClassVar[str] = "counter.page"

    def prompt(self):
        return f"Recommend {self.n} items to {self.user}, who has seen {', '.join(self.seen) or 'nothing'}."

    def request(self):
        return {"user": self.user, "n": self.n, "seen": self.seen}

    def offline(self, draw):
        return Recommended(items=tuple(str(n) for n in range(self.n)))


class Counter(SmallType):
    """Every visitor is shown pages by every system, one after the other."""

    name = "counter"
    Config = CounterConfig

    async def schedule(self, stage):
        while stage.step <= stage.config.pages:
            lives = {
                f"{agent.id}@{name}": self._visit(stage, agent, name)
                for agent in stage.agents
                for name in stage.config.systems
            }
            await stage.lanes(lives)
            yield Step(f"page {stage.step}")

    def _visit(self, stage, agent, name):
        async def live(lane):
            page = Page(agent.id, stage.config.shown, tuple(f"old-{n}" for n in range(stage.step - 1)))
            got = await lane.ask(f"system:{name}", page)
            lane.row(
                "pages",
                agent=agent.id,
                system=name,
                step=stage.step,
                items=",".join(got.items if got else ()),
            )

        return live

    def metrics(self, log):
        return {"pages": Measure(value=float(len(log.table("pages"))))}


# A cast that talks and remembers, beside a crowd


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

    def prompt(self):
        return (
            f"It is {self.hour} o'clock. You remember: {'; '.join(self.remembered) or 'nothing'}. What do "
            "you say?"
        )

    def offline(self, draw):
        opening = OPENINGS[draw.below(len(OPENINGS))]
        return Spoken(text=f"{opening}, because of {len(self.remembered)} things said at {self.hour}.")


class Talked(Action):
    kind = "village.talked"
    text: str


class Village(SmallType):
    """Every round the cast talks, and each user of the crowd moves towards another one."""

    name = "village"
    Config = VillageConfig
    structural = frozenset({"users"})
    events = {"flood": Flood, "speech": Speech}
    remembers = True
    executed: ClassVar[list[int]] = []
    """Rounds that this process worked through."""
    forgets: ClassVar[bool] = False
    """Whether the type is wrong, and keeps no memories."""

    def actions(self):
        return [Talked]

    def planned_steps(self, config):
        return [f"round {n}" for n in range(1, config.rounds + 1)]

    def check_events(self, config, events, personas):
        known = {persona.id for persona in personas}
        for _, event in events:
            if isinstance(event, Speech) and event.speaker not in known:
                raise InputError(f"speaker = {event.speaker!r} is no persona of this study")

    async def schedule(self, stage):
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
            opinions = self._hear(stage, users, opinions)
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

    def _hear(self, stage, users, before):
        after, draw = np.empty_like(before), stage.draw("village.heard")

        def move(part):
            heard = (draw.uniform(agent=users[part]) * len(users)).astype(np.int64)
            after[part] = quantise(before[part] + stage.config.mu * (before[heard] - before[part]))

        stage.crowd(len(users)).each(move)
        return after

    async def _say(self, stage, memories, id, text):
        stage.act(stage.agent(id), Talked(text=text))
        number = sum(len(memory) for memory in memories.values()) + 1_000 * stage.step
        found = await stage.extract(ClaimSource(text=text, speaker=id, number=number, topic=TOPIC))
        for memory in memories.values():
            memory.store(text, step=stage.step, claims=[claim.id for claim in found])

    def metrics(self, log):
        return {"mean": Measure(float(log.columns("opinions", ["opinion"])["opinion"].mean()))}
