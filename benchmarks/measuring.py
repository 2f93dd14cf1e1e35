"""Shared by the benchmarks: command lines, timing, memory, runs of studies, other processes, and tables."""

import asyncio
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Annotated, Any, NamedTuple, TypeVar

import tomli_w
import typer

from openiir.core.storage import Log, RunFile
from openiir.kit.statistics import Estimate, mean_interval
from openiir.runs.build import run_permissions
from openiir.runs.engine import Watcher, drive
from openiir.runs.prepare import prepare_run
from openiir.runs.settings import Settings
from openiir.runs.study import load_study, study_permissions
from openiir.runs.trust import Trust

T = TypeVar("T")
Sizes = Annotated[list[int], typer.Argument()]
"""Numbers given one after the other on the command line."""
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
OPENIIR = str(Path(sys.executable).with_name("openiir"))


def run_command(*commands: Callable[..., Any], **named: Callable[..., Any]) -> None:
    """Run a function with its parameters as options of the command line, or one of several by its name."""
    app = typer.Typer(
        add_completion=False, pretty_exceptions_enable=False, help=sys.modules["__main__"].__doc__
    )
    for command in commands:
        app.command(help=sys.modules["__main__"].__doc__)(command)
    for name, command in named.items():
        app.command(name)(command)
    app()


def data_folder() -> Path:
    """Return the folder of data sets, named by OPENIIR_DATA."""
    if not os.environ.get("OPENIIR_DATA"):
        sys.exit("OPENIIR_DATA is not set; let it name the folder of the data sets")
    return Path(os.environ["OPENIIR_DATA"])


class Spent(NamedTuple):
    """Seconds by the clock, and of CPU time."""

    wall: float
    cpu: float


def read_clocks() -> Spent:
    return Spent(time.perf_counter(), time.process_time())


def since(start: Spent) -> Spent:
    """Compute the time since the clocks were read."""
    return Spent(*(now - then for now, then in zip(read_clocks(), start, strict=True)))


def spend(work: Callable[[], object]) -> Spent:
    """Measure one call in this process."""
    start = read_clocks()
    work()
    return since(start)


def median_spent(costs: Iterable[Spent]) -> Spent:
    return Spent(*map(median, zip(*costs, strict=True)))


def peak_megabytes() -> float:
    """Read the peak of this process's resident memory."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def resident_megabytes() -> float:
    """Read the resident memory of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 2**20


def in_new_process(work: Callable[..., T], *arguments: object) -> T:
    """Call a function in a new process with one thread of linear algebra, and return what it returns."""
    os.environ.update(ONE_THREAD)
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(work, *arguments).result()


def time_process(*command: str, **options: Any) -> Spent:
    """Measure a whole process, with those that it waits for."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, **options)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if status:
        sys.exit(f"{' '.join(command)} failed with {process.returncode}")
    return Spent(time.perf_counter() - start, used.ru_utime + used.ru_stime)


@contextmanager
def serving(serve: Callable[..., None], *arguments: object) -> Iterator[str]:
    """Let a function serve in a new process; yields the URL that it tells its first argument."""
    told, teller = get_context("spawn").Pipe(duplex=False)
    process = get_context("spawn").Process(target=serve, args=(teller, *arguments), daemon=True)
    process.start()
    try:
        yield told.recv()
    finally:
        process.terminate()
        process.join()


def prepare_study(
    study: str | Mapping[str, Any], folder: Path, settings: Settings | None = None, sets: Sequence[str] = ()
) -> RunFile:
    """Prepare a run in `folder` of a type's reference study, or of a trusted study with these keys."""
    if not isinstance(study, str):
        file = folder.with_suffix(".toml")
        file.write_text(tomli_w.dumps({"name": "benchmark", "seed": 1, **study}))
        study = str(file)
    loaded = load_study(study, sets, trust=Trust().with_leave(study_permissions(study, sets)))
    return prepare_run(loaded, folder, settings or Settings())


def drive_run(run: RunFile, settings: Settings | None = None, watcher: Watcher | None = None) -> str:
    """Execute a prepared run to its end, as `openiir run` does; returns the content hash."""
    trusted = {"trust": Trust().with_leave(run_permissions(run))}
    return asyncio.run(drive(run, (settings or Settings()).model_copy(update=trusted), watcher or Watcher()))


def run_study(
    study: str | Mapping[str, Any], folder: Path, settings: Settings | None = None, sets: Sequence[str] = ()
) -> Path:
    """Prepare and execute a run; returns its folder."""
    with prepare_study(study, folder, settings, sets) as run:
        drive_run(run, settings)
    return folder


def read_seeds(study: str | Mapping[str, Any], seeds: Iterable[int], *sets: str) -> Iterator[Log]:
    """Run a study under each seed, with `key=value` settings; yields each log, to be read at once."""
    for seed in seeds:
        with TemporaryDirectory() as folder:
            place = run_study(study, Path(folder) / "run", sets=[f"seed={seed}", *sets])
            with RunFile.open(place) as run:
                yield Log(run)


def print_table(head: str, rows: Iterable[Iterable[object]]) -> None:
    """Print a table as Markdown, each row as soon as it is there; columns of the head are parted by `|`."""
    print(f"| {head} |\n|{'---|' * (head.count('|') + 1)}")
    for row in rows:
        print(" ".join(f"| {' | '.join(map(str, row))} |".split()), flush=True)


def word_interval(values: Sequence[float], form: str = ".3f") -> str:
    """Write a mean over seeds and half the width of its interval; a value alike in all seeds has none."""
    one = mean_interval(values)
    half = format((one.high - one.low) / 2, form.removeprefix("+"))
    return f"{one.value:{form}}" + (f" +- {half}" if one.bounded else "")


def show(estimate: Estimate, form: str = ".3f", factor: float = 1.0) -> str:
    """Write an estimate with its interval in brackets."""
    value, low, high = (format(factor * one, form) for one in estimate[:3])
    return f"{value} ({low} to {high})"
