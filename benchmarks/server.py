"""Response times of the web server: the list of many runs, and looks at runs of 100,000 events.

Run it with `python benchmarks/server.py [RUNS] [EVENTS]`; it makes its data in a temporary folder. A first
look computes a run's views and keeps them in the cache folder; a second look, by another process, reads them
there. With `python benchmarks/server.py references [TYPE ...]` it runs the reference studies and prints, by
type, the CPU time of the run, of its description, of the slowest of five questions in new processes (with
what they import, and without), and of an export. `... long` looks at a panel of 5,000 utterances, and
compares the 30 runs of a sweep.
"""

import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from openiir.api import compare, run, sweep
from openiir.runs.settings import Settings
from openiir.server.comparing import tell_comparison
from openiir.server.export.write import write_export
from openiir.server.reading import Reader

TYPES = {"panel": "transcript", "curated_feed": "feed", "conversational": "dialogue", "recommender": "visit"}
"""Types of runs, each with its longest view."""
LONG = 5_000
"""Utterances of a long panel, those of a short one repeated."""
WORDS = {"panel": "the", "curated_feed": "reference", "conversational": "a", "recommender": "a"}
"""Words that many texts hold."""


def time_ms(work: Callable[[], Any], times: int = 3) -> str:
    """Measure the CPU time and the time by the clock of a call, the shortest of some."""
    found = []
    for _ in range(times):
        start = time.perf_counter(), time.process_time()
        work()
        found.append((time.process_time() - start[1], time.perf_counter() - start[0]))
    cpu, clock = min(found)
    return f"{1_000 * cpu:,.1f} ms CPU ({1_000 * clock:,.1f} by the clock)"


