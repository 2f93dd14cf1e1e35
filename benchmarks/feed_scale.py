"""Scaling of a feed with the number of users: time per user, memory, throughput and memory bandwidth.

    python benchmarks/feed_scale.py [--users 10000 100000 1000000] [--workers 1 2] [--profile]

12 topics, one slate of 10 from 50 candidates a week, 12 weeks, one feed, impressions kept of 1,000 users.
Each run is a process of its own, driven as `openiir run` drives it; it begins with a small run, whose imports
and first calls are not counted. "Marginal" is the time per user-week between a size and the one before, which
leaves out what any run costs. A user-week's bytes are the least that its work has to move if nothing but
state were ever read or written: see `least_bytes`. The copy that they are compared with is numpy's, of an
array far beyond the caches, in the same run.

Goals: at most 1.2 times the time per user at the largest size as at the smallest, at most 8 GB.

`--profile` runs 50,000 users on one worker under cProfile, by CPU time, instead.
"""

import argparse
import asyncio
import cProfile
import json
import os
import pstats
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from openiir.runs.engine import Silent, drive
from openiir.runs.prepare import prepare_run
from openiir.runs.settings import Settings
from openiir.runs.study import load_study

TOPICS, SLOTS, CANDIDATES, WEEKS, PER_WEEK = 12, 10, 50, 12, 200
STUDY = """
type = "curated_feed"
name = "scale"
seed = 1

[config]
users = {users}
topics = 12
weeks = 12
sessions = 1
slots = 10
candidates = 50
pool = 50
ranker = "{ranker}"
beside = []
kept = {kept}
items.per_week = 200
"""


def least_bytes() -> int:
    """Compute the least bytes that a user-week reads and writes.

    Beliefs, tastes, evidence and exposure are read and written, first beliefs read (9 rows of k numbers); two
    counters and a bit per item, read and written; candidates and slate written and read once.
    """
    state = 9 * TOPICS * 8 + 2 * 2 * 8 + 2 * (WEEKS + 1) / 2 * PER_WEEK / 8
    return int(state + 2 * 8 * (CANDIDATES + SLOTS))


def copied_a_second() -> float:
    """Measure the bytes that NumPy reads and writes per second when copying, on one thread; the best of
    five."""
    source = np.ones(2**26)
    target, best = np.zeros_like(source), np.inf
    for _ in range(5):
        start = time.perf_counter()
        np.copyto(target, source)
        best = min(best, time.perf_counter() - start)
    return 2 * source.nbytes / best


def time_run(users: int, workers: int, ranker: str) -> dict[str, float]:
    """Measure one run in this process."""
    settings = Settings(workers=workers)
    with TemporaryDirectory() as scratch:
        study = Path(scratch) / "study.toml"
        study.write_text(STUDY.format(users=users, kept=min(1.0, 1000 / users), ranker=ranker))
        start = time.perf_counter(), time.process_time()
        with prepare_run(load_study(str(study)), Path(scratch) / "run", settings) as run:
            asyncio.run(drive(run, settings, Silent()))
        return {"wall": time.perf_counter() - start[0], "cpu": time.process_time() - start[1]}


def print_one_run(users: int, workers: int, ranker: str) -> None:
    time_run(100, workers, ranker)
    found = time_run(users, workers, ranker)
    print(json.dumps({**found, "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))


def run_child(users: int, workers: int, ranker: str) -> dict[str, float]:
    alone = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    command = [sys.executable, __file__, "--one", str(users), str(workers), "--ranker", ranker]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=alone)
    return json.loads(done.stdout)


def print_scaling(sizes: list[int], workers: int, ranker: str, speed: float) -> None:
    """Print a row for each size, and the ratios of the last to the first."""
    rows = []
    for size in sizes:
        found = run_child(size, workers, ranker)
        marginal = {}
        if rows:
            more = (size - rows[-1][0]) * WEEKS
            marginal = {what: (found[what] - rows[-1][1][what]) / more * 1e6 for what in ("wall", "cpu")}
        rows.append((size, found, marginal))
        each = {what: found[what] / (size * WEEKS) * 1e6 for what in ("wall", "cpu")}
        between = f"{marginal['wall']:.2f} ({marginal['cpu']:.2f})" if marginal else "-"
        share = least_bytes() / (each["cpu"] * 1e-6) / speed
        print(
            f"| {workers} | {size:,} | {found['wall']:.1f} ({found['cpu']:.1f}) | {each['wall']:.2f} "
            f"({each['cpu']:.2f}) "
            f"| {between} | {1e6 / each['wall']:,.0f} | {found['peak']:.0f} | {share:.1%} |",
            flush=True,
        )
    if len(rows) > 1:
        ratios = [
            rows[-1][1][what] / rows[-1][0] / (rows[0][1][what] / rows[0][0]) for what in ("wall", "cpu")
        ]
        print(
            f"| {workers} | time per user, last to first: {ratios[0]:.2f} (CPU {ratios[1]:.2f}); goal 1.2 |"
        )
    if len(rows) > 2:
        ratios = [rows[-1][2][what] / rows[1][2][what] for what in ("wall", "cpu")]
        print(f"| {workers} | the same, marginal: {ratios[0]:.2f} (CPU {ratios[1]:.2f}) |")


def profile_run(ranker: str) -> None:
    time_run(100, 1, ranker)
    profile = cProfile.Profile(time.process_time)
    profile.runcall(time_run, 50_000, 1, ranker)
    pstats.Stats(profile).strip_dirs().sort_stats("tottime").print_stats(28)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--users", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--ranker", default="similarity")
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--copy", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--one", nargs=2, type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.copy:
        print(copied_a_second())
    elif options.one:
        print_one_run(*options.one, options.ranker)
    elif options.profile:
        profile_run(options.ranker)
    else:
        # In a process of its own, since a child's peak begins with what its parent holds.
        speed = float(subprocess.check_output([sys.executable, __file__, "--copy"], text=True))
        print(f"copying: {speed / 1e9:.1f} GB/s; the least a user-week moves: {least_bytes()} bytes\n")
        print(
            "| workers | users | whole run, s (CPU) | a user-week, us (CPU) | marginal | user-weeks/s | "
            "peak, MB "
            "| share of the copy's speed |\n|---|---|---|---|---|---|---|---|"
        )
        for workers in options.workers:
            print_scaling(options.users, workers, options.ranker, speed)


if __name__ == "__main__":
    main()
