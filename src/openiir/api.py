"""The Python interface: run, inspect, sweep and compare studies from a notebook or a script.

Every function does what the command of its name does, with the same options. Errors are subclasses of
`openiir.core.errors.OpeniirError`. Calls block, also where an event loop runs; `await arun(...)` does not.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from html import escape
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypeVar

from openiir.core.errors import InputError, OpeniirError
from openiir.core.html import notebook_table
from openiir.core.records import Measure, Persona
from openiir.core.storage import Log, RunFile
from openiir.plugin.answer_notes import answer_summary
from openiir.runs import columns, run_io
from openiir.runs.changes import parse_assignment, parse_settings
from openiir.runs.compare import Comparison, ComparisonOptions
from openiir.runs.compare import compare as compare_folders
from openiir.runs.compare.drawing import DrawnComparison
from openiir.runs.edge import call_blocking, call_in_thread
from openiir.runs.execute import (
    ForkOrder,
    LocalOptions,
    RunOrder,
    ask_run,
    fork_run,
    replay_run,
    resume_run,
    run_studies,
)
from openiir.runs.post_run import measure, scenario_of, surfaces_of
from openiir.runs.progress import arm_name
from openiir.runs.sweep.axes import format_assignment
from openiir.runs.sweep.execute import run_sweep
from openiir.runs.sweep.planning import SweepOrder
from openiir.runs.sweep_record import read_sweep, with_status
from openiir.runs.verify import Verification, verify_run
from openiir.runs.views.emit import Drawing, find_view, name_run, output_view

T = TypeVar("T")
Place = str | PathLike[str]
Values = Mapping[str, Any]
"""Values of a study's keys, dotted as on the command line, such as {"seed": 8, "config.mu": 0.2}."""


def run(
    study: Place,
    *,
    set: Values | None = None,
    out: Place | None = None,
    recording: "Run | Place | None" = None,
    skip_bad: bool = False,
    fetch: bool = False,
    again: bool = False,
    settings: Place | None = None,
    workers: int | None = None,
    trust: bool = False,
    progress: bool = True,
) -> "Run":
    """Run a study (a file, a folder with study.toml, or the name of a type) to its end.

    `set` replaces keys of the study. Without `out` the run goes to the next free folder of the settings'
    `runs`. `trust` shows what the study needs permission for and allows it once. Progress goes to standard
    error. Raises InputError for a study with mistakes, Untrusted for one that lacks permissions, and
    KeyboardInterrupt at Ctrl-C: what was committed is safe, and `Run.resume` continues the run.
    """
    order = RunOrder(_path(out), _assignments(set), _path(recording), skip_bad, fetch, again)
    local = LocalOptions(_path(settings), workers, trust, progress)
    (outcome,) = call_blocking(partial(run_studies, [str(study)], order, local))
    if outcome.error is not None:
        raise outcome.error
    return Run(outcome.folder)


async def arun(study: Place, **options: Any) -> "Run":
    """Run a study as `run` does, in a thread of its own, and await its end; several can run at the same time.

    A cancellation stops the run as Ctrl-C does.
    """
    return await call_in_thread(partial(run, study, **options))


def open_run(folder: Place) -> "Run":
    """Open a run, also a running one; raises InputError for no run, DamagedRun for a damaged one."""
    run_io.open_checked(Path(folder)).close()
    return Run(Path(folder))


def sweep(
    study: Place,
    *,
    vary: Mapping[str, Any] | None = None,
    seeds: int | None = None,
    design: str | None = None,
    samples: int | None = None,
    generations: int | None = None,
    fitness: str | None = None,
    set: Values | None = None,
    out: Place | None = None,
    workers: int | None = None,
    engine: str = "local",
    skip_bad: bool = False,
    fetch: bool = False,
    settings: Place | None = None,
    trust: bool = False,
    progress: bool = True,
) -> "Sweep":
    """Run a study under many settings and seeds; the same sweep found at `out` is resumed.

    `vary` gives each key a list of values or a range, "0.1..0.9" or {"low": 0.1, "high": 0.9, "log": True}.
    Raises as `run`; a cell that fails stops no other. `generations` and `fitness` are of design "evolve".
    """
    axes = tuple(
        f"{key}={axis}" if isinstance(axis, str) else format_assignment(key, axis)
        for key, axis in (vary or {}).items()
    )
    order = SweepOrder(str(study), _assignments(set), axes, design, samples, seeds, generations, fitness)
    local = LocalOptions(_path(settings), workers, trust, progress)
    work = partial(run_sweep, order, _path(out), local, engine=engine, skip_bad=skip_bad, fetch=fetch)
    folder, _ = call_blocking(work)
    return Sweep(folder)