def lengthen(folder: Path, events: int) -> None:
    """Repeat a run's events in lanes of other names until it has this many."""
    with sqlite3.connect(folder / "run.db") as db:
        (last,) = db.execute("select max(seq) from event").fetchone()
        for n in range(1, events // last + 1) if last else ():
            db.execute(
                "insert into event select seq + ?, step, lane || ?, kind, actor, payload from event where "
                "seq <= ?",
                (n * last, f".{n}", last),
            )


def time_list(root: Path, runs: int, settings: Settings) -> None:
    """Print how long lists of runs take."""
    made = run("panel", out=root / "0000", progress=False).folder
    for n in range(1, runs):
        shutil.copytree(made, root / f"{n:04}")
    reader = Reader(root, settings)

    def new() -> Reader:
        return Reader(root, Settings(cache=Path(tempfile.mkdtemp(dir=settings.cache.parent))))

    print(f"first 200 of {runs} runs, never seen: {time_ms(lambda: new().cards.page('', 200))}")
    print(f"all {runs} runs, never seen: {time_ms(lambda: new().cards.page('', runs))}")
    reader.cards.page("", runs)
    print(f"all {runs} runs, by a new server: {time_ms(lambda: Reader(root, settings).cards.page('', runs))}")
    print(f"all {runs} runs again: {time_ms(lambda: reader.cards.page('', runs))}")


def time_looks(root: Path, name: str, settings: Settings) -> None:
    """Print how long it takes to look at a run, before and after its views are kept."""
    again = Reader(root, settings)
    run = again.describe(name)
    closing = next(one["name"] for one in run["surfaces"] if one["group"] == "result" and not one["empty"])
    longest, words = TYPES[name], WORDS[name]
    looks: dict[str, Callable[[Reader], Any]] = {
        "overview": lambda reader: (reader.describe(name), reader.page(name, closing)),
        "measures": lambda reader: reader.measures(name),
        f"beginning of {longest}": lambda reader: reader.page(name, longest, beginning=True).write_json(),
        f"200 parts of {longest}": lambda reader: reader.page(name, longest, limit=200).write_json(),
        f"search of {words!r}, 50 hits": lambda reader: reader.search(name, words, 0, 50),
    }
    print(f"{name}, {run['events']:,} events")
    for what, look in looks.items():
        first = time_ms(lambda: look(Reader(root, settings)), 1)  # noqa: B023
        second = time_ms(lambda: look(Reader(root, settings)))  # noqa: B023
        print(f"  {what}: first {first}, then {second}")
    middle = again.page(name, longest).total // 2
    print(
        f"  500 from its middle: {time_ms(lambda: again.page(name, longest, after=str(middle)).write_json())}"
    )
    print(f"  100 questions: {time_ms(lambda: again.questions(name, None, None, None, 0, 100))}")
    if run["people"]:
        print(f"  an agent: {time_ms(lambda: again.agent(name, run['people'][-1][0], 0, 100))}")


REFERENCES = ("panel", "curated_feed", "social_media", "recommender", "conversational", "multi_generational")
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


def spend(work: Callable[[], Any]) -> float:
    """Measure the CPU time of a call in seconds."""
    began = time.process_time()
    work()
    return time.process_time() - began


def time_question(root: Path, name: str, place: str, settings: Settings) -> list[float]:
    """Measure the CPU time of a question's page in a new process, and once more in the same."""
    args = [sys.executable, "-c", QUESTION, str(root), str(settings.cache), name, place]
    return [float(line) for line in subprocess.run(args, check=True, capture_output=True).stdout.split()]


def time_reference(root: Path, name: str, settings: Settings) -> None:
    """Print what a look at a type's reference run and an export of it cost."""
    made = spend(lambda: run(name, out=root / name, progress=False))
    reader = Reader(root, settings)
    described = [spend(lambda: reader.describe(name)) for _ in range(2)]
    db = sqlite3.connect(root / name / "run.db")
    places = [seq for (seq,) in db.execute("select seq from event where kind = 'asked' order by seq")]
    packed = db.execute("select coalesce(sum(length(body)), 0) from asked_facts").fetchone()[0]
    db.close()
    spread = [str(places[n * (len(places) - 1) // 4]) for n in range(5)] if places else []
    looks = [time_question(root, name, place, settings) for place in spread]
    cold, again = (1_000 * max((look[n] for look in looks), default=0) for n in (0, 1))
    page = root / f"{name}.html"
    exported = spend(lambda: write_export(root / name, page, settings=settings))
    print(
        f"{name}: run {made:.1f} s, {packed / 1e6:.1f} MB of facts; described in {1_000 * described[0]:.0f} "
        f"ms, then "
        f"{1_000 * described[1]:.0f} ms; a question {cold:.0f} ms in a new process, then {again:.0f} ms; "
        f"export "
        f"{exported:.1f} s, {page.stat().st_size / 1e6:.1f} MB"
    )


def time_references(names: Sequence[str]) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        for name in names or REFERENCES:
            time_reference(Path(scratch), name, Settings(cache=Path(scratch) / "cache"))


def time_long() -> None:
    """Print what looks at a long panel cost, and the comparison of a sweep of 3 rankers and 10 seeds."""
    with tempfile.TemporaryDirectory() as scratch:
        settings = Settings(cache=Path(scratch) / "cache")
        folder = run("panel", out=Path(scratch) / "panel", progress=False).folder
        utterances = Reader(Path(scratch), settings).page("panel", "transcript").total
        (events,) = sqlite3.connect(folder / "run.db").execute("select max(seq) from event").fetchone()
        lengthen(folder, events * LONG // utterances)
        reader = Reader(Path(scratch), settings)
        described = spend(lambda: reader.describe("panel"))
        shown = spend(lambda: Reader(Path(scratch), settings).page("panel", "transcript").write_json())
        exported = spend(lambda: write_export(folder, Path(scratch) / "long.html", ["prompts"], settings))
        size = (Path(scratch) / "long.html").stat().st_size / 1e6
        print(
            f"panel of {LONG:,} utterances: described in {1_000 * described:.0f} ms, first shown in "
            f"{1_000 * shown:.0f} ms, "
            f"export without prompts {exported:.1f} s, {size:.1f} MB"
        )
        arms = {"config.ranker": ["similarity", "popularity", "random"]}
        small = {"config.users": 60, "config.weeks": 4, "config.beside": []}
        made = sweep(
            "curated_feed", vary=arms, seeds=10, set=small, out=Path(scratch) / "sweep", progress=False
        )
        found = compare(made.folder)
        told = spend(lambda: tell_comparison(found, Path(scratch)))
        looked = spend(lambda: compare(made.folder))
        runs = sum(len(arm.runs) for arm in found.arms)
        print(
            f"{runs} runs in {len(found.arms)} arms compared in {looked:.1f} s, told in {1_000 * told:.0f} ms"
        )


def main() -> None:
    if sys.argv[1:2] == ["long"]:
        time_long()
        return
    if sys.argv[1:2] == ["references"]:
        time_references(sys.argv[2:])
        return
    runs, events = (int(word) for word in (*sys.argv[1:], *("1000", "100000")[len(sys.argv) - 1 :]))
    with tempfile.TemporaryDirectory() as scratch:
        settings = Settings(cache=Path(scratch) / "cache")
        if runs:
            time_list(Path(scratch) / "runs", runs, settings)
        for name in TYPES:
            folder = run(name, out=Path(scratch) / "long" / name, progress=False).folder
            lengthen(folder, events)
            time_looks(folder.parent, name, settings)


if __name__ == "__main__":
    main()
