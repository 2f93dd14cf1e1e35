"""Time of hashing a run's content at its end, by recipe 2 compared with recipe 1, alone and within the end of the run.

    python benchmarks/content_hash.py [--study conversational] [--set config.dialogues=30 ...] [--repeats 9]

A study runs offline; its content is hashed by both recipes in turns, and the run is ended as `openiir run` ends it, with
the digests of what the content hash leaves out and the manifest. Processor time; the smallest of the repeats.
"""

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from openiir.core.storage import RunFile
from openiir.core.storage.content import SECTIONS, hash_section, section_rows
from openiir.runs.run_io import finish_run
from openiir.testing.offline import run_offline


def seconds(work: Callable[[], Any]) -> float:
    """Measure the processor time of `work`."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def hash_all(run: RunFile, recipe: int) -> None:
    """Hash every section by a recipe."""
    for name in SECTIONS:
        hash_section(section_rows(run.db, name), recipe)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--study", default="conversational")
    parser.add_argument("--set", action="append", default=[], dest="sets")
    parser.add_argument("--repeats", type=int, default=9)
    options = parser.parse_args()
    with TemporaryDirectory() as scratch:
        made = run_offline(options.study, Path(scratch), *options.sets)
        made.run.close()
        with RunFile.open(made.folder, writable=True) as run:
            rows = sum(1 for name in SECTIONS for _ in section_rows(run.db, name))
            taken: dict[str, list[float]] = {"1": [], "2": [], "end": []}
            for _ in range(options.repeats):
                taken["1"].append(seconds(lambda: hash_all(run, 1)))
                taken["2"].append(seconds(lambda: hash_all(run, 2)))
                taken["end"].append(seconds(lambda: finish_run(run)))
    one, two, end = (min(times) for times in taken.values())
    print(f"{options.study}: {rows:,} rows, {options.repeats} times")
    print(f"  recipe 1: {one * 1000:.1f} ms   recipe 2: {two * 1000:.1f} ms   ratio {two / one:.2f}")
    print(f"  end of the run: {end * 1000:.1f} ms; with recipe 1 {(end - two + one) * 1000:.1f} ms", end="")
    print(f"   ratio {end / (end - two + one):.3f}")


if __name__ == "__main__":
    main()
