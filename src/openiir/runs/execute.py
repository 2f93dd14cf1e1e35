"""Perform whole operations on runs for commands and notebooks: run, resume, replay, fork and ask.

The functions block and start event loops of their own: within a running one call them through `runs.edge`.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from openiir.core.errors import InputError, OpeniirError
from openiir.core.records import Persona
from openiir.core.storage import RunFile
from openiir.core.storage.database import translate_errors
from openiir.core.sums import int_sum
from openiir.runs.build import RunSources
from openiir.runs.edge import run_coroutine
from openiir.runs.engine import Watcher, drive, resume
from openiir.runs.forecast import Forecast, forecast_by_pilot, forecast_lines, forecast_run
from openiir.runs.fork import ForkPlan, fork
from openiir.runs.interviews import InterviewAnswer, interview
from openiir.runs.prepare import SourceOptions, prepare_run
from openiir.runs.progress import progress
from openiir.runs.replay import replay
from openiir.runs.run_io import open_checked
from openiir.runs.settings import Settings, load_settings, run_with_permissions
from openiir.runs.study import LoadedStudy, load_study
from openiir.runs.terminal import print_message

Tell = Callable[[str], None]


@dataclass(frozen=True)
class LocalOptions:
    """Options of this machine that change no result."""

    settings_file: Path | None = None
    workers: int | None = None
    trust: bool = False
    """Whether the permissions that a study needs are granted for this one call."""
    shown: bool = True

    def settings(self) -> Settings:
        """Load the settings from the named file, or from the usual places."""
        return load_settings(self.settings_file, self.workers)

    def tell(self, text: str) -> None:
        """Print a message to standard error, unless output is switched off."""
        if self.shown:
            print_message(text)


@dataclass(frozen=True)
class RunOrder:
    """Options of `openiir run` other than the studies to run."""

    out: Path | None = None
    sets: tuple[str, ...] = ()
    recording: Path | None = None
    skip_bad: bool = False
    fetch: bool = False
    again: bool = False


@dataclass(frozen=True)
class ForkOrder:
    """Options of `openiir fork`: the step at which the fork leaves its parent, and what it changes."""

    step: int | None = None
    at: str | None = None
    """Label of the step, instead of its number."""
    set: Mapping[str, Any] = field(default_factory=dict)
    events: tuple[str, ...] = ()

    def moment(self) -> int | str:
        """Return the step's number or label; raises InputError unless exactly one of them is given."""
        named = [one for one in (self.step, self.at) if one is not None]
        if len(named) != 1:
            raise InputError(
                "a fork leaves its parent at one step; name it either by number (--step 10) or by label"
            )
        return named[0]


class RunOutcome(NamedTuple):
    """Outcome of a run: its folder, with the content hash or the error."""

    folder: Path
    content: str
    error: BaseException | None


def run_studies(targets: Sequence[str], order: RunOrder, local: LocalOptions) -> list[RunOutcome]:
    """Run studies concurrently, each to its end; none is started if one of them cannot be prepared."""
    settings, loaded = _load(targets, order, local)
    if order.recording and not any("recording" in study.answered_by() for study in loaded):
        raise InputError('no recording is played here; set answers = "recording", or leave --recording out')
    with _run_folders(loaded, order.out, settings) as folders, ExitStack() as exits:
        played = exits.enter_context(open_checked(order.recording)) if order.recording else None
        runs = _prepare_all(loaded, folders, order, settings, local.tell, exits)
        try:
            run_coroutine(_forecast_all(runs, settings, local.tell))
            return run_coroutine(_drive_all([run for _, run in runs], settings, played, local.shown))
        except KeyboardInterrupt:
            local.tell("\n".join(f"run: {folder}" for folder in folders))
            raise


def forecast_studies(targets: Sequence[str], order: RunOrder, local: LocalOptions) -> None:
    """Print a forecast of the model calls and tokens that studies would need."""
    settings, loaded = _load(targets, order, local)
    with TemporaryDirectory(prefix="openiir-forecast-") as scratch, ExitStack() as exits:
        folders = [Path(scratch) / study.study.name for study in loaded]
        runs = _prepare_all(loaded, folders, order, settings, local.tell, exits)
        run_coroutine(_forecast_all(runs, settings, local.tell))
    if offline := int_sum("model" not in study.answered_by() for study in loaded):
        who = "the study asks" if offline == 1 else f"{offline} studies ask"
        local.tell(f"{who} no model: no call to forecast")


