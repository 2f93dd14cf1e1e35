"""Time and memory of a curated feed compared with T-RECS 0.2.1 (Lucherini et al. 2021) on the same work.

    python3.8 -m venv trecs && trecs/bin/pip install trecs==0.2.1 numpy==1.23.5
    python benchmarks/feed_trecs.py trecs/bin/python [--users 6000] [--items 6000] [--steps 4]

T-RECS pins pandas 1.0.5, which wants Python 3.8 and NumPy below 1.24; so it runs under an interpreter of its
own. The work of a step: every user ranks every item by the dot product of 12 numbers, is shown the best 10,
chooses, and changes. Ours are sessions of a study driven as `openiir run` drives it, which do more: items
already shown are left out, one slate in ten is shuffled, ten positions are gone through one after the other,
and every impression is logged with its propensities, beside the oracle table and the aggregates. T-RECS
chooses one item of the slate a step and keeps its users' scores. Both have one thread. T-RECS is measured
with two models, and the goals are counted against the better of the two. A step of T-RECS is the mean of
those after the first; a session of ours is the difference between a long run and one of a single session,
divided by the sessions between them, because a run commits once a week; our whole run, with start and log, is
printed beside.

Goals: at least 40 times as fast, at most a quarter of the memory.
"""

import argparse
import asyncio
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

SIDE = Path(__file__).resolve().with_name("feed_trecs_side.py")
STUDY = """
type = "curated_feed"
name = "trecs"
seed = 1

[config]
users = {users}
topics = 12
weeks = 1
sessions = {sessions}
slots = 10
candidates = 50
ranker = "similarity"
beside = []
items.per_week = {items}
"""


def run_child(*command: object) -> dict[str, object]:
    """Run a command in its own process, on one thread, and parse its JSON output."""
    alone = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    line = [str(c) for c in command]
    with TemporaryDirectory() as scratch:  # T-RECS leaves a log where it runs
        done = subprocess.run(line, check=True, stdout=subprocess.PIPE, text=True, env=alone, cwd=scratch)
    return json.loads(done.stdout)


def run_ours(users: int, items: int, sessions: int) -> None:
    """Measure one openiir run in this process and print it as JSON."""
    from openiir.runs.engine import Silent, drive
    from openiir.runs.prepare import prepare_run
    from openiir.runs.settings import Settings
    from openiir.runs.study import load_study

    with TemporaryDirectory() as scratch:
        study = Path(scratch) / "study.toml"
        study.write_text(STUDY.format(users=users, items=items, sessions=sessions))
        start = time.perf_counter(), time.process_time()
        with prepare_run(load_study(str(study)), Path(scratch) / "run", Settings()) as run:
            asyncio.run(drive(run, Settings(), Silent()))
        wall, cpu = time.perf_counter() - start[0], time.process_time() - start[1]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"wall": wall, "cpu": cpu, "peak": peak}))


def compare(options: argparse.Namespace) -> None:
    size, steps = (options.users, options.items), options.steps
    run_child(
        sys.executable, Path(__file__).resolve(), "--ours", 100, 600, 1
    )  # so that nothing is read from disk for the first time
    runs = [
        run_child(sys.executable, Path(__file__).resolve(), "--ours", *size, n) for n in (1, 1 + 2 * steps)
    ]
    session = {what: (runs[1][what] - runs[0][what]) / (2 * steps) for what in ("wall", "cpu")}
    memory = runs[1]["peak"]
    print(
        f"openiir, a session: {session['wall']:.2f} s, {session['cpu']:.2f} s CPU, peak {memory:.0f} MB "
        f"(whole run of {1 + 2 * steps}: {runs[1]['wall']:.1f} s, {runs[1]['cpu']:.1f} s CPU)"
    )
    found = {}
    for kind in ("oracle", "popularity"):
        theirs = run_child(Path(options.trecs).absolute(), "-W", "ignore", SIDE, kind, *size, steps)
        step = {what: sum(theirs[what][1:]) / (steps - 1) for what in ("wall", "cpu")}
        print(
            f"T-RECS, {kind}, a step: {step['wall']:.2f} s, {step['cpu']:.2f} s CPU, peak "
            f"{theirs['peak']:.0f} MB"
        )
        found[kind] = (step["wall"] / session["wall"], step["cpu"] / session["cpu"], memory / theirs["peak"])
    for kind, (wall, cpu, share) in found.items():
        print(f"against {kind}: {wall:.0f} times as fast (CPU {cpu:.0f} times), {share:.2f} of the memory")
    wall, cpu, share = (
        min(f[0] for f in found.values()),
        min(f[1] for f in found.values()),
        max(f[2] for f in found.values()),
    )
    print(f"against the better of each: {wall:.0f} times (CPU {cpu:.0f}; goal 40), {share:.2f} (goal 0.25)")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("trecs", nargs="?", help="a Python that can import trecs")
    parser.add_argument("--users", type=int, default=6_000)
    parser.add_argument("--items", type=int, default=6_000)
    parser.add_argument("--steps", type=int, default=4, help="of T-RECS; ours are twice as many")
    parser.add_argument("--ours", nargs=3, type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.ours:
        run_ours(*options.ours)
        return
    if not options.trecs:
        parser.error(
            "name the Python of an environment with T-RECS 0.2.1; this file's first lines say how to make one"
        )
    compare(options)


if __name__ == "__main__":
    main()
