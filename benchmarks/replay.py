"""Speed of replaying recorded questions compared with reading the same rows from SQLite.

    python benchmarks/replay.py [--calls 10000] [--repeats 5]

Calls are recorded against a provider in this process, then replayed as `openiir replay` does: the record is
checked, every prompt rendered and hashed, every reply read, every step's digest compared. The reference reads
the same calls by their places, one query a call, and does nothing with them.
"""

import argparse
import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from bare import in_process, register, run
from openiir.core.storage import RunFile
from openiir.runs.engine import Silent
from openiir.runs.replay import replay
from openiir.runs.settings import Settings


def seconds(work: Callable[[], Any]) -> float:
    """Measure the wall time of `work`."""
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def read_rows(folder: Path) -> None:
    """Read each recorded call by its place."""
    with RunFile.open(folder) as recorded:
        places = [(call.place, call.attempt) for call in recorded.calls()]
        for place, attempt in places:
            assert recorded.find_call(place, attempt) is not None


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--batch", type=int, default=100, help="questions a step")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    with TemporaryDirectory() as scratch:
        register(Path(scratch))
        with in_process() as settings:
            folder = run(Path(scratch), options.calls, options.batch, settings)
        replays, readings = [], []
        for _ in range(options.repeats):
            replays.append(seconds(lambda: asyncio.run(replay(folder, Settings(), Silent()))))
            readings.append(seconds(lambda: read_rows(folder)))
    share = median(a / b for a, b in zip(replays, readings, strict=True))
    print(f"{options.calls} calls, {options.batch} a step, {options.repeats} times")
    print(
        f"  replay: {options.calls / median(replays):,.0f} calls/s (best {options.calls / min(replays):,.0f})"
    )
    print(
        f"  it takes {share:.1f} times as long as reading the rows, which goes at "
        f"{options.calls / median(readings):,.0f} calls/s; the goal is 1.8 or less"
    )


if __name__ == "__main__":
    main()
