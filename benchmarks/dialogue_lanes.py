"""Wall time of concurrent dialogues with a system of 20 ms latency, compared with the ideal and with raw
sockets.

    python benchmarks/dialogue_lanes.py [--dialogues 200] [--repeats 5]

A study holds 200 dialogues of 4 to 12 turns, 32 at a time, with an HTTP system in another process. The ideal
is its latency, opening requests included, over 32, or the longest dialogue where that is more. No order of
the dialogues is known to be best before they are held, so the last ones leave some of the 32 idle: the time
of the same dialogues taken as they come, each at once when another ends, is beside it, and so are raw
sockets, and aiohttp with a client for each dialogue over shared connections, that do just that and keep
nothing.
"""

import argparse
import asyncio
import heapq
import json
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, ClassVar
from urllib.parse import urlsplit

import aiohttp
from pydantic import Field

from openiir.plugin import (
    Action,
    Draw,
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
from openiir.runs.engine import Silent, drive
from openiir.runs.prepare import prepare_run
from openiir.runs.settings import Settings
from openiir.runs.study import load_study

WIDTH = 32
SECONDS = 0.02
FEWEST, MOST = 4, 12
ENTRY = "[openiir.types]\ndialogue_lanes = dialogue_lanes:Talks\n"
STUDY = """
type = "dialogue_lanes"
name = "talks"
seed = 1
personas = "people.toml"

[system.bot]
connector = "http"
url = "{url}/turn"
request = {{ session = "{{session}}", text = "{{text}}" }}
response = "say"

[system.bot.open]
url = "{url}/open"
request = {{ session = "{{session}}" }}

[config]
dialogues = {dialogues}
"""


class Said(Record):
    text: str = Field("", max_length=200)
    fault: str = Field("", max_length=500)


@dataclass(frozen=True)
class Say(Question[Said]):
    """Question to the system under test: its next words."""

    words: str
    kind: ClassVar[str] = "talks.say"

    def prompt(self) -> str:
        return f"What do you say to {self.words!r}?"

    def says(self) -> str:
        return self.words

    def read_answer(self, text: str, data: Any, ended: bool, fault: str) -> Mapping[str, Any]:
        return {"text": text, "fault": fault}

    def offline(self, draw: Draw) -> Said:
        return Said(text="Yes.")


class Told(Action):
    """Event with the system's words."""

    kind: ClassVar[str] = "talks.told"
    text: str


class TalksConfig(Record):
    """Number of dialogues."""

    dialogues: int = Field(ge=1)


class Talks(Scenario):
    """Scenario with one step of dialogues, each in its own lane."""

    name = "dialogue_lanes"
    Config = TalksConfig

    def actions(self) -> Sequence[type[Action]]:
        return [Told]

    async def schedule(self, stage: Stage) -> AsyncIterator[Step]:
        await stage.lanes(
            {f"d{n:04}": self._life(turns) for n, turns in enumerate(draw_lengths(stage.config.dialogues))}
        )
        yield Step("talks")

    def _life(self, turns: int) -> Any:
        async def live(lane: Lane) -> None:
            words = ""
            for n in range(turns):
                said = await lane.ask("system:bot", Say(words))
                assert said is not None and not said.fault, said
                lane.act(None, Told(text=said.text))
                words = f"words number {n}"
            await lane.end_dialogue("system:bot")

        return live

    def metrics(self, log: Log) -> Mapping[str, Measure]:
        return {"told": Measure(float(len(list(log.events("talks.told")))))}

    def surfaces(self) -> Sequence[Surface]:
        return ()


def draw_lengths(dialogues: int) -> list[int]:
    """Draw the number of requests of each dialogue; the first opens it."""
    draw = Draw(1, "lengths")
    return [FEWEST + draw.below(MOST - FEWEST + 1, item=n) for n in range(dialogues)]


class Server(asyncio.Protocol):
    """HTTP server that answers every request after 20 ms."""

    body = json.dumps({"say": "How about this one?"}).encode()
    answer = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (
        len(body),
        body,
    )

    def connection_made(self, transport: Any) -> None:
        self.transport, self.heard = transport, b""

    def data_received(self, data: bytes) -> None:
        self.heard += data
        head, found, rest = self.heard.partition(b"\r\n\r\n")
        if found and len(rest) >= int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0]):
            self.heard = b""
            asyncio.get_running_loop().call_later(SECONDS, self.transport.write, self.answer)


async def serve() -> None:
    server = await asyncio.get_running_loop().create_server(Server, "127.0.0.1", 0, backlog=256)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