def pilot_studies(targets: Sequence[str], order: RunOrder, local: LocalOptions, size: int) -> list[Path]:
    """Execute the beginnings of studies, print forecasts from them, and return the stopped runs' folders."""
    settings, loaded = _load(targets, order, local)
    with _run_folders(loaded, order.out, settings) as folders, ExitStack() as exits:
        played = exits.enter_context(open_checked(order.recording)) if order.recording else None
        runs = _prepare_all(loaded, folders, order, settings, local.tell, exits)
        for _, run in runs:
            with progress(local.shown) as watch:
                watcher = watch(run.folder.name)
                tell = partial(_tell_forecast, settings=settings, tell=local.tell)
                run_coroutine(
                    forecast_by_pilot(run, settings, size, watcher, tell, RunSources(played=played))
                )
        return folders


def resume_run(folder: Path, recording: Path | None, local: LocalOptions) -> str:
    """Resume a run that was stopped or killed and return its content hash."""
    with ExitStack() as exits:
        played = exits.enter_context(open_checked(recording)) if recording else None
        watcher = exits.enter_context(progress(local.shown))(str(folder))
        settings = local.settings()
        return run_with_permissions(
            settings, local.trust, lambda leave: run_coroutine(resume(folder, leave, watcher, played))
        )[1]


def replay_run(folder: Path, local: LocalOptions) -> str:
    """Execute a run again from its ledger, compare, and return its content hash. Raises ReplayDifference."""
    settings = Settings(trust=local.settings().trust, workers=local.workers or 1)
    with progress(local.shown) as watch:
        watcher = watch(f"replay of {folder}")
        return run_with_permissions(
            settings, local.trust, lambda leave: run_coroutine(replay(folder, leave, watcher))
        )[1]


def fork_run(
    folder: Path, order: ForkOrder, out: Path | None, recording: Path | None, local: LocalOptions
) -> RunOutcome:
    """Fork a run at a step with changed keys and added events, and execute the fork to its end."""
    settings = local.settings()
    with open_checked(folder) as parent:
        name = str(parent.study()["name"]).replace(" ", "-")
    with free_folders(settings.runs, [] if out else [f"{name}-fork"]) as free, ExitStack() as exits:
        place = out or free[0]
        played = exits.enter_context(open_checked(recording)) if recording else None
        settings, (forked, plan) = run_with_permissions(
            settings,
            local.trust,
            lambda leave: fork(folder, order.moment(), order.set, place, leave.trust, order.events),
        )
        exits.enter_context(forked)
        local.tell(_fork_words(folder, plan))
        watcher = exits.enter_context(progress(local.shown))(place.name)
        return RunOutcome(place, run_coroutine(_drive_one(forked, settings, watcher, played)), None)


def ask_run(
    folder: Path, agent: str, question: str, local: LocalOptions, thread: str = "", look_up: str = ""
) -> list[tuple[Persona, str | None]]:
    """Ask a persona of a finished run, or `all`; returns personas with answers, None where unusable.

    `look_up` names the world in which they look the question up first.
    """
    if not question.strip():
        raise InputError('there is no question; write it last: openiir ask RUN --agent ID "question"')

    def work(leave: Settings) -> list[InterviewAnswer]:
        return run_coroutine(interview(folder, agent, question, leave, thread, look_up))

    return [(one.persona, one.words) for one in run_with_permissions(local.settings(), local.trust, work)[1]]


@contextmanager
def free_folders(runs: Path, names: Sequence[str]) -> Iterator[list[Path]]:
    """Create for each name the first free folder NAME-001, NAME-002, ..., so that no other process takes it.

    Folders that are still empty at the end are removed.
    """
    made: list[Path] = []
    try:
        made.extend(_make_free(runs, name) for name in names)
        yield made
    finally:
        for folder in made:
            with suppress(OSError):  # there is a run in it, or it is gone
                folder.rmdir()


