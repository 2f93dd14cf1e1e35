"""Offline dialogues a second, and dialogues with an HTTP system beside the least time that its latency
allows.

    python benchmarks/dialogues.py offline [--dialogues 2000]
    python benchmarks/dialogues.py http [--dialogues 200] [--repeats 5]

`offline`: agenda user and reference system with the log on, by one worker and two. The published toolkit's
agenda user against an in-process scripted system made 212 to 231 dialogues a second with its export off, 24
with it on.

`http`: a study holds 200 dialogues of 4 to 12 turns, 32 at a time, with an HTTP system in another process.
The ideal is its latency, opening requests included, over 32, or the longest dialogue where that is more. No
order of the dialogues is known to be best before they are held, so the last ones leave some of the 32 idle:
the time of the same dialogues taken as they come is beside it, and so are raw sockets, and aiohttp with a
client for each dialogue over shared connections, that do just that and keep nothing.
"""

import asyncio
import heapq
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

from pydantic import Field

from bare import post_by_aiohttp, post_by_sockets, time_posting
from measuring import (
    Spent,
    drive_run,
    median_spent,
    prepare_study,
    read_clocks,
    run_command,
    serving,
    since,
    spend,
)
from openiir.plugin import Action, Draw, Lane, Log, Measure, Question, Record, Scenario, Stage, Step, Surface
from openiir.runs.engine import Watcher
from openiir.runs.settings import Settings
from openiir.runs.types import AT_HAND

PUBLISHED, WIDTH, SECONDS, FEWEST, MOST = 231, 32, 0.02, 4, 12


class FirstStep(Watcher):
    """Watcher that reads the clocks when the first step, the generation of needs, was committed."""

    def step(self, number: int, label: str) -> None:
        if number == 1:
            self.start = read_clocks()


def time_study(dialogues: int, workers: int, system: str, acts: bool) -> tuple[float, float, str]:
    """Run the study; return seconds of the dialogues, seconds with start-up, and the content hash."""
    users = [{"name": "agenda", "by": "agenda", "acts": acts}]
    config = {"dialogues": dialogues, "systems": [system], "simulators": users, "data": {"name": "synthetic"}}
    study = {"type": "conversational", "seed": 7, "config": config}
    settings, watcher, start = Settings(workers=workers), FirstStep(), read_clocks()
    with TemporaryDirectory() as scratch, prepare_study(study, Path(scratch) / "run", settings) as run:
        content = drive_run(run, settings, watcher)
        return since(watcher.start).wall, since(start).wall, content


def time_offline(dialogues: int = 2_000) -> None:
    time_study(50, 1, "attribute", True)
    for system, acts in (("attribute", True), ("attribute", False), ("random", True)):
        one, whole, first = time_study(dialogues, 1, system, acts)
        two, _, second = time_study(dialogues, 2, system, acts)
        assert first == second, "two workers gave another run than one"
        print(
            f"{system}, {'acts handed over' if acts else 'words read'}: {dialogues / one:.0f} dialogues/s",
            f"({dialogues / one / PUBLISHED:.2f} x {PUBLISHED}), with start-up {dialogues / whole:.0f}/s;",
            f"one worker / two workers {one / two:.2f}",
        )


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

    name = "talks"
    Config = TalksConfig

    def actions(self) -> Sequence[type[Action]]:
        return [Told]

    async def schedule(self, stage: Stage) -> AsyncIterator[Step]:
        lengths = draw_lengths(stage.config.dialogues)
        await stage.lanes({f"d{n:04}": partial(self._hold, turns) for n, turns in enumerate(lengths)})
        yield Step("talks")

    async def _hold(self, turns: int, lane: Lane) -> None:
        words = ""
        for n in range(turns):
            said = await lane.ask("system:bot", Say(words))
            assert said is not None and not said.fault, said
            lane.act(None, Told(text=said.text))
            words = f"words number {n}"
        await lane.end_dialogue("system:bot")

    def metrics(self, log: Log) -> Mapping[str, Measure]:
        return {"told": Measure(float(len(list(log.events("talks.told")))))}

    def surfaces(self) -> Sequence[Surface]:
        return ()


