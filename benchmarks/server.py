"""Response times of the web server: the list of many runs, and the first page of a long run's views.

Run it with `python benchmarks/server.py [RUNS] [EVENTS]`; it makes its data in a temporary folder.
"""

import shutil
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from openiir.api import run
from openiir.server.reading import Reader


def time_ms(work: Callable[[], Any]) -> float:
    """Measure the time of a call in milliseconds, the shortest of three."""
    times = []
    for _ in range(3):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return 1_000 * min(times)


def lengthen(folder: Path, events: int) -> None:
    """Repeat a run's events until it has this many."""
    with sqlite3.connect(folder / "run.db") as db:
        (last,) = db.execute("select max(seq) from event").fetchone()
        for n in range(1, events // last + 1):
            db.execute(
                "insert into event select seq + ?, step, lane, kind, actor, payload from event where seq <= ?",
                (n * last, last),
            )


def main() -> None:
    runs, events = (int(word) for word in (*sys.argv[1:], *("1000", "100000")[len(sys.argv) - 1 :]))
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch) / "runs"
        made = run("panel", out=root / "0000", progress=False).folder
        for n in range(1, runs):
            shutil.copytree(made, root / f"{n:04}")
        reader = Reader(root)
        print(f"first page of 200 of {runs} runs: {time_ms(lambda: Reader(root).cards('', 200)):,.0f} ms")
        print(f"all {runs} runs listed again: {time_ms(lambda: reader.cards('', runs)):,.0f} ms")
        lengthen(root / "0000", events)
        for name in ("transcript", "graph", "activity"):
            taken = time_ms(lambda: Reader(root).page("0000", name, None, None, None, 200, None))  # noqa: B023
            print(f"first page of {name}, {events:,} events: {taken:,.0f} ms")
        reader.page("0000", "transcript", None, None, None, 200, None)
        again = time_ms(lambda: reader.page("0000", "transcript", None, None, "200", 200, None))
        print(f"its next page: {again:,.0f} ms")
        print(
            f"a page of questions: {time_ms(lambda: reader.questions('0000', None, None, None, 0, 100)):,.0f} ms"
        )


if __name__ == "__main__":
    main()
