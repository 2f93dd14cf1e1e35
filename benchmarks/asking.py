"""Overhead of model calls through openiir compared with plain aiohttp.

    python benchmarks/asking.py [--calls 2000] [--repeats 5]

A study asks (render, send, read, ledger, budget, commit) a stand-in server in another process; a plain
aiohttp session then posts the very same bodies at the same width and reads the JSON. Both kinds of turn
alternate in one run, and ratios are of each pair, the median reported. CPU is the client process's own. Raw
sockets that post the same bodies and do nothing else show what machine and server allow at the time.
"""

import argparse
import asyncio
import json
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import aiohttp

from bare import declare, register, standin
from openiir.core.llm import Endpoint
from openiir.core.storage import RunFile
from openiir.runs.engine import Silent, drive
from openiir.runs.settings import Settings

WIDTH = 32


class Cost(NamedTuple):
    """Wall and CPU time of one measurement, in seconds."""

    wall: float
    cpu: float


def timed(work: Callable[[], Any]) -> Cost:
    """Measure wall and process CPU time of one call of `work`."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return Cost(time.perf_counter() - wall, time.process_time() - cpu)


def bodies(folder: Path) -> list[dict[str, Any]]:
    """Rebuild the HTTP request bodies of a finished run's model calls."""
    sent = []
    with RunFile.open(folder) as run:
        for call in run.calls():
            request = json.loads(call.request)
            sampling = request["sampling"]
            sent.append(
                {
                    "model": request["model"],
                    "messages": [{"role": m["role"], "content": m["text"]} for m in request["messages"]],
                    "temperature": sampling["temperature"],
                    "max_tokens": sampling["max_tokens"],
                    "seed": sampling["seed"],
                    "response_format": {
                        "type": "json_schema",
                        "json_schema": {
                            "name": request["schema_name"],
                            "schema": request["schema"],
                            "strict": True,
                        },
                    },
                }
            )
    return sent


async def plain_aiohttp(url: str, sent: list[dict[str, Any]]) -> None:
    """Send the same requests with aiohttp alone, `WIDTH` at a time."""
    gate = asyncio.Semaphore(WIDTH)
    async with aiohttp.ClientSession() as session:

        async def one(body: dict[str, Any]) -> None:
            async with gate, session.post(f"{url}/chat/completions", json=body) as answer:
                reply = await answer.json()
                assert reply["choices"][0]["message"]["content"]

        await asyncio.gather(*(one(body) for body in sent))


async def raw_sockets(url: str, sent: list[dict[str, Any]]) -> None:
    """Send the same requests over raw sockets, as the upper bound set by server and machine."""
    parts = urlsplit(url)
    left = iter([json.dumps(body).encode() for body in sent])

    async def worker() -> None:
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
        for body in left:
            head = f"POST {parts.path}/chat/completions HTTP/1.1\r\nContent-Length: {len(body)}\r\n\r\n"
            writer.write(head.encode() + body)
            answered = (await reader.readuntil(b"\r\n\r\n")).lower()
            await reader.readexactly(int(answered.split(b"content-length: ")[1].split(b"\r\n")[0]))
        writer.close()

    await asyncio.gather(*(worker() for _ in range(WIDTH)))


def compare(latency: float, calls: int, repeats: int) -> dict[str, float]:
    """Measure pairs of a study and plain aiohttp against one server; return medians and ratios."""
    ours, theirs, raw = [], [], []
    with standin(latency) as url, TemporaryDirectory() as scratch:
        settings = Settings(endpoint=Endpoint(url=url, width=WIDTH))
        folder = Path(scratch)
        for number in range(repeats + 1):  # the first pair warms up
            with declare(folder, calls, calls, settings) as run:
                cost = timed(lambda run=run: asyncio.run(drive(run, settings, Silent())))
            sent = bodies(run.folder)
            assert len(sent) == calls
            plain = timed(lambda sent=sent: asyncio.run(plain_aiohttp(url, sent)))
            if number:
                ours.append(cost)
                theirs.append(plain)
                raw.append(timed(lambda sent=sent: asyncio.run(raw_sockets(url, sent))))
    ideal = calls / WIDTH * latency
    return {
        "wall": median(a.wall / b.wall for a, b in zip(ours, theirs, strict=True)),
        "best wall": min(a.wall for a in ours) / min(b.wall for b in theirs),
        "cpu": median(a.cpu for a in ours) / calls * 1e3,
        "plain cpu": median(b.cpu for b in theirs) / calls * 1e3,
        "cpu above": median(a.cpu - b.cpu for a, b in zip(ours, theirs, strict=True)) / calls * 1e3,
        "to ideal": median(a.wall for a in ours) / ideal,
        "plain to ideal": median(b.wall for b in theirs) / ideal,
        "raw to ideal": median(r.wall for r in raw) / ideal,
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--calls", type=int, default=2_000)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    with TemporaryDirectory() as plugins:
        register(Path(plugins))
        quick = compare(0.01, options.calls, options.repeats)
        slow = compare(0.1, options.calls, options.repeats)
    print(f"{options.calls} calls, {WIDTH} at a time, medians of {options.repeats} pairs")
    for latency, seen in (("10 ms", quick), ("100 ms", slow)):
        print(f"{latency} latency")
        print(
            f"  CPU a call: {seen['cpu']:.2f} ms, plain aiohttp {seen['plain cpu']:.2f} ms, difference "
            f"{seen['cpu above']:+.2f} ms; the goal is +0.4 ms or less"
        )
        print(
            f"  wall time: {seen['wall']:.2f} of plain aiohttp's (best turn to best turn "
            f"{seen['best wall']:.2f}); "
            f"the goal at 100 ms is 1.1 or less"
        )
        print(
            f"  to the ideal: {seen['to ideal']:.2f}, plain aiohttp {seen['plain to ideal']:.2f}, raw "
            f"sockets "
            f"that do nothing else {seen['raw to ideal']:.2f}"
        )


if __name__ == "__main__":
    main()