def compare(
    *runs: "Run | Sweep | Place",
    measures: Sequence[str] = (),
    baseline: str | None = None,
    keys: Sequence[str] = (),
    smallest: Mapping[str, float] | None = None,
    set: Values | None = None,
    workers: int | None = None,
) -> Comparison:
    """Compare runs and sweeps, or their folders, side by side, paired by their seeds.

    `measures` were declared beforehand, and are a family of tests; `set` says how runs are measured.
    """
    wanted = ComparisonOptions(
        parse_settings(_assignments(set)), measures, baseline, keys, smallest or {}, workers
    )
    found = compare_folders([path for one in runs if (path := _path(one))], wanted)
    return DrawnComparison(**{name: value for name, value in found})  # noqa: C416  a field is called keys


class Run:
    """A run in a folder, read again at each call, so that a live run shows its newest steps."""

    def __init__(self, folder: Place) -> None:
        self.folder = Path(folder)

    @cached_property
    def study(self) -> dict[str, Any]:
        """The study as it was run, with its defaults filled in."""
        return self._read(lambda run: run.study())

    @property
    def personas(self) -> tuple[Persona, ...]:
        """The personas of the run: its cast, then those who joined during the run."""
        return self._read(lambda run: Log(run).personas)

    @property
    def status(self) -> str:
        """Status of the run: `done`, `running`, `stopped` or `failed`."""
        return self._read(lambda run: str(run.state("status")))

    @property
    def content(self) -> str:
        """Content hash of the run; empty until the run has ended."""
        return self._read(lambda run: run.state("content") or "")

    def measures(self, set: Values | None = None) -> dict[str, Measure]:
        """Compute the measures of a finished run from its log; `set` says how it is measured."""
        return columns.Measures(measure(self.folder, parse_settings(_assignments(set))))

    def surface(self, name: str, *, agent: str | None = None, n: int | None = None) -> Any:
        """Return the data of a view (a Table, Series, Graph, ... or list of entries); raises UnknownName.

        `agent` narrows it to a persona, `n` to its last entries or rows (of rankings the first).
        """
        return self._read(lambda run: find_view(run, name, agent, n)[1])

    def show(
        self, name: str, *, agent: str | None = None, n: int | None = None, out: Place | None = None
    ) -> Drawing:
        """Draw a view: a notebook shows it, `print` prints it; `out` writes it to a file as well.

        The file's ending decides what is written: .txt, .json, .svg, .png, .graphml and so on.
        """
        file = _path(out)
        with self._open() as read:
            title, view = find_view(read, name, agent, n, file)
            answered = answer_summary(Log(read))
            if file is not None:
                output_view(title, view, "", file, name_run(read), answered)
        return Drawing(title, view, answered)

    def events(self, kind: str | None = None) -> Any:
        """Return the log as an Arrow table; for one kind of event, with a column for each key of the payload.

        Raises UnknownName for a kind that is not in the log.
        """
        return self._read(lambda run: columns.events(run, kind))

    def table(self, name: str) -> Any:
        """Return a table that the run logged, as an Arrow table. Raises UnknownName."""
        return self._read(lambda run: columns.table(run, name))

    def calls(self) -> Any:
        """Return the ledger as an Arrow table: each reply that cannot be computed again, with its request."""
        return self._read(columns.calls)

    def claims(self) -> Any:
        """Return the claims extracted in the run, as an Arrow table."""
        return self._read(columns.claims)

    def resume(
        self,
        *,
        recording: "Run | Place | None" = None,
        settings: Place | None = None,
        workers: int | None = None,
        trust: bool = False,
        progress: bool = True,
    ) -> "Run":
        """Resume a run that was stopped or killed, and execute it to its end."""
        local = LocalOptions(_path(settings), workers, trust, progress)
        call_blocking(partial(resume_run, self.folder, _path(recording), local))
        return self

    def replay(
        self,
        *,
        settings: Place | None = None,
        workers: int | None = None,
        trust: bool = False,
        progress: bool = True,
    ) -> str:
        """Execute a run again from its ledger alone; returns the content hash or raises ReplayDifference."""
        local = LocalOptions(_path(settings), workers, trust, progress)
        return call_blocking(partial(replay_run, self.folder, local))

    def verify(self) -> Verification:
        """Verify whether a finished run was changed; `list_changes()` names the parts that were."""
        return verify_run(self.folder)

    def fork(
        self,
        *,
        step: int | None = None,
        at: str | None = None,
        set: Values | None = None,
        events: Sequence[str] = (),
        out: Place | None = None,
        recording: "Run | Place | None" = None,
        settings: Place | None = None,
        trust: bool = False,
        progress: bool = True,
    ) -> "Run":
        """Fork this run at a step (its number, or its label `at`), with other values or `events`."""
        order = ForkOrder(step, at, dict(map(parse_assignment, _assignments(set))), tuple(events))
        local = LocalOptions(_path(settings), None, trust, progress)
        outcome = call_blocking(partial(fork_run, self.folder, order, _path(out), _path(recording), local))
        return Run(outcome.folder)

    def ask(self, persona: str, question: str, *, settings: Place | None = None, trust: bool = False) -> str:
        """Ask a persona by id about its part in a finished run; raises OpeniirError for no usable answer."""
        if persona == "all":
            raise InputError("one persona is asked at a time; ask each of run.personas by its id")
        local = LocalOptions(_path(settings), None, trust)
        ((_, words),) = call_blocking(partial(ask_run, self.folder, persona, question, local))
        if words is None:
            raise OpeniirError(
                f"{persona} gave no usable answer; what came is kept in {self.folder / 'after.db'}"
            )
        return words

    def _repr_html_(self) -> str:
        with self._open() as read:
            study, log = read.study(), Log(read)
            facts = [
                ("study", f"{study['name']} ({study['type']}), seed {study['seed']}"),
                ("status", ", ".join(filter(None, (read.state("status"), read.state("reason"))))),
                ("content", read.state("content") or "not yet"),
                ("steps", f"{len(log.steps()):,}"),
                ("personas", ", ".join(persona.id for persona in log.personas)),
                ("show(...)", ", ".join(surfaces_of(scenario_of(read)))),
                ("events(...)", ", ".join(columns.event_kinds(read))),
                ("table(...)", ", ".join(columns.table_names(read))),
            ]
        table = notebook_table(("", ""), filter(all, facts), 0)
        return f"<p><b>Run</b> {escape(str(self.folder))}</p>{table}"

    def __repr__(self) -> str:
        return f"Run({str(self.folder)!r})"

    def _open(self) -> RunFile:
        return run_io.open_checked(self.folder, check=lambda run: None)

    def _read(self, work: Callable[[RunFile], T]) -> T:
        with self._open() as run:
            return work(run)


