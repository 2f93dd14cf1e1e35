"""Watching a running run: time from a committed step to its event at a viewer, and CPU time of the server
with idle viewers.

Run it with `python benchmarks/live.py [VIEWERS] [SECONDS]`; it makes its data in a temporary folder.
"""

import asyncio
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from openiir.api import run
from openiir.core.storage import RunFile

SERVE = "from openiir.cli import main; main()"
STEPS = 40


def cpu_seconds(process: int) -> float:
    """CPU time of a process in seconds, from /proc."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def view(port: int, heard: dict[int, float], ready: asyncio.Event) -> None:
    """Follow the run's events and note when each step was heard of first."""
    while True:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            break
        except ConnectionRefusedError:  # the address is printed before the server listens
            await asyncio.sleep(0.1)
    writer.write(f"GET /api/runs/live/stream HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
    async for line in reader:
        ready.set()
        if line.startswith(b"id: "):
            heard.setdefault(int(line[4:]), time.monotonic())


async def measure(port: int, server: int, live: RunFile, viewers: int, seconds: float) -> None:
    """Print latencies and CPU time for viewers of a run that this process writes."""
    heard: list[dict[int, float]] = [{} for _ in range(viewers)]
    ready = [asyncio.Event() for _ in range(viewers)]
    tasks = [asyncio.create_task(view(port, *one)) for one in zip(heard, ready, strict=True)]
    for one in ready:
        await one.wait()
    await asyncio.sleep(1)
    before, began = cpu_seconds(server), time.monotonic()
    await asyncio.sleep(seconds)
    share = (cpu_seconds(server) - before) / (time.monotonic() - began)
    print(f"server with {viewers} idle viewers: {share:.2%} of a core over {seconds:g} s")
    committed: dict[int, float] = {}
    first = len(live.steps()) + 1
    for number in range(first, first + STEPS):
        live.db.execute("insert into step values (?, 'more', '', '')", (number,))
        committed[number] = time.monotonic()
        await asyncio.sleep(0.3 + random.random() / 2)
    for task in tasks:
        task.cancel()
    waited = sorted(  # steps that are committed while a viewer is told of another are told of by the newest
        min(times) - at
        for n, at in committed.items()
        for one in heard
        if (times := [time for number, time in one.items() if number >= n])
    )
    missing = len(committed) * viewers - len(waited)
    print(
        f"committed step to event at the viewer, {STEPS} steps x {viewers} viewers: median "
        f"{1000 * waited[len(waited) // 2]:.0f} ms, longest {1000 * waited[-1]:.0f} ms, {missing} not heard "
        f"of"
    )


def main() -> None:
    viewers, seconds = (float(word) for word in (*sys.argv[1:], *("20", "20")[len(sys.argv) - 1 :]))
    with tempfile.TemporaryDirectory() as scratch:
        folder = run("panel", out=Path(scratch) / "runs" / "live", progress=False).folder
        command = [sys.executable, "-c", SERVE, "serve", str(folder.parent), "--port", "0"]
        with RunFile.open(folder, writable=True) as live:
            live.set_state(status="running", reason="")
            own = {**os.environ, "PYTHONUNBUFFERED": "1"}
            with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=own) as server:
                try:
                    assert server.stdout
                    port = int(server.stdout.readline().strip().rpartition(":")[2].strip("/"))
                    asyncio.run(measure(port, server.pid, live, int(viewers), seconds))
                finally:
                    server.terminate()


if __name__ == "__main__":
    main()
