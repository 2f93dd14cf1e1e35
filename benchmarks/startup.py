"""Start-up time of `openiir --help` compared with importing the command-line library alone.

    python benchmarks/startup.py [--repeats 15]

Both are whole processes, alternating; the ratio is of the medians of wall time. The heaviest imports of
`openiir --help` are listed, each with what it brings in, in milliseconds.
"""

import argparse
import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

HELP = [str(Path(sys.executable).with_name("openiir")), "--help"]
LIBRARY = [sys.executable, "-c", "import typer"]


def seconds(command: Sequence[str]) -> float:
    """Measure the wall time of a process."""
    begin = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begin


def heaviest(count: int) -> list[tuple[float, str]]:
    """List the slowest imports of `openiir --help` in milliseconds, including what they import."""
    traced = subprocess.run(
        HELP, check=True, capture_output=True, text=True, env={**os.environ, "PYTHONPROFILEIMPORTTIME": "1"}
    )
    found = re.findall(r"import time:\s+\d+ \|\s+(\d+) \| +(\S+)", traced.stderr)
    return sorted(((int(micro) / 1000, name) for micro, name in found), reverse=True)[:count]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--imports", type=int, default=12, help="imports to list")
    options = parser.parse_args()
    pairs = [(seconds(HELP), seconds(LIBRARY)) for _ in range(options.repeats)]
    ours, theirs = (median(values) for values in zip(*pairs, strict=True))
    quickest = min(a for a, _ in pairs) / min(b for _, b in pairs)
    print(
        f"openiir --help {ours:.2f} s, importing typer {theirs:.2f} s: {ours / theirs:.2f} times "
        f"(the quickest of each: {quickest:.2f}); the goal is 1.5 or less"
    )
    for took, name in heaviest(options.imports):
        print(f"  {took:7.1f} ms  {name}")


if __name__ == "__main__":
    main()
