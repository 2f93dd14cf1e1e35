"""Overhead of model calls, speed of their replay, and memory of long runs, beside plain references.

    python benchmarks/calls.py overhead [--calls 2000] [--repeats 5]
    python benchmarks/calls.py replay [--calls 10000] [--repeats 5]
    python benchmarks/calls.py memory [--short 1000] [--long 10000]

`overhead`: a study asks (render, send, read, ledger, budget, commit) a stand-in server in another process; an
aiohttp client and raw sockets then post the very same bodies at the same width. The turns alternate; ratios
are of each turn, the median reported. CPU is the client process's own.

`replay`: calls are recorded against a provider in this process, then replayed as `openiir replay` does: the
record is checked, every prompt rendered and hashed, every reply read, every step's digest compared. The
reference reads the same calls by their places, one query a call, and does nothing with them.

`memory`: peaks of runs of questions answered in the same process, each run in a process of its own.
"""

import asyncio
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from bare import (
    in_process,
    post_by_aiohttp,
    post_by_sockets,
    prepare_bare,
    rebuild_bodies,
    standin,
    time_posting,
)
from measuring import drive_run, in_new_process, median_spent, peak_megabytes, run_command, spend
from openiir.core.llm import Endpoint
from openiir.core.storage import RunFile
from openiir.runs.engine import Watcher
from openiir.runs.replay import replay
from openiir.runs.settings import Settings

WIDTH, BATCH = 32, 100


def compare_clients(latency: float, calls: int, repeats: int) -> None:
    """Print what calls cost at a latency, in turns with plain clients of the same server."""
    turns = []
    with standin(latency) as url, TemporaryDirectory() as scratch:
        settings = Settings(endpoint=Endpoint(url=url, width=WIDTH))
        for number in range(repeats + 1):
            folder, address = Path(scratch) / str(number), f"{url}/chat/completions"
            with prepare_bare(folder, calls, calls, settings) as run:
                costs = [spend(lambda run=run: drive_run(run, settings))]
            sent = rebuild_bodies(folder)
            assert len(sent) == calls
            sessions = [sent[n::WIDTH] for n in range(WIDTH)]
            costs += [
                time_posting(post, address, sessions, WIDTH) for post in (post_by_aiohttp, post_by_sockets)
            ]
            turns.append(costs)
    turns = turns[1:]  # the first one warms up
    ours, plain, raw = (median_spent(costs) for costs in zip(*turns, strict=True))
    above = median(a.cpu - b.cpu for a, b, _ in turns)
    each, ideal = 1e3 / calls, calls / WIDTH * latency
    best = min(a.wall for a, _, _ in turns) / min(b.wall for _, b, _ in turns)
    print(f"{1e3 * latency:g} ms latency, {calls} calls, {WIDTH} at a time, medians of {repeats} turns")
    print(
        f"  CPU a call: {ours.cpu * each:.2f} ms, plain aiohttp {plain.cpu * each:.2f} ms,",
        f"difference {above * each:+.2f} ms; the goal is +0.4 ms or less",
    )
    print(
        f"  wall time: {median(a.wall / b.wall for a, b, _ in turns):.2f} of plain aiohttp's,",
        f"best turn to best turn {best:.2f}; the goal at 100 ms is 1.1 or less",
    )
    walls = (f"{one.wall / ideal:.2f}" for one in (ours, plain, raw))
    print("  to the ideal: {}, plain aiohttp {}, raw sockets {}".format(*walls), flush=True)


def time_overhead(calls: int = 2_000, repeats: int = 5) -> None:
    for latency in (0.01, 0.1):
        compare_clients(latency, calls, repeats)


def read_rows(folder: Path) -> None:
    """Read each recorded call by its place."""
    with RunFile.open(folder) as recorded:
        places = [(call.place, call.attempt) for call in recorded.calls()]
        for place, attempt in places:
            assert recorded.find_call(place, attempt) is not None


def record(folder: Path, calls: int) -> float:
    """Record a run against a provider in this process; returns the peak of memory."""
    with in_process() as settings, prepare_bare(folder, calls, BATCH, settings) as run:
        drive_run(run, settings)
    return peak_megabytes()


def time_replay(calls: int = 10_000, repeats: int = 5) -> None:
    with TemporaryDirectory() as scratch:
        folder = Path(scratch) / "run"
        record(folder, calls)
        turns = [
            (
                spend(lambda: asyncio.run(replay(folder, Settings(), Watcher()))),
                spend(lambda: read_rows(folder)),
            )
            for _ in range(repeats)
        ]
    replayed, rows = (median_spent(costs) for costs in zip(*turns, strict=True))
    wall, cpu = (median(a[n] / b[n] for a, b in turns) for n in (0, 1))
    print(
        f"{calls} calls, {BATCH} a step: replay {calls / replayed.wall:,.0f} calls/s,",
        f"{1e6 * replayed.cpu / calls:.0f} us of CPU a call, reading {1e6 * rows.cpu / calls:.0f};",
        f"{wall:.1f} times by the clock, {cpu:.1f} by CPU time; the goal is 1.8 or less",
    )


def measure_memory(short: int = 1_000, long: int = 10_000, repeats: int = 3) -> None:
    with TemporaryDirectory() as scratch:
        peaks = [
            [in_new_process(record, Path(scratch) / f"{n}-{calls}", calls) for calls in (short, long)]
            for n in range(repeats)
        ]
    few, many = map(median, zip(*peaks, strict=True))
    print(f"peak: {few:.0f} MB at {short} calls, {many:.0f} MB at {long}: {many - few:+.1f} MB; goal +50 MB")


if __name__ == "__main__":
    run_command(overhead=time_overhead, replay=time_replay, memory=measure_memory)
