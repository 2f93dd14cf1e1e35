"""What run, resume and replay do, in words and progress."""

import asyncio
import signal
from collections.abc import Coroutine, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from openiir.cli.progress import progress
from openiir.cli.trusting import with_leave
from openiir.cli.views import show_surface
from openiir.core.errors import InputError, OpeniirError
from openiir.core.storage import RunFile
from openiir.core.sums import int_sum
from openiir.runs.after import scenario_of
from openiir.runs.artefact import open_run
from openiir.runs.assemble import Sources
from openiir.runs.begin import Gathering, begin
from openiir.runs.engine import Watcher, drive
from openiir.runs.engine import resume as go_on
from openiir.runs.forecast import forecast_of
from openiir.runs.replay import replay
from openiir.runs.settings import Settings, load_settings
from openiir.runs.study import Loaded, load_study
from openiir.runs.terminal import note, say

T = TypeVar("T")


@dataclass(frozen=True)
class Order:
    """The options of `openiir run`."""

    out: Path | None
    sets: tuple[str, ...]
    recording: Path | None
    skip_bad: bool
    fetch: bool
    again: bool
    forecast: bool


def run_studies(
    targets: Sequence[str],
    order: Order,
    settings_file: Path | None,
    workers: int | None = None,
    trust: bool = False,
) -> None:
    """Run one study, or several side by side."""
    settings = _working(load_settings(settings_file), workers)
    settings, loaded = with_leave(
        settings,
        trust,
        lambda leave: [load_study(target, order.sets, leave.library, leave.trust) for target in targets],
    )
    if order.forecast:
        with TemporaryDirectory(prefix="openiir-forecast-") as scratch, ExitStack() as exits:
            folders = [Path(scratch) / study.study.name for study in loaded]
            _forecast_all(_begin_all(loaded, folders, order, settings, exits), settings)
            _say_nothing_to_ask(int_sum(not _asks_model(study) for study in loaded))
        return
    if order.recording and not any("recording" in study.answered_by() for study in loaded):
        raise InputError('no recording is played here; set answers = "recording", or leave --recording out')
    folders = _folders(loaded, order, settings)
    with ExitStack() as exits:
        played = exits.enter_context(open_run(order.recording)) if order.recording else None
        runs = _begin_all(loaded, folders, order, settings, exits)
        _forecast_all(runs, settings)
        to_the_end(_drive_all([run for _, run in runs], settings, played))


def _begin_all(
    loaded: Sequence[Loaded], folders: Sequence[Path], order: Order, settings: Settings, exits: ExitStack
) -> list[tuple[Loaded, RunFile]]:
    """All runs begun, or none; `exits` closes them."""
    gathering = Gathering(order.skip_bad, order.fetch, tell=note)
    runs: list[tuple[Loaded, RunFile]] = []
    try:
        for study, folder in zip(loaded, folders, strict=True):
            run = begin(study, folder, settings, gathering, again=order.again)
            exits.callback(run.close)
            runs.append((study, run))
    except BaseException:
        for _, run in runs:
            run.withdraw()
        raise
    return runs


def _forecast_all(runs: Sequence[tuple[Loaded, RunFile]], settings: Settings) -> None:
    for study, run in runs:
        if _asks_model(study):
            _tell_forecast(run, settings)


def to_the_end(work: Coroutine[Any, Any, T]) -> T:
    """What the work returns. Ctrl-C cancels it from within the event loop, between two of its moments.

    The interpreter's own handler strikes in the midst of one, where a cancellation can be lost.
    """

    async def interruptible() -> T:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None
        with suppress(RuntimeError, ValueError):  # outside the main thread, or not POSIX
            loop.add_signal_handler(signal.SIGINT, task.cancel)
        try:
            return await work
        finally:
            with suppress(RuntimeError, ValueError):
                loop.remove_signal_handler(signal.SIGINT)

    try:
        return asyncio.run(interruptible())
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None


