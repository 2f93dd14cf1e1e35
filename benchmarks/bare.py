"""A minimal type of study whose agents answer one small question over and over, with model servers for it and
plain clients to compare with. Not a benchmark itself.
"""

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal
from unittest.mock import patch
from urllib.parse import urlsplit

import aiohttp
import tomli_w
from pydantic import Field

from measuring import Spent, prepare_study, spend
from openiir.core.llm import Endpoint, Reply, Request
from openiir.core.storage import RunFile
from openiir.plugin import Action, Count, Draw, Log, Measure, Question, Record, Scenario, Stage, Step, Surface
from openiir.runs.settings import Settings
from openiir.runs.types import AT_HAND


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
    """Number of questions, and of those asked concurrently in a step."""

    calls: int = Field(ge=1)
    batch: int = Field(ge=1)


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


AT_HAND["bare"] = Bare


def prepare_bare(folder: Path, calls: int, batch: int, settings: Settings) -> RunFile:
    """Prepare a run of so many calls, answered by the model of the settings."""
    reader = {"bio": "Borrows from the city library.", "tokens": 10_000_000}
    people = [{"id": f"p{n:02}", "name": f"Reader {n}", **reader} for n in range(50)]
    (folder.parent / "people.toml").write_text(tomli_w.dumps({"persona": people}))
    model = {"answers": "model", "model": {"name": "standin", "max_tokens": 100}}
    config = {"calls": calls, "batch": batch}
    return prepare_study(
        {"type": "bare", "personas": "people.toml", **model, "config": config}, folder, settings
    )


class InProcess:
    """Model client that answers at once in this process; replaces the client made by `connect`."""

    async def complete(self, request: Request) -> Reply:
        text = '{"stance":"for","certainty":7,"because":"New books are asked for most."}'
        return Reply(text, "in-process", 80, 20)

    async def __aenter__(self) -> "InProcess":
        return self

    async def __aexit__(self, *_: object) -> None:
        return None


@contextmanager
def in_process() -> Iterator[Settings]:
    """Context manager for settings whose model is answered in this process."""
    with patch("openiir.runs.settings.connect", lambda *endpoints, **beside: InProcess()):
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


Bodies = Sequence[Mapping[str, Any]]
"""Bodies of requests that are posted one after the other."""


def rebuild_bodies(folder: Path) -> Bodies:
    """Rebuild the HTTP request bodies of a finished run's model calls."""
    with RunFile.open(folder) as run:
        return [_rebuild_body(json.loads(call.request)) for call in run.calls()]


def _rebuild_body(request: Mapping[str, Any]) -> dict[str, Any]:
    schema = {"name": request["schema_name"], "schema": request["schema"], "strict": True}
    return {
        "model": request["model"],
        "messages": [{"role": m["role"], "content": m["text"]} for m in request["messages"]],
        **{name: request["sampling"][name] for name in ("temperature", "max_tokens", "seed")},
        "response_format": {"type": "json_schema", "json_schema": schema},
    }


async def post_by_aiohttp(url: str, sessions: Iterable[Bodies], width: int) -> None:
    """Post the bodies of some sessions at a time by aiohttp alone, with a client each; read the JSON."""
    left = iter(sessions)
    async with aiohttp.TCPConnector(limit=0) as connections:

        async def work() -> None:
            for bodies in left:
                async with aiohttp.ClientSession(connector=connections, connector_owner=False) as client:
                    for body in bodies:
                        async with client.post(url, json=body) as answer:
                            assert await answer.json()

        await asyncio.gather(*(work() for _ in range(width)))


async def post_by_sockets(url: str, sessions: Iterable[Bodies], width: int) -> None:
    """Post the same over raw sockets, which shows what server and machine allow."""
    parts = urlsplit(url)
    left = iter([[json.dumps(body).encode() for body in bodies] for bodies in sessions])

    async def work() -> None:
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
        for bodies in left:
            for body in bodies:
                writer.write(f"POST {parts.path} HTTP/1.1\r\nContent-Length: {len(body)}\r\n\r\n".encode())
                writer.write(body)
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                await reader.readexactly(int(head.split(b"content-length: ")[1].split(b"\r\n")[0]))
        writer.close()

    await asyncio.gather(*(work() for _ in range(width)))


def time_posting(
    post: Callable[[str, Iterable[Bodies], int], Coroutine[Any, Any, None]],
    url: str,
    sessions: Iterable[Bodies],
    width: int,
) -> Spent:
    """Measure one of these clients."""
    return spend(lambda: asyncio.run(post(url, sessions, width)))
