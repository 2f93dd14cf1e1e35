"""Run a type's study offline inside a test and keep every question asked."""

import asyncio
import shutil
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from openiir.core.asking import FactsRecorder, PlacedQuestion
from openiir.core.errors import RunStopped
from openiir.core.records import Budget, Persona
from openiir.core.storage import Log, RunFile, content_hash
from openiir.plugin import Stage
from openiir.runs.build import RunSources, build_run_context, run_permissions
from openiir.runs.engine import Watcher, drive, resume, run_steps
from openiir.runs.prepare import prepare_run
from openiir.runs.replay import replay
from openiir.runs.run_io import finish_run, open_checked
from openiir.runs.settings import Settings
from openiir.runs.study import LoadedStudy, load_study, study_permissions
from openiir.runs.trust import Trust
from openiir.testing.people import cast


@dataclass(frozen=True)
class Finished:
    """A finished offline run, open for reading, with the questions that it asked."""

    folder: Path
    content: str
    sections: Mapping[str, str]
    """Hash of each part of the run: study, personas, chunks, events, claims, edges, tables, ..."""
    run: RunFile
    asked: tuple[PlacedQuestion, ...]
    """Every question that was asked, with its place and draw."""
    left: tuple[tuple[Persona, Budget], ...]
    """Everyone on the stage at the end, with the budget left."""
    keeps: bool = False
    """Whether the type offered a checkpoint."""

    @property
    def log(self) -> Log:
        return Log(self.run)


class StopAfter(Watcher):
    """Watcher that stops a run after a step is committed."""

    def __init__(self, step: int) -> None:
        self.last = step

    def step(self, number: int, label: str) -> None:
        if number == self.last:
            raise RunStopped(f"stopped after step {number} by a test")


def offline_study(
    study: str | Path | Mapping[str, Any], folder: Path, sets: Sequence[str] = ()
) -> LoadedStudy:
    """Load a study, with every question of it answered offline.

    A mapping holds the values of a study.toml; relative paths in it start from the working directory, and
    without personas it gets `cast(4)`. What it needs is written to `folder`, its worlds' sources included.
    """
    target = _write_study(study, folder) if isinstance(study, Mapping) else str(study)
    return load_study(target, sets, trust=Trust().with_leave(study_permissions(target, sets))).offline()


def run_offline(study: str | Path | Mapping[str, Any], folder: Path, *sets: str) -> Finished:
    """Run a study (file, folder, type's name or mapping) to its end in `folder`, with settings.

    The run stays open for reading; raises InputError for a study with mistakes.
    """
    folder.mkdir(parents=True, exist_ok=True)
    return run_loaded(offline_study(study, folder, sets), folder / "run")


def run_loaded(loaded: LoadedStudy, folder: Path) -> Finished:
    """Run a loaded study to its end, as `run_offline` does."""
    with prepare_run(loaded, folder, Settings()) as run:
        content, asked, left, keeps = asyncio.run(_drive(run))
    reading = open_checked(folder, finished=True)
    return Finished(folder, content, content_hash(reading.db).sections, reading, asked, left, keeps)


class CheckpointWatcher(Watcher):
    """Watcher that notes whether the type offered a checkpoint."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self.seen = False

    def step(self, number: int, label: str) -> None:
        self.seen = self.seen or self._stage.kept is not None


async def _drive(
    run: RunFile,
) -> tuple[str, tuple[PlacedQuestion, ...], tuple[tuple[Persona, Budget], ...], bool]:
    asked: list[PlacedQuestion] = []
    async with AsyncExitStack() as exits:
        machine = await build_run_context(run, _trusting_settings(run), RunSources(), exits)
        machine.stage.answering.watch = lambda batch, answers: asked.extend(batch)
        machine.stage.answering.recorder = FactsRecorder()
        watcher = CheckpointWatcher(machine.stage)
        await run_steps(machine, run, watcher)
        left = tuple((agent.persona, agent.budget) for agent in machine.stage.agents)
        return finish_run(run), tuple(asked), left, watcher.seen


def run_with_stops(
    loaded: LoadedStudy, folder: Path, stops: Sequence[int], *, checkpoints: bool = False
) -> str:
    """Run a study, stopping after each of these steps and resuming; returns the content hash.

    Each resume executes everything again, or goes on from the last checkpoint.
    """
    with prepare_run(loaded, folder, Settings()) as run:
        settings = _trusting_settings(run).model_copy(update={"checkpoint_every": int(checkpoints)})
        _run_until_stopped(drive(run, settings, StopAfter(stops[0])))
    for step in stops[1:]:
        _run_until_stopped(resume(folder, settings, StopAfter(step)))
    return asyncio.run(resume(folder, settings, Watcher()))


def _run_until_stopped(execution: Any) -> None:
    try:
        asyncio.run(execution)
    except RunStopped:
        return
    raise AssertionError("a run that was to be stopped went on to its end")


def replay_offline(folder: Path) -> str:
    """Replay a run and return the content hash; raises ReplayDifference."""
    with open_checked(folder) as run:
        settings = _trusting_settings(run)
    return asyncio.run(replay(folder, settings, Watcher()))


def _trusting_settings(run: RunFile) -> Settings:
    """Return settings that grant a type's own study all permissions it needs."""
    return Settings(trust=Trust().with_leave(run_permissions(run)))


def vary_study(loaded: LoadedStudy, **values: Any) -> LoadedStudy:
    """Copy a loaded study with other values of these keys, such as its seed or its changes."""
    return replace(loaded, study=loaded.study.model_copy(update=values))


def _write_study(study: Mapping[str, Any], folder: Path) -> str:
    """Write a mapping as a study file, with the files it names beside it; returns the path."""
    import tomli_w

    values = {"name": "contract", **study}
    if "personas" not in values:
        people = [p.model_dump(mode="json", exclude_none=True) for p in cast(4)]
        (folder / "personas.toml").write_text(tomli_w.dumps({"persona": people}), encoding="utf-8")
        values["personas"] = "personas.toml"
    else:
        values["personas"] = _copy_files(values["personas"], folder)
    if "world" in values:
        copied = _copy_sources(values["world"], folder)
        values["world"] = {
            k: _copy_sources(v, folder) if isinstance(v, Mapping) else v for k, v in copied.items()
        }
    path = folder / "study.toml"
    path.write_text(tomli_w.dumps(values), encoding="utf-8")
    return str(path)


def _copy_sources(world: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Copy a world's sources beside the study; returns the world's table with their new names."""
    sources = world.get("sources", {})
    return dict(world) if isinstance(sources, Mapping) else {**world, "sources": _copy_files(sources, folder)}


def _copy_files(named: str | Sequence[str], folder: Path) -> list[str]:
    """Copy files and folders beside the study, where all that it names must be; returns their new names."""
    found = []
    for name in [named] if isinstance(named, str) else named:
        place = Path(name)
        if place.is_dir():
            shutil.copytree(place, folder / place.name, dirs_exist_ok=True)
        elif place.is_file():
            shutil.copy(place, folder / place.name)
        found.append(name if name.startswith(("library:", "$")) else place.name)
    return found