@contextmanager
def start_server() -> Iterator[str]:
    """Context manager that starts the system in its own process and yields its URL."""
    with subprocess.Popen(
        [sys.executable, __file__, "--serve"], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def study(folder: Path, url: str, dialogues: int) -> Callable[[], None]:
    """Prepare a run and return the function that drives it."""
    (folder / "people.toml").write_text('[[persona]]\nid = "p"\nname = "P"\nbio = "Listens."\n')
    (folder / "study.toml").write_text(STUDY.format(url=url, dialogues=dialogues))
    settings = Settings(systems={"bot": {"width": WIDTH}})  # type: ignore[dict-item]
    run = prepare_run(
        load_study(str(folder / "study.toml")),
        folder / f"run-{sum(1 for _ in folder.glob('run-*'))}",
        settings,
    )

    def driven() -> None:
        with run:
            asyncio.run(drive(run, settings, Silent()))

    return driven


async def raw_sockets(url: str, turns: Sequence[int]) -> None:
    """Hold the same dialogues over raw sockets."""
    parts, left = urlsplit(url), iter(turns)
    body = json.dumps({"session": "0" * 36, "text": "words number 1"}).encode()
    request = f"POST /turn HTTP/1.1\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body

    async def worker() -> None:
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
        for dialogue in left:
            for _ in range(dialogue):
                writer.write(request)
                await reader.readexactly(len(Server.answer))
        writer.close()

    await asyncio.gather(*(worker() for _ in range(WIDTH)))


async def bare_client(url: str, turns: Sequence[int]) -> None:
    """Hold the same dialogues with aiohttp alone, with a client per dialogue and shared connections."""
    left = iter(turns)
    async with aiohttp.TCPConnector(limit=0) as connections:

        async def worker() -> None:
            for dialogue in left:
                async with aiohttp.ClientSession(connector=connections, connector_owner=False) as client:
                    for n in range(dialogue):
                        body = {"session": "0" * 36, "text": f"words number {n}"}
                        async with client.post(f"{url}/turn", json=body) as answer:
                            assert (await answer.json())["say"]

        await asyncio.gather(*(worker() for _ in range(WIDTH)))


def turns_until_last_ends(turns: Sequence[int]) -> int:
    """Compute the number of turns until the last dialogue ends, if each starts as soon as another ends."""
    busy = [0] * WIDTH
    for dialogue in turns:
        heapq.heappush(busy, heapq.heappop(busy) + dialogue)
    return max(busy)


def timed(work: Callable[[], Any]) -> tuple[float, float]:
    """Measure wall and CPU seconds of one call of `work`."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--dialogues", type=int, default=200)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--serve", action="store_true", help="be the system")
    options = parser.parse_args()
    if options.serve:
        asyncio.run(serve())
        return
    turns = draw_lengths(options.dialogues)
    ideal = max(sum(turns) / WIDTH, max(turns)) * SECONDS
    ours, bare, raw = [], [], []
    with start_server() as url, TemporaryDirectory() as scratch:
        folder = Path(scratch)
        info = folder / "dialogue_lanes-0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: dialogue_lanes\nVersion: 0\n")
        (info / "entry_points.txt").write_text(ENTRY)
        sys.path.insert(0, str(folder))
        for number in range(options.repeats + 1):  # the first turn warms up
            costs = (
                timed(study(folder, url, options.dialogues)),
                timed(lambda: asyncio.run(bare_client(url, turns))),
                timed(lambda: asyncio.run(raw_sockets(url, turns))),
            )
            if number:
                for kept, cost in zip((ours, bare, raw), costs, strict=True):
                    kept.append(cost)
    wall = median(w for w, _ in ours)
    print(
        f"{len(turns)} dialogues, {sum(turns)} turns of 20 ms, {WIDTH} at a time, medians of "
        f"{options.repeats}"
    )
    print(
        f"  wall time: {wall:.2f} s, {wall / ideal:.2f} of the ideal (best {min(ours)[0] / ideal:.2f}); the "
        f"goal is 1.15"
    )
    print(
        f"  taken as they come: {turns_until_last_ends(turns) * SECONDS / ideal:.2f} of the ideal without "
        f"any other cost; "
        f"raw sockets {median(w for w, _ in raw) / ideal:.2f}, bare aiohttp "
        f"{median(w for w, _ in bare) / ideal:.2f}"
    )
    print(
        f"  CPU a turn: {median(c for _, c in ours) / sum(turns) * 1e3:.2f} ms, bare aiohttp "
        f"{median(c for _, c in bare) / sum(turns) * 1e3:.2f} ms"
    )


if __name__ == "__main__":
    main()