class Sweep:
    """A sweep in a folder, perhaps still running: its cells, each an ordinary run."""

    def __init__(self, folder: Place) -> None:
        self.folder = Path(folder)

    @property
    def cells(self) -> Any:
        """The runs of the sweep as an Arrow table: values of the axes, seed, status and content hash."""
        return columns.cells(read_sweep(self.folder))

    @property
    def runs(self) -> "list[Run]":
        """The finished runs, in the order of the cells."""
        return [Run(self.folder / cell.folder) for cell in with_status(read_sweep(self.folder).cells, "done")]

    @property
    def content(self) -> str:
        """One hash over the content hashes of all cells in order."""
        return read_sweep(self.folder).content()

    def _repr_html_(self) -> str:
        counts = Counter((arm_name(cell), cell.status) for cell in read_sweep(self.folder).cells)
        states: tuple[Literal["done", "failed", "waiting"], ...] = ("done", "failed", "waiting")
        arms = dict.fromkeys(arm for arm, _ in counts)
        rows = [(arm, *(counts[arm, state] for state in states)) for arm in arms]
        table = notebook_table(("arm", *states), rows, len(rows))
        return f"<p><b>Sweep</b> {escape(str(self.folder))}</p>{table}"

    def __repr__(self) -> str:
        return f"Sweep({str(self.folder)!r})"


def _path(place: "Run | Sweep | Place | None") -> Path | None:
    return place.folder if isinstance(place, Run | Sweep) else None if place is None else Path(place)


def _assignments(values: Values | None) -> tuple[str, ...]:
    """Format values as the assignments that `--set` takes."""
    return tuple(format_assignment(key, value) for key, value in (values or {}).items())


columns.show_in_notebooks()
