"""The web server: lists of many runs, looks at long runs, exports, comparisons, viewers of a running run.

    python benchmarks/server.py list [--runs 1000]
    python benchmarks/server.py looks [--events 100000]
    python benchmarks/server.py references [TYPE ...]
    python benchmarks/server.py long
    python benchmarks/server.py live [--viewers 20] [--seconds 20]

A first look computes a run's views and keeps them in the cache folder; a second look, by another process,
reads them there. `references` runs the reference studies and prints, by type, the CPU time of the run, of its
description, of the slowest of five questions in new processes (with what they import, and without), and of an
export. `long` looks at a panel of 5,000 utterances, and compares the 30 runs of a sweep. `live` measures the
time from a committed step to its event at a viewer, and the CPU time of the server with idle viewers.
"""

import asyncio
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

from measuring import OPENIIR, run_command, spend
from openiir.api import compare, run, sweep
from openiir.core.storage import RunFile
from openiir.runs.settings import Settings
from openiir.server.comparing import comparison_json
from openiir.server.export.write import write_export
from openiir.server.reading import Reader

TYPES = {"panel": "transcript", "curated_feed": "feed", "conversational": "dialogue", "recommender": "visit"}
"""Types of runs, each with its longest view."""
WORDS = {"panel": "the", "curated_feed": "reference", "conversational": "a", "recommender": "a"}
"""Words that many texts hold."""
LONG, STEPS = 5_000, 40
REFERENCES = (
    "panel",
    "curated_feed",
    "social_media",
    "recommender",
    "conversational",
    "multi_generational",
    "asymmetric_memory",
    "open_web",
    "coordination_emergent",
    "tiered_capability",
)


def time_ms(work: Callable[[], Any], times: int = 3) -> str:
    """Measure the CPU time and the time by the clock of a call, the shortest of some."""
    cpu, clock = min(spend(work)[::-1] for _ in range(times))
    return f"{1_000 * cpu:,.1f} ms CPU ({1_000 * clock:,.1f} by the clock)"


def lengthen(folder: Path, events: int, kind: str = "%") -> None:
    """Repeat a run's events of a kind, in lanes of other names, until it has this many of them."""
    with sqlite3.connect(folder / "run.db") as db:
        query = "select seq from event where kind like ? order by seq"
        ids = [seq for (seq,) in db.execute(query, (kind,))]
        (last,) = db.execute("select max(seq) from event").fetchone()
        rows = ((last + n, f".{n // len(ids)}", ids[n % len(ids)]) for n in range(1, events - len(ids) + 1))
        db.executemany(
            "insert into event select ?, step, lane || ?, kind, actor, payload from event where seq = ?", rows
        )


def time_list(runs: int = 1_000) -> None:
    with TemporaryDirectory() as scratch:
        root, settings = Path(scratch) / "runs", Settings(cache=Path(scratch) / "cache")
        made = run("panel", out=root / "0000", progress=False).folder
        for n in range(1, runs):
            shutil.copytree(made, root / f"{n:04}")

        def never_seen() -> Reader:
            return Reader(root, Settings(cache=Path(tempfile.mkdtemp(dir=scratch))))

        kept = Reader(root, settings)
        kept.cards.page("", runs)
        for what, reader, number in (
            ("never seen", never_seen, 200),
            ("never seen", never_seen, runs),
            ("by a new server", lambda: Reader(root, settings), runs),
            ("again", lambda: kept, runs),
        ):
            took = time_ms(lambda r=reader, n=number: r().cards.page("", n))
            print(f"first {number} of {runs} runs, {what}: {took}")


def time_looks(events: int = 100_000) -> None:
    with TemporaryDirectory() as scratch:
        for name in TYPES:
            folder = run(name, out=Path(scratch) / "long" / name, progress=False).folder
            lengthen(folder, events)
            look_at(folder.parent, name, Settings(cache=Path(scratch) / "cache"))


