"""Speed-up of a sweep of 64 small cells on two workers instead of one.

    python benchmarks/sweep.py [--repeats 3] [--values 8] [--seeds 8]

Whole `openiir sweep` processes over the reference panel, starting and planning included, one worker and two
in turn. How much two processes can get done on this machine at the time is measured in between, by pure
computing: a spin of fixed length on one process and on two at once. The goal is 1.8 or more where two
processes get twice as much done.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

OPENIIR = str(Path(sys.executable).with_name("openiir"))
SPIN = [sys.executable, "-c", "n = 0\nfor _ in range(30_000_000): n += 1"]


def seconds(*commands: Sequence[str]) -> tuple[float, float]:
    """Run processes concurrently; return their wall time and total CPU time."""
    begin, before = time.perf_counter(), os.times()
    started = [subprocess.Popen(c, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for c in commands]
    codes = [process.wait() for process in started]
    if any(codes):
        raise SystemExit(f"a process failed: {codes}")
    after = os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return time.perf_counter() - begin, spent


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--values", type=int, default=8, help="values of config.mu")
    parser.add_argument("--seeds", type=int, default=8)
    options = parser.parse_args()
    axis = f"config.mu={[round((n + 1) / (options.values + 1), 3) for n in range(options.values)]}"
    words = [OPENIIR, "sweep", "panel", "--vary", axis, "--seeds", str(options.seeds), "--out"]
    one, two, capacity = [], [], []
    with TemporaryDirectory() as scratch:
        for n in range(options.repeats):
            one.append(seconds([*words, f"{scratch}/one-{n}", "--workers", "1"]))
            two.append(seconds([*words, f"{scratch}/two-{n}", "--workers", "2"]))
            capacity.append(2 * seconds(SPIN)[0] / seconds(SPIN, SPIN)[0])
    cells = options.values * options.seeds
    ratio = median(a / b for (a, _), (b, _) in zip(one, two, strict=True))
    (wall_1, cpu_1), (wall_2, cpu_2) = (map(median, zip(*runs, strict=True)) for runs in (one, two))
    print(
        f"{cells} cells: one worker {wall_1:.1f} s, two {wall_2:.1f} s: {ratio:.2f} times as fast; the goal "
        f"is 1.8 or "
        f"more. CPU {cpu_1:.1f} s and {cpu_2:.1f} s ({cpu_1 / cells * 1000:.0f} ms a cell). Two processes "
        f"get "
        f"{median(capacity):.2f} times the computing of one done here (load {os.getloadavg()[0]:.1f})"
    )


if __name__ == "__main__":
    main()
