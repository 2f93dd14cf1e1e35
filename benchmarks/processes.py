"""Time of whole processes: the start of the command line, a panel, a catalogue, and a sweep on two workers.

    python benchmarks/processes.py help [--repeats 15]
    python benchmarks/processes.py panel [--repeats 5]
    python benchmarks/processes.py catalogue [--items 60000] [--repeats 9]
    python benchmarks/processes.py sweep [--repeats 3] [--values 8] [--seeds 8]

`help` compares `openiir --help` with importing the command-line library alone. `panel` is `openiir run panel`
and `openiir show RUN report`, beside an interpreter that only imports what a run needs. `catalogue` loads a
collection from a CSV file and asks every index once: a title, a text with a title and with a genre in it, a
constraint; an empty one is the reference. `sweep` runs the reference panel on one worker and on two in turn;
how much two processes can get done on this machine at the time is measured in between, by a spin of fixed
length on one process and on two at once.
"""

import csv
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from measuring import OPENIIR, Spent, median_spent, run_command, spend, time_process
from openiir.core.storage import Log, RunFile

PYTHON = (sys.executable, "-c")
IMPORTS = "import numpy, pydantic, scipy.sparse, sklearn.decomposition, typer, rich.progress"
SPIN = "n = 0\nfor _ in range(30_000_000): n += 1"
CATALOGUE = """
import sys
from pathlib import Path
from openiir.kit.items import DataSpec, load
from openiir.scenarios.conversational.model.titles.facets import Facets
from openiir.scenarios.conversational.model.titles.gazetteer import Gazetteer
from openiir.scenarios.conversational.model.titles.linking import Linker
attributes = {name: name for name in ("genre", "director", "year")}
items = {"file": sys.argv[1], "key": "id", "title": "title", "attributes": attributes}
items["lists"] = {"genre": "|"}
films = load(DataSpec(name="films", kind="movie", items=items), Path.cwd()).collection
Linker(films).link("I saw The Matrix")
Gazetteer(films).find("a comedy by Ada Novak"), Facets(films).satisfying([("genre", "Drama")])
"""
GENRES = """Action Adventure Animation Comedy Crime Documentary Drama Fantasy Horror Musical Romance
Thriller""".split()
FIRST = """Silent Golden Broken Distant Crimson Paper Hollow Winter Burning Secret Last Painted Restless
Borrowed Velvet""".split()
SECOND = """Harbour Garden Letters River Promise Mirror Orchard Station Crown Shadow Waltz Fever Bridge Season
Island""".split()


def time_help(repeats: int = 15) -> None:
    turns = [(time_process(OPENIIR, "--help"), time_process(*PYTHON, "import typer")) for _ in range(repeats)]
    ours, theirs = (median_spent(costs).wall for costs in zip(*turns, strict=True))
    quickest = min(a.wall for a, _ in turns) / min(b.wall for _, b in turns)
    print(
        f"openiir --help {ours:.2f} s, importing typer {theirs:.2f} s: {ours / theirs:.2f} times",
        f"(the quickest of each: {quickest:.2f}); the goal is 1.5 or less",
    )


def time_panel(repeats: int = 5) -> None:
    turns = []
    with TemporaryDirectory() as scratch:
        for number in range(repeats):
            folder = f"{scratch}/run-{number}"
            commands = (OPENIIR, "run", "panel", "--out", folder), (OPENIIR, "show", folder, "report")
            turns.append(
                [
                    time_process(*one, stderr=subprocess.DEVNULL).wall
                    for one in (*commands, (*PYTHON, IMPORTS))
                ]
            )
        with RunFile.open(Path(folder)) as run:
            said = sum(1 for _ in Log(run).events("panel.speak"))
    running, showing, importing = map(median, zip(*turns, strict=True))
    whole = median(a + b for a, b, _ in turns)
    print(
        f"{said} utterances: run {running:.1f} s + report {showing:.1f} s = {whole:.1f} s,",
        f"{whole / importing:.1f} times the imports alone ({importing:.1f} s)",
    )


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


def time_catalogue(items: int = 60_000, repeats: int = 9) -> None:
    turns = []
    with TemporaryDirectory() as scratch:
        for name, number in (("none.csv", 0), ("many.csv", items)):
            write_films(Path(scratch) / name, number)
        for _ in range(repeats):
            files = ("none.csv", "many.csv")
            turns.append([time_process(*PYTHON, CATALOGUE, one, cwd=scratch) for one in files])
    none, many = (median_spent(costs) for costs in zip(*turns, strict=True))
    for clock in Spent._fields:
        before, after = getattr(none, clock), getattr(many, clock)
        print(f"{clock}: no items {before:.2f} s; {items:,} items {after:.2f} s, {after / before:.2f} times")


def time_sweep(repeats: int = 3, values: int = 8, seeds: int = 8) -> None:
    axis = f"config.mu={[round((n + 1) / (values + 1), 3) for n in range(values)]}"
    words = (OPENIIR, "sweep", "panel", "--vary", axis, "--seeds", str(seeds), "--out")
    turns, capacity = [], []
    with TemporaryDirectory() as scratch, ThreadPoolExecutor(2) as pool:
        for n in range(repeats):
            turns.append(
                [
                    time_process(*words, f"{scratch}/{k}-{n}", "--workers", k, stderr=subprocess.DEVNULL)
                    for k in "12"
                ]
            )
            spin = [*PYTHON, SPIN]
            both = spend(lambda: list(pool.map(lambda _: time_process(*spin), range(2))))  # noqa: B023
            capacity.append(2 * time_process(*spin).wall / both.wall)
    one, two = (median_spent(costs) for costs in zip(*turns, strict=True))
    ratio, cells = median(a.wall / b.wall for a, b in turns), values * seeds
    print(
        f"{cells} cells: one worker {one.wall:.1f} s, two {two.wall:.1f} s: {ratio:.2f} times as fast; the",
        f"goal is 1.8. CPU {one.cpu:.1f} s and {two.cpu:.1f} s ({one.cpu / cells * 1000:.0f} ms a cell). Two",
        f"processes get {median(capacity):.2f} times the computing of one (load {os.getloadavg()[0]:.1f})",
    )


if __name__ == "__main__":
    run_command(help=time_help, panel=time_panel, catalogue=time_catalogue, sweep=time_sweep)
