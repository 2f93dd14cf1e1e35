import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal

import pytest
from pydantic import Field

from openiir.core.agents import Agent, AnswerRouter, Knowledge, Lane
from openiir.core.asking import (
    Answer,
    AnswererChoice,
    Ledger,
    ModelAnswerer,
    OfflineAnswerer,
    PlacedQuestion,
    Question,
)
from openiir.core.llm import Reply, Request, Sampling
from openiir.core.records import Persona, Record
from openiir.core.seeds import Draw
from openiir.core.storage import RunFile


class Liking(Record):
    """How well a thing is liked."""

    pick: Literal["red", "green", "blue"]
    level: int = Field(ge=0, le=100)
    why: str = Field("", max_length=200)


@dataclass(frozen=True)
class Like(Question[Liking]):
    """Asks for a colour; its offline answers can be had one by one or as arrays."""

    about: str
    kind: ClassVar[str] = "test.like"
    batches: ClassVar[list[int]] = []

    @property
    def subject(self) -> str:
        return self.about

    def prompt(self) -> str:
        return f"Which colour for {self.about}?"

    def offline(self, draw: Draw) -> Liking:
        return Liking(pick=draw.choose(("red", "green", "blue")), level=draw.at("level").below(101))

    @classmethod
    def offline_all(cls, questions: Sequence["Like"], draws: Sequence[Draw]) -> list[Liking]:  # type: ignore[override]
        cls.batches.append(len(questions))
        return [question.offline(draw) for question, draw in zip(questions, draws, strict=True)]


def liking(request: Request) -> str:
    """A reply that is a function of the request."""
    number = sum(map(ord, request.messages[-1].text)) + request.sampling.seed
    return json.dumps({"pick": ("red", "green", "blue")[number % 3], "level": number % 101})


@dataclass
class Crossing:
    """A provider whose replies arrive in the order given, whatever the order they were asked in."""

    order: Callable[[int], float] = float
    say: Callable[[Request], str] = liking
    asked: list[Request] = field(default_factory=list)
    home: list[int] = field(default_factory=list)

    async def complete(self, request: Request) -> Reply:
        self.asked.append(request)
        number = len(self.asked) - 1
        for _ in range(int(self.order(number))):
            await asyncio.sleep(0)
        self.home.append(number)
        return Reply(self.say(request), "crossing", 50, 7)


@dataclass
class Scene:
    """A lane with all around it."""

    lane: Lane
    ledger: Ledger
    provider: Crossing
    answering: AnswerRouter

    def ask_all(self, batch: Sequence[tuple[Agent | str, Question[Any]]]) -> list[Any]:
        return asyncio.run(self.lane.ask_all(batch))

    def events(self, kind: str) -> list[tuple[str | None, dict[str, Any]]]:
        return [(actor, json.loads(body)) for _, name, actor, body in self.lane.rows.events if name == kind]


class Echo:
    """An answerer that says what it is given to say, and keeps what it was asked."""

    name = label = "human"
    waits = True

    def __init__(self, reply: Record | None, tokens: int) -> None:
        self.reply, self.tokens = reply, tokens
        self.asked: list[PlacedQuestion] = []

    async def answer(self, asked: PlacedQuestion) -> Answer:
        self.asked.append(asked)
        return Answer(self.reply, self.name, self.tokens, failure=None if self.reply else "said nothing")


@pytest.fixture
def like() -> type[Like]:
    Like.batches.clear()
    return Like


@pytest.fixture
def liked() -> type[Liking]:
    return Liking


@pytest.fixture
def echo() -> type[Echo]:
    return Echo


@pytest.fixture
def agent() -> Callable[..., Agent]:
    def make(name: str = "ada", key: Any = None, **more: Any) -> Agent:
        return Agent.of(Persona(id=name, name=name.title(), bio="Paints.", **more), key)

    return make


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Callable[..., Scene]]:
    """Sets a lane up: who answers, a provider, the run that is recorded to."""
    opened: list[RunFile] = []

    def make(
        choice: AnswererChoice | None = None,
        provider: Crossing | None = None,
        run: RunFile | None = None,
        **others: Any,
    ) -> Scene:
        if run is None:
            run = RunFile.create(tmp_path / f"run-{len(opened)}")
            opened.append(run)
        provider = provider or Crossing()
        ledger = Ledger(run)
        answerers = {
            "offline": OfflineAnswerer(),
            "model": ModelAnswerer(ledger, provider, "m", Sampling()),
            **others,
        }
        answering = AnswerRouter(5, choice or AnswererChoice(), answerers)
        lane = Lane("main", answering, Knowledge({}, ledger, None))
        lane.begin(1)
        return Scene(lane, ledger, provider, answering)

    yield make
    for run in opened:
        run.close()


@pytest.fixture
def crossing() -> type[Crossing]:
    return Crossing


@pytest.fixture
def says() -> Callable[[Request], str]:
    return liking