def _make_free(runs: Path, name: str) -> Path:
    for number in count(1):
        folder = runs / f"{name}-{number:03}"
        with translate_errors(folder), suppress(FileExistsError):
            folder.mkdir(parents=True)
            break
    return folder


@contextmanager
def _run_folders(loaded: Sequence[LoadedStudy], out: Path | None, settings: Settings) -> Iterator[list[Path]]:
    names = [study.study.name.replace(" ", "-") for study in loaded]
    if len(set(names)) < len(names):
        raise InputError("two of these studies have the same name; give each its own `name`")
    with free_folders(settings.runs, [] if out else names) as free:
        yield free if out is None else [out] if len(loaded) == 1 else [out / name for name in names]


def _load(targets: Sequence[str], order: RunOrder, local: LocalOptions) -> tuple[Settings, list[LoadedStudy]]:
    def load(leave: Settings) -> list[LoadedStudy]:
        return [load_study(target, order.sets, leave.library, leave.trust) for target in targets]

    return run_with_permissions(local.settings(), local.trust, load)


def _prepare_all(
    loaded: Sequence[LoadedStudy],
    folders: Sequence[Path],
    order: RunOrder,
    settings: Settings,
    tell: Tell,
    exits: ExitStack,
) -> list[tuple[LoadedStudy, RunFile]]:
    """Prepare the runs of all studies, or none of them; `exits` closes the run files."""
    gathering = SourceOptions(order.skip_bad, order.fetch, tell)
    runs: list[tuple[LoadedStudy, RunFile]] = []
    try:
        for study, folder in zip(loaded, folders, strict=True):
            run = prepare_run(study, folder, settings, gathering, again=order.again)
            exits.callback(run.close)
            runs.append((study, run))
    except BaseException:
        for _, run in runs:
            run.withdraw()
        raise
    return runs


async def _drive_all(
    runs: Sequence[RunFile], settings: Settings, played: RunFile | None, shown: bool
) -> list[RunOutcome]:
    with progress(shown) as watch:
        driven = [_drive_one(run, settings, watch(run.folder.name), played) for run in runs]
        ended = await asyncio.gather(*driven, return_exceptions=True)
    return [
        RunOutcome(run.folder, one, None) if isinstance(one, str) else RunOutcome(run.folder, "", one)
        for run, one in zip(runs, ended, strict=True)
    ]


async def _drive_one(run: RunFile, settings: Settings, watcher: Watcher, played: RunFile | None) -> str:
    """Execute a run to its end; an error is extended by the run's folder, where that still exists."""
    try:
        return await drive(run, settings, watcher, sources=RunSources(played=played))
    except OpeniirError as error:
        where = f"\n(run: {run.folder})" if run.folder.exists() else ""
        error.args = (f"{error}{where}",)
        raise


async def _forecast_all(runs: Sequence[tuple[LoadedStudy, RunFile]], settings: Settings, tell: Tell) -> None:
    earlier = sorted((p.parent for p in settings.runs.glob("*/manifest.json")), reverse=True)
    for run in (run for study, run in runs if "model" in study.answered_by()):
        for forecast in await forecast_run(run, settings, earlier):
            _tell_forecast(forecast, settings, tell)


def _tell_forecast(forecast: Forecast, settings: Settings, tell: Tell) -> None:
    tell("\n".join(forecast_lines(forecast, settings.prices)))


def _fork_words(parent: Path, plan: ForkPlan) -> str:
    if not plan.set and not plan.events:
        return f"nothing is changed, so all that {parent} has is shared"
    changes = ", ".join(
        [
            *(f"{key} = {value}" for key, value in plan.set.items()),
            *(f"[[event]] {event['kind']!r} at step {event['step']}" for event in plan.events),
        ]
    )
    shared = (
        f"steps 1 to {plan.shared} are shared with {parent}"
        if plan.shared
        else f"nothing is shared with {parent}"
    )
    return f"{shared}; from step {plan.step} on {changes}"