def look_at(root: Path, name: str, settings: Settings) -> None:
    """Print how long it takes to look at a run, before and after its views are kept."""
    again = Reader(root, settings)
    about = again.describe(name)
    closing = next(one["name"] for one in about["surfaces"] if one["group"] == "result" and not one["empty"])
    longest, words = TYPES[name], WORDS[name]
    looks: dict[str, Callable[[Reader], Any]] = {
        "overview": lambda reader: (reader.describe(name), reader.page(name, closing)),
        "measures": lambda reader: reader.measures(name),
        f"beginning of {longest}": lambda reader: reader.page(name, longest, beginning=True).write_json(),
        f"200 parts of {longest}": lambda reader: reader.page(name, longest, limit=200).write_json(),
        f"search of {words!r}, 50 hits": lambda reader: reader.search(name, words, after=0, limit=50),
    }
    print(f"{name}, {about['events']:,} events")
    for what, look in looks.items():
        first = time_ms(lambda look=look: look(Reader(root, settings)), 1)
        print(f"  {what}: first {first}, then {time_ms(lambda look=look: look(Reader(root, settings)))}")
    middle = str(again.page(name, longest).total // 2)
    print(f"  500 from its middle: {time_ms(lambda: again.page(name, longest, after=middle).write_json())}")
    print(f"  100 questions: {time_ms(lambda: again.questions(name, None, None, None, 0, 100))}")
    if about["people"]:
        print(f"  an agent: {time_ms(lambda: again.agent(name, about['people'][-1][0], 0, 100))}")


QUESTION = """
import sys, time
from pathlib import Path
from openiir.runs.settings import Settings
from openiir.server.reading import Reader
reader = Reader(Path(sys.argv[1]), Settings(cache=Path(sys.argv[2])))
name, place = sys.argv[3], int(sys.argv[4])
for _ in range(2):
    began = time.process_time()
    assert reader.question(name, place)["messages"]
    print(time.process_time() - began)
"""


def time_reference(root: Path, name: str, settings: Settings) -> None:
    """Print what a look at a type's reference run and an export of it cost."""
    made = spend(lambda: run(name, out=root / name, progress=False)).cpu
    reader = Reader(root, settings)
    first, then = (1_000 * spend(lambda: reader.describe(name)).cpu for _ in range(2))
    with sqlite3.connect(root / name / "run.db") as db:
        places = [seq for (seq,) in db.execute("select seq from event where kind = 'asked' order by seq")]
        packed = db.execute("select coalesce(sum(length(body)), 0) from asked_facts").fetchone()[0]
    some = [places[n * (len(places) - 1) // 4] for n in range(5)] if places else []
    command = [sys.executable, "-c", QUESTION, str(root), str(settings.cache), name]
    looks = [subprocess.check_output([*command, str(place)]).split() for place in some]
    cold, again = (1_000 * max((float(look[n]) for look in looks), default=0) for n in (0, 1))
    page = root / f"{name}.html"
    exported = spend(lambda: write_export(root / name, page, settings=settings)).cpu
    print(
        f"{name}: run {made:.1f} s, {packed / 1e6:.1f} MB of facts; described in {first:.0f} ms, then",
        f"{then:.0f} ms; a question {cold:.0f} ms in a new process, then {again:.0f} ms; export",
        f"{exported:.1f} s, {page.stat().st_size / 1e6:.1f} MB",
    )


def time_references(types: Annotated[list[str], typer.Argument()] = REFERENCES) -> None:
    with TemporaryDirectory() as scratch:
        for name in types:
            time_reference(Path(scratch), name, Settings(cache=Path(scratch) / "cache"))


def time_long() -> None:
    with TemporaryDirectory() as name:
        scratch, settings = Path(name), Settings(cache=Path(name) / "cache")
        folder = run("panel", out=scratch / "panel", progress=False).folder
        utterances = Reader(scratch, settings).page("panel", "transcript").total
        (events,) = sqlite3.connect(folder / "run.db").execute("select count(*) from event").fetchone()
        lengthen(folder, events * LONG // utterances)
        reader, page = Reader(scratch, settings), scratch / "long.html"
        described = spend(lambda: reader.describe("panel")).cpu
        shown = spend(lambda: Reader(scratch, settings).page("panel", "transcript").write_json()).cpu
        exported = spend(lambda: write_export(folder, page, ["prompts"], settings)).cpu
        print(
            f"panel of {LONG:,} utterances: described in {1_000 * described:.0f} ms, first shown in",
            f"{1_000 * shown:.0f} ms, export without prompts {exported:.1f} s,",
            f"{page.stat().st_size / 1e6:.1f} MB",
        )
        arms = {"config.ranker": ["similarity", "popularity", "random"]}
        small = {"config.users": 60, "config.weeks": 4, "config.beside": []}
        out = scratch / "sweep"
        made = sweep("curated_feed", vary=arms, seeds=10, set=small, out=out, progress=False).folder
        found = compare(made)
        told = spend(lambda: comparison_json(found, scratch)).cpu
        looked = spend(lambda: compare(made)).cpu
        print(f"30 runs in 3 arms compared in {looked:.1f} s, told in {1_000 * told:.0f} ms")


def cpu_seconds(process: int) -> float:
    """Read the CPU time of a process."""
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


async def measure_viewers(port: int, server: int, live: RunFile, viewers: int, seconds: float) -> None:
    """Print latencies and CPU time for viewers of a run that this process writes."""
    heard: list[dict[int, float]] = [{} for _ in range(viewers)]
    ready = [asyncio.Event() for _ in range(viewers)]
    tasks = [asyncio.create_task(view(port, *one)) for one in zip(heard, ready, strict=True)]
    await asyncio.gather(*(one.wait() for one in ready))
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
        if (times := [moment for number, moment in one.items() if number >= n])
    )
    print(
        f"committed step to event at the viewer, {STEPS} steps x {viewers} viewers: median",
        f"{1000 * waited[len(waited) // 2]:.0f} ms, longest {1000 * waited[-1]:.0f} ms,",
        f"{STEPS * viewers - len(waited)} not heard of",
    )


def time_live(viewers: int = 20, seconds: float = 20) -> None:
    with TemporaryDirectory() as scratch:
        folder = run("panel", out=Path(scratch) / "runs" / "live", progress=False).folder
        command = [OPENIIR, "serve", str(folder.parent), "--port", "0"]
        own = {**os.environ, "PYTHONUNBUFFERED": "1"}
        with (
            RunFile.open(folder, writable=True) as live,
            subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=own) as server,
        ):
            live.set_state(status="running", reason="")
            try:
                port = int(server.stdout.readline().strip().rpartition(":")[2].strip("/"))
                asyncio.run(measure_viewers(port, server.pid, live, viewers, seconds))
            finally:
                server.terminate()


if __name__ == "__main__":
    run_command(list=time_list, looks=time_looks, references=time_references, long=time_long, live=time_live)