def resume_run(
    folder: Path,
    settings_file: Path | None,
    recording: Path | None,
    workers: int | None = None,
    trust: bool = False,
) -> None:
    """Go on with a run; its folder and hash are the last lines."""
    settings = _working(load_settings(settings_file), workers)
    played = open_run(recording) if recording else None
    with progress() as watch:
        _, content = with_leave(
            settings, trust, lambda leave: to_the_end(go_on(folder, leave, watch(str(folder)), played))
        )
    tell_end(folder, content)


def replay_run(
    folder: Path, settings_file: Path | None, workers: int | None = None, trust: bool = False
) -> None:
    """Replay a run; its folder and hash are the last lines."""
    settings = _working(Settings(trust=load_settings(settings_file).trust), workers)
    with progress() as watch:
        _, content = with_leave(
            settings, trust, lambda leave: to_the_end(replay(folder, leave, watch(f"replay of {folder}")))
        )
    last_lines(folder, content)


def _working(settings: Settings, workers: int | None) -> Settings:
    return settings if workers is None else settings.model_copy(update={"workers": workers})


async def _drive_all(runs: Sequence[RunFile], settings: Settings, played: RunFile | None) -> None:
    """All runs in one event loop; a failing one does not stop the others, the first error is told at the end."""
    with progress() as watch:
        driven = [drive_one(run, settings, watch(run.folder.name), played) for run in runs]
        results = await asyncio.gather(*driven, return_exceptions=True)
    errors = [result for result in results if isinstance(result, BaseException)]
    for run, result in zip(runs, results, strict=True):
        if isinstance(result, str):
            tell_end(run.folder, result)
        elif len(runs) > 1:
            note(f"{run.folder}: {result}")
    if errors:
        raise errors[0]


async def drive_one(run: RunFile, settings: Settings, watcher: Watcher, played: RunFile | None) -> str:
    """Drive a run to its end; an error names its folder, where there still is one."""
    try:
        return await drive(run, settings, watcher, sources=Sources(played=played))
    except OpeniirError as error:
        where = f"\n(run: {run.folder})" if run.folder.exists() else ""
        error.args = (f"{error}{where}",)
        raise


def _asks_model(study: Loaded) -> bool:
    return "model" in study.answered_by()


def _tell_forecast(run: RunFile, settings: Settings) -> None:
    earlier = sorted((p.parent for p in settings.runs.glob("*/manifest.json")), reverse=True)
    for forecast in forecast_of(run, settings, earlier):
        calls = ", ".join(f"{n} {kind}" for kind, n in sorted(forecast.calls.items()))
        money = forecast.money(settings.prices)
        cost = f", about {money:.4f} in money" if money else ""
        note(
            f"forecast by {forecast.basis}: {forecast.calls.total():,} calls ({calls}), "
            f"{forecast.prompt_tokens:,} prompt and {forecast.reply_tokens:,} reply tokens{cost}"
        )


def _say_nothing_to_ask(offline: int) -> None:
    if offline:
        who = "the study asks" if offline == 1 else f"{offline} studies ask"
        note(f"{who} no model: no call to forecast")


def _folders(loaded: Sequence[Loaded], order: Order, settings: Settings) -> list[Path]:
    names = [study.study.name.replace(" ", "-") for study in loaded]
    if len(set(names)) < len(names):
        raise InputError("two of these studies have the same name; give each its own `name`")
    if order.out is not None:
        return [order.out] if len(loaded) == 1 else [order.out / name for name in names]
    return [next_free(settings.runs, name) for name in names]


def next_free(runs: Path, name: str) -> Path:
    """The first folder NAME-001, NAME-002, ... that does not exist."""
    number = 1
    while (runs / f"{name}-{number:03}").exists():
        number += 1
    return runs / f"{name}-{number:03}"


def tell_end(folder: Path, content: str) -> None:
    """What a type shows when a run has ended, and the last lines."""
    with open_run(folder) as run:
        scenario = scenario_of(run)
    if scenario.closing:
        show_surface(folder, scenario.closing, None, None, "text", None)
    last_lines(folder, content)


def last_lines(folder: Path, content: str) -> None:
    """The run's folder and content hash, where whoever reads the output looks for them."""
    say(f"run: {folder}")
    say(f"content: {content}")
