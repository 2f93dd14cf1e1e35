"""CPU time and memory of a social medium whose members are numbers alone, from 10,000 members to 100,000.

    python benchmarks/social_media.py [--sizes 10000 100000] [--rounds 24]

Each size is a whole run of the type, with its log and checkpoints, in a process of its own: mean 20
followees, one post a member in fifty hours, the ranker `engagement`. The reference is the smallest size: a
ratio of 1 is a cost per member that does not grow.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from openiir.testing import run_offline


def print_run(members: int, rounds: int) -> None:
    """Run one size and print its figures as JSON."""
    config = {
        "statement": "The bridge should be closed",
        "topics": ["traffic", "noise"],
        "members": members,
        "rounds": rounds,
    }
    with tempfile.TemporaryDirectory() as folder:
        start = time.process_time()
        done = run_offline({"type": "social_media", "personas": [], "config": config}, Path(folder) / "run")
        cpu = time.process_time() - start
        looks = sum(row["looks"] for row in done.log.table("rounds"))
        done.run.close()
        size = sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file())
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"cpu": cpu, "looks": looks, "memory": memory, "folder": size / 2**20}))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--rounds", type=int, default=24)
    parser.add_argument("--one", type=int, help="run this size alone, in this process")
    given = parser.parse_args()
    if given.one:
        print_run(given.one, given.rounds)
        return
    first = 0.0
    for members in given.sizes:
        command = [sys.executable, __file__, "--one", str(members), "--rounds", str(given.rounds)]
        found = json.loads(
            subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1]
        )
        each = found["cpu"] / (members * given.rounds)
        first = first or each
        print(
            f"{members:>9,} members: {found['cpu']:.1f} s CPU, {1 / each:,.0f} user-rounds a CPU second "
            f"({each / first:.2f} of the smallest a user-round), {found['looks']:,} looks, "
            f"{found['memory']:,.0f} MB, run folder {found['folder']:.1f} MB"
        )


if __name__ == "__main__":
    main()
