"""Time of simulated recommender visits compared with a plain loop without logging.

    OPENIIR_DATA=... python benchmarks/visits.py [--users 1000] [--data movielens-1m] [--grow 100 300 1000]

1,000 visitors go through 20 pages of 4 titles (none leaves early) with memory, a private graph that grows,
actions, reflection, interview and log, offline; counted is what comes after everything is fitted: visits,
commit and content hash. The plain loop of `visits_plain.py` then does the same for the same visitors in the
same process, on one thread. `--grow` gives the time per visitor by their number, each in a process of its
own.

Goals: less time than the plain loop, linear growth.
"""

import argparse
import asyncio
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from openiir.core.storage import Log, RunFile
from openiir.plugin import Stage
from openiir.runs.engine import Silent, drive
from openiir.runs.prepare import prepare_run
from openiir.runs.settings import Settings
from openiir.runs.study import load_study
from visits_plain import PlainVisitor, build_shared_data, simulate_visit

STUDY = """
type = "recommender"
name = "visits"
seed = 1

[config]
users = {users}
systems = ["popularity"]
page = {{ items = 4, most = {pages}, exits = {exits} }}
{data}
"""
ALONE = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def study(folder: Path, users: int, pages: int, data: str, exits: bool = False) -> str:
    """Write a study with this many visits; return its path."""
    named = ""
    if data != "synthetic":
        named = f'data = {{ name = "{data}", path = "$OPENIIR_DATA/ml-1m" }}'
    file = folder / "study.toml"
    file.write_text(STUDY.format(users=users, pages=pages, data=named, exits=str(exits).lower()))
    return str(file)


def clocks() -> dict[str, float]:
    return {"wall": time.perf_counter(), "cpu": time.process_time()}


def since(start: dict[str, float]) -> dict[str, float]:
    return {name: now - start[name] for name, now in clocks().items()}


def peak() -> float:
    """Return the peak memory of this process, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure_run(users: int, pages: int, data: str, plain: bool) -> dict[str, Any]:
    """Measure a run in this process and, with `plain`, the plain loop before it; seconds and megabytes."""
    start, found = clocks(), {}
    lanes = Stage.lanes

    async def timed(stage: Stage, lives: Mapping[str, Any]) -> Any:
        found["fitting"], found["before"] = since(start), peak()
        if plain:
            found["plain"] = run_plain_loop([life.args[0] for life in lives.values()])
        found["start"] = clocks()
        return await lanes(stage, lives)

    with TemporaryDirectory() as scratch, patch.object(Stage, "lanes", timed):
        with prepare_run(
            load_study(study(Path(scratch), users, pages, data)), Path(scratch) / "run", Settings()
        ) as run:
            asyncio.run(drive(run, Settings(), Silent()))
            found["visits"] = since(found.pop("start"))
        found["peak"] = peak()
        with RunFile.open(Path(scratch) / "run") as run:
            rows = Log(run).table("visits")
            found["events"] = run.db.execute("select count(*) from event").fetchone()[0]
        for name in ("gone", "shown", "watched", "satisfaction"):
            found[name] = sum(row[name] for row in rows)
    return found


def run_plain_loop(visits: list[Any]) -> dict[str, Any]:
    """Run the plain loop over all visitors."""
    ground = build_shared_data(visits[0])
    start = clocks()
    told = [simulate_visit(ground, PlainVisitor(visit, ground)) for visit in visits]
    took = since(start)
    gone, shown, watched, satisfaction = (sum(column) for column in zip(*told, strict=True))
    return {
        **took,
        "gone": gone,
        "shown": shown,
        "watched": watched,
        "satisfaction": satisfaction,
        "peak": peak(),
    }


def child(*arguments: str) -> dict[str, Any]:
    command = [sys.executable, __file__, "--child", *arguments]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env={**os.environ, **ALONE})
    return json.loads(done.stdout)


def print_comparison(options: argparse.Namespace) -> None:
    found = child(
        "--plain", "--users", str(options.users), "--pages", str(options.pages), "--data", options.data
    )
    ours, plain = found["visits"], found["plain"]
    print(f"{options.users} visitors, {options.data}, {options.pages} pages of 4; seconds by the clock (CPU)")
    print(
        f"  fitting and opening: {found['fitting']['wall']:.1f} ({found['fitting']['cpu']:.1f}), "
        f"{found['before']:.0f} MB"
    )
    for name, took, told in (("visits", ours, found), ("plain loop", plain, plain)):
        each = {clock: took[clock] / told["gone"] * 1e6 for clock in ("wall", "cpu")}
        print(
            f"  {name}: {took['wall']:.1f} ({took['cpu']:.1f}), {each['wall']:.0f} ({each['cpu']:.0f}) us a "
            f"page, "
            f"peak {told['peak']:.0f} MB; {told['gone']} pages, {told['shown']} titles shown, "
            f"{told['watched']} taken, "
            f"mean satisfaction {told['satisfaction'] / options.users:.2f}"
        )
    print(f"  {found['events']} events logged")
    print(
        f"  ratio: {ours['wall'] / plain['wall']:.2f} by the clock, {ours['cpu'] / plain['cpu']:.2f} by CPU "
        f"time; goal: below 1"
    )


def print_growth(options: argparse.Namespace) -> None:
    """Print a row for each number of visitors."""
    each = {}
    print("visitors | ms a visitor, clock (CPU) | fitting, s CPU | peak, MB")
    for users in options.grow:
        found = child("--users", str(users), "--pages", str(options.pages), "--data", options.data)
        each[users] = {clock: took / users * 1e3 for clock, took in found["visits"].items()}
        print(
            f"{users} | {each[users]['wall']:.2f} ({each[users]['cpu']:.2f}) | {found['fitting']['cpu']:.1f} "
            f"| {found['peak']:.0f}",
            flush=True,
        )
    first, last = each[options.grow[0]], each[options.grow[-1]]
    print(
        f"last to first: {last['wall'] / first['wall']:.2f} by the clock, {last['cpu'] / first['cpu']:.2f} "
        f"by CPU time; linear is 1"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--users", type=int, default=1_000)
    parser.add_argument("--pages", type=int, default=20)
    parser.add_argument("--data", default="movielens-1m", choices=("movielens-1m", "synthetic"))
    parser.add_argument("--grow", type=int, nargs="+", metavar="N", help="such as 100 300 1000 3000 6000")
    parser.add_argument("--plain", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.data == "movielens-1m" and not os.environ.get("OPENIIR_DATA"):
        sys.exit("OPENIIR_DATA is not set, so there is no ml-1m to read; set it, or give --data synthetic")
    if options.child:
        print(json.dumps(measure_run(options.users, options.pages, options.data, options.plain)))
    elif options.grow:
        print_growth(options)
    else:
        print_comparison(options)


if __name__ == "__main__":
    main()
