from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal

import pytest
from pydantic import Field

from openiir.core.asking import PlacedQuestion, Question
from openiir.core.errors import UnusableAnswer
from openiir.core.llm import Reply, Request
from openiir.core.records import Persona, Place, Record
from openiir.core.seeds import Draw
from openiir.core.storage import RunFile


class Vote(Record):
    """Which way, and how surely."""

    side: Literal["for", "against"]
    surely: int = Field(5, ge=0, le=10)
    why: str = Field("", max_length=200)


@dataclass(frozen=True)
class AskVote(Question[Vote]):
    about: str
    kind: ClassVar[str] = "test.vote"

    @property
    def subject(self) -> str:
        return self.about

    def system(self) -> str:
        return "You are the returning officer."

    def prompt(self) -> str:
        return f"Are you for or against {self.about}?"

    def check(self, reply: Vote) -> None:
        if reply.why == self.about:
            raise UnusableAnswer(f"why: give a reason, not {self.about!r} again")

    def offline(self, draw: Draw) -> Vote:
        return Vote(side=draw.choose(("for", "against")), surely=draw.below(11), why="It is so.")


@dataclass
class Scripted:
    """A provider that says what it is told to, and keeps what it was asked."""

    say: Callable[[Request], str]
    asked: list[Request] = field(default_factory=list)
    tokens: int = 10
    """Of each reply."""

    async def complete(self, request: Request) -> Reply:
        self.asked.append(request)
        return Reply(self.say(request), "scripted-1", 100, self.tokens)


@pytest.fixture
def vote() -> type[AskVote]:
    return AskVote


@pytest.fixture
def scripted() -> Callable[..., Scripted]:
    """A provider: given texts says them in turn, given a function asks it."""

    def make(*texts: str, by: Callable[[Request], str] | None = None) -> Scripted:
        left = iter(texts)
        return Scripted(by or (lambda request: next(left)))

    return make


@pytest.fixture
def ada() -> Persona:
    return Persona(id="ada", name="Ada Ng", bio="Runs a library.")


@pytest.fixture
def put(vote: type[AskVote], ada: Persona) -> Callable[..., PlacedQuestion]:
    """Puts the vote about something to Ada, or to a role."""

    def ask(about: str = "fines", persona: Any = ada, ordinal: int = 0) -> PlacedQuestion:
        asker = persona.id if persona else "officer"
        place = Place(lane="main", asker=asker, kind=vote.kind, subject=about, step=1, ordinal=ordinal)
        return PlacedQuestion(
            place, vote(about), persona, Draw(3, vote.kind, agent=asker, item=about, step=1)
        )

    return ask


@pytest.fixture
def new_run(tmp_path: Path) -> Iterator[Callable[[str], RunFile]]:
    """Opens fresh run files, by name."""
    opened: list[RunFile] = []

    def create(name: str = "run") -> RunFile:
        opened.append(RunFile.create(tmp_path / name))
        return opened[-1]

    yield create
    for run in opened:
        run.close()