AT_HAND["talks"] = Talks


def draw_lengths(dialogues: int) -> list[int]:
    """Draw the number of requests of each dialogue; the first opens it."""
    draw = Draw(1, "lengths")
    return [FEWEST + draw.below(MOST - FEWEST + 1, item=n) for n in range(dialogues)]


class System(asyncio.Protocol):
    """HTTP server that answers every request after 20 ms."""

    body = json.dumps({"say": "How about this one?"})
    answer = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}"

    def connection_made(self, transport: Any) -> None:
        self.transport, self.heard = transport, b""

    def data_received(self, data: bytes) -> None:
        self.heard += data
        head, found, rest = self.heard.partition(b"\r\n\r\n")
        if found and len(rest) >= int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0]):
            self.heard = b""
            asyncio.get_running_loop().call_later(SECONDS, self.transport.write, self.answer.encode())


def serve_system(teller: Connection) -> None:
    async def serve() -> None:
        server = await asyncio.get_running_loop().create_server(System, "127.0.0.1", 0, backlog=256)
        teller.send(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        await server.serve_forever()

    asyncio.run(serve())


def time_talks(folder: Path, url: str, dialogues: int) -> Spent:
    """Measure a run, without its preparation."""
    session = {"session": "{session}"}
    bot = {
        "connector": "http",
        "url": f"{url}/turn",
        "request": {**session, "text": "{text}"},
        "response": "say",
        "open": {"url": f"{url}/open", "request": session},
    }
    person = '[[persona]]\nid = "p"\nname = "P"\nbio = "Listens."\n'
    (folder.parent / "people.toml").write_text(person)
    study = {"type": "talks", "personas": "people.toml", "config": {"dialogues": dialogues}}
    settings = Settings(systems={"bot": {"width": WIDTH}})  # type: ignore[dict-item]
    with prepare_study({**study, "system": {"bot": bot}}, folder, settings) as run:
        return spend(lambda: drive_run(run, settings))


def turns_until_last_ends(turns: Sequence[int]) -> int:
    """Compute the number of turns until the last dialogue ends, if each starts as soon as another ends."""
    busy = [0] * WIDTH
    for dialogue in turns:
        heapq.heappush(busy, heapq.heappop(busy) + dialogue)
    return max(busy)


def time_http(dialogues: int = 200, repeats: int = 5) -> None:
    lengths = draw_lengths(dialogues)
    turns, ideal = sum(lengths), max(sum(lengths) / WIDTH, max(lengths)) * SECONDS
    talks = [[{"session": "0" * 36, "text": f"words number {n}"} for n in range(one)] for one in lengths]
    costs = []
    with serving(serve_system) as url, TemporaryDirectory() as scratch:
        for number in range(repeats + 1):
            ours = time_talks(Path(scratch) / str(number), url, dialogues)
            plain = [
                time_posting(post, f"{url}/turn", talks, WIDTH) for post in (post_by_aiohttp, post_by_sockets)
            ]
            costs.append((ours, *plain))
    costs = costs[1:]  # the first turn warms up
    ours, bare, raw = (median_spent(column) for column in zip(*costs, strict=True))
    taken = turns_until_last_ends(lengths) * SECONDS / ideal
    print(f"{dialogues} dialogues, {turns} turns of 20 ms, {WIDTH} at a time, medians of {repeats}")
    print(
        f"  wall time: {ours.wall:.2f} s, {ours.wall / ideal:.2f} of the ideal",
        f"(best {min(one.wall for one, *_ in costs) / ideal:.2f}); the goal is 1.15",
    )
    print(
        f"  taken as they come: {taken:.2f} of the ideal without any other cost;",
        f"raw sockets {raw.wall / ideal:.2f}, bare aiohttp {bare.wall / ideal:.2f}",
    )
    each = 1e3 / turns
    print(f"  CPU a turn: {ours.cpu * each:.2f} ms, bare aiohttp {bare.cpu * each:.2f} ms")


if __name__ == "__main__":
    run_command(offline=time_offline, http=time_http)
