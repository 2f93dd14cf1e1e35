"""Start-up time with a catalogue of 60,000 items compared with an empty one.

    python benchmarks/catalogue_startup.py [--items 60000] [--repeats 9]

Each process loads a collection from a CSV file and asks every index once: a title, a text with a title and
with a genre in it, a constraint. Processor time is printed beside wall time, since it is steadier on a busy
machine.
"""

import argparse
import csv
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import NamedTuple

START = """
import sys
from pathlib import Path
from openiir.kit.items import DataSpec, load
from openiir.scenarios.conversational.titles import Facets, Gazetteer, Linker, Titles
attributes = {"genre": "genre", "director": "director", "year": "year"}
items = {"file": sys.argv[1], "key": "id", "title": "title", "attributes": attributes}
items["lists"] = {"genre": "|"}
spec = DataSpec.model_validate({"name": "films", "kind": "movie", "items": items})
films = load(spec, Path.cwd()).collection
titles = Titles(films)
titles.exact("The Matrix"), Linker(films, titles).link("I saw The Matrix")
Gazetteer(films).find("a comedy by Ada Novak"), Facets(films).satisfying([("genre", "Drama")])
"""
GENRES = """Action Adventure Animation Comedy Crime Documentary Drama Fantasy Horror Musical Romance
Thriller""".split()
FIRST = """Silent Golden Broken Distant Crimson Paper Hollow Winter Burning Secret Last Painted Restless
Borrowed Velvet""".split()
SECOND = """Harbour Garden Letters River Promise Mirror Orchard Station Crown Shadow Waltz Fever Bridge Season
Island""".split()


def write_films(file: Path, items: int) -> None:
    """Write a CSV file of synthetic films with three-word titles, one or two genres and 20,000 directors."""
    with file.open("w", encoding="utf-8", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(["id", "title", "genre", "director", "year"])
        for n in range(items):
            year = 1930 + n % 95
            number = f"{'abcdefghij'[n % 10]}{n // 225}{', The' * (n % 4 == 0)}"
            title = f"{FIRST[n % 15]} {SECOND[n // 15 % 15]} {number} ({year})"
            genres = "|".join(dict.fromkeys((GENRES[n % 12], GENRES[n // 12 % 12])))
            rows.writerow([n, title, genres, f"Ada{n % 97} Novak{n % 97 * 206 + n // 97 % 206}", year])


class ProcessTime(NamedTuple):
    """Wall and CPU seconds of a process."""

    wall: float
    cpu: float


def time_process(file: str, folder: Path) -> ProcessTime:
    """Measure a process that starts with this catalogue file."""
    begin = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-c", START, file], cwd=folder)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"a start failed with {status}")
    return ProcessTime(time.perf_counter() - begin, usage.ru_utime + usage.ru_stime)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--items", type=int, default=60_000)
    parser.add_argument("--repeats", type=int, default=9)
    options = parser.parse_args()
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_films(folder / "many.csv", options.items)
        write_films(folder / "none.csv", 0)
        rows = [
            [time_process(file, folder) for file in ("none.csv", "many.csv")] for _ in range(options.repeats)
        ]
    for what in ("wall", "cpu"):
        none, many = (median(getattr(one, what) for one in column) for column in zip(*rows, strict=True))
        print(
            f"{what}: no items {none:.2f} s; {options.items:,} items {many:.2f} s, {many / none:.2f} times "
            "(the goal is 2 or less)"
        )


if __name__ == "__main__":
    main()
