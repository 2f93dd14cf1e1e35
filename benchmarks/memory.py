"""Peak memory of a long run compared with one a tenth as long.

    python benchmarks/memory.py [--short 1000] [--long 10000]

Each run, of questions answered by a provider in the same process, has a process of its own, whose peak
resident set is read when it ends. The runs alternate; the difference of the medians is what counts.
"""

import argparse
import resource
import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from bare import in_process, register, run


def measure_peak(calls: int, batch: int) -> float:
    """Measure the peak memory of a run in a new process, in megabytes."""
    command = [sys.executable, __file__, "--one", str(calls), "--batch", str(batch)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def print_peak(calls: int, batch: int) -> None:
    """Run in this process and print its peak memory."""
    with TemporaryDirectory() as scratch, in_process() as settings:
        register(Path(scratch))
        run(Path(scratch), calls, batch, settings)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--short", type=int, default=1_000)
    parser.add_argument("--long", type=int, default=10_000)
    parser.add_argument("--batch", type=int, default=100, help="questions a step")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print_peak(options.one, options.batch)
        return
    pairs = [
        (measure_peak(options.short, options.batch), measure_peak(options.long, options.batch))
        for _ in range(options.repeats)
    ]
    short, long = (median(values) for values in zip(*pairs, strict=True))
    print(
        f"peak resident set: {short:.0f} MB at {options.short} calls, {long:.0f} MB at {options.long}: "
        f"{long - short:+.1f} MB ({long / short:.2f} times); the goal is +50 MB or less"
    )


if __name__ == "__main__":
    main()
