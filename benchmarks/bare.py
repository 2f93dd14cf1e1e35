"""A minimal study for other benchmarks: agents that answer one small question over and over. Not a benchmark
itself."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal
from unittest.mock import patch

from pydantic import Field

from openiir.core.llm import Endpoint, Reply, Request
from openiir.core.storage import RunFile
from openiir.plugin import (
    Action,
    Count,
    Draw,
    Log,
    Measure,
    Question,
    Record,
    Scenario,
    Stage,
    Step,
    Surface,
)
from openiir.runs.engine import Silent, drive
from openiir.runs.prepare import prepare_run
from openiir.runs.settings import Settings
from openiir.runs.study import load_study

ENTRY = "[openiir.types]\nbare = bare:Bare\n"
STUDY = """
type = "bare"
name = "bare"
seed = 1
answers = "model"
personas = "personas.toml"

[model]
name = "standin"
max_tokens = 100

[config]
calls = {calls}
batch = {batch}
"""


class Opinion(Record):
    """Reply to the question: a stance with certainty and reason."""

    stance: Literal["for", "against", "undecided"]
    certainty: int = Field(ge=0, le=10)
    because: str = Field(max_length=120)


@dataclass(frozen=True)
class Ask(Question[Opinion]):
    """Question about ranking newer books first."""

    number: Count
    kind: ClassVar[str] = "bare.opinion"

    @property
    def subject(self) -> str:
        return f"q{self.number}"

    def prompt(self) -> str:
        asked = "should a library's search rank newer books first? Say why in a sentence."
        return f"Question {self.number}: {asked}"

    def offline(self, draw: Draw) -> Opinion:
        return Opinion(stance="undecided", certainty=draw.below(11), because="It depends on the reader.")


class BareConfig(Record):
    """Number of questions, and questions per step."""

    calls: int = Field(ge=1)
    batch: int = Field(ge=1)
    """Questions per step, asked concurrently."""


class Bare(Scenario):
    """Scenario whose steps ask questions and do nothing else."""

    name = "bare"
    Config = BareConfig

    def actions(self) -> Sequence[type[Action]]:
        return ()

    async def schedule(self, stage: Stage) -> AsyncIterator[Step]:
        for start in range(0, stage.config.calls, stage.config.batch):
            numbers = range(start, min(start + stage.config.batch, stage.config.calls))
            await stage.ask_all([(stage.agents[n % len(stage.agents)], Ask(n)) for n in numbers])
            yield Step(f"questions {numbers[0]} to {numbers[-1]}")

    def metrics(self, log: Log) -> Mapping[str, Measure]:
        return {"asked": Measure(float(sum(1 for _ in log.events("asked"))))}

    def surfaces(self) -> Sequence[Surface]:
        return ()


def register(folder: Path) -> None:
    """Register the scenario as an installed plug-in, by an entry point on the path."""
    info = folder / "bare-0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: bare\nVersion: 0\n")
    (info / "entry_points.txt").write_text(ENTRY)
    sys.path.insert(0, str(folder))


def declare(folder: Path, calls: int, batch: int, settings: Settings) -> RunFile:
    """Prepare a new run with this many calls below `folder`."""
    number = sum(1 for _ in folder.glob("run-*"))
    (folder / "study.toml").write_text(STUDY.format(calls=calls, batch=batch))
    people = [
        f'[[persona]]\nid = "p{n:02}"\nname = "Reader {n}"\nbio = "Borrows from the city library."\ntokens = '
        f"10000000\n"
        for n in range(50)
    ]
    (folder / "personas.toml").write_text("\n".join(people))
    return prepare_run(load_study(str(folder / "study.toml")), folder / f"run-{number}", settings)


def run(folder: Path, calls: int, batch: int, settings: Settings) -> Path:
    """Prepare a new run and drive it to its end; return its folder."""
    with declare(folder, calls, batch, settings) as fresh:
        asyncio.run(drive(fresh, settings, Silent()))
        return fresh.folder


class InProcess:
    """Model client that answers at once in this process; replaces the client made by `connect`."""

    async def complete(self, request: Request) -> Reply:
        return Reply(
            '{"stance":"for","certainty":7,"because":"New books are asked for most."}', "in-process", 80, 20
        )

    async def __aenter__(self) -> "InProcess":
        return self

    async def __aexit__(self, *_: object) -> None:
        return None


@contextmanager
def in_process() -> Iterator[Settings]:
    """Context manager for settings whose model is answered in this process."""
    with patch("openiir.runs.build.connect", lambda *endpoints, tell=None: InProcess()):
        yield Settings(endpoint=Endpoint(url="http://localhost:9/v1"))


@contextmanager
def standin(latency: float) -> Iterator[str]:
    """Context manager that starts a stand-in model server in its own process and yields its URL."""
    command = [sys.executable, "-m", "openiir.testing.standin", "--latency", str(latency)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
        finally:
            process.terminate()
