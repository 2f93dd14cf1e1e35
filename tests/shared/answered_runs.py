"""Runs in which not the behaviour models answer, but an answerer of the test's, or a stand-in by the wire."""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from openiir.core.asking import OfflineAnswerer
from openiir.core.errors import RunStopped
from openiir.core.llm import Endpoint
from openiir.core.storage import Log, RunFile
from openiir.runs.build import RunSources, build_run_context
from openiir.runs.engine import Watcher, drive, resume, run_steps
from openiir.runs.prepare import prepare_run
from openiir.runs.replay import replay
from openiir.runs.settings import Settings
from openiir.runs.study import load_study
from openiir.testing.offline import StopAfter
from openiir.testing.standin import Behaviour, StandIn


def run_answered(study: str, sets: Sequence[str], folder: Path, model: OfflineAnswerer) -> RunFile:
    """Run a study in which this answerer answers for the model; returns the run."""

    async def play(run: RunFile) -> None:
        async with AsyncExitStack() as exits:
            machine = await build_run_context(run, Settings(), RunSources(live=False), exits)
            machine.stage.answering.answerers = {"offline": OfflineAnswerer(), "model": model}
            await run_steps(machine, run, Watcher())

    with prepare_run(load_study(study, sets), folder, Settings()) as run:
        asyncio.run(play(run))
    return RunFile.open(folder)


def run_by_standin(study: str, sets: Sequence[str], folder: Path, stop: int = 0, **ways) -> tuple[Log, str]:
    """Run a study by a stand-in, perhaps stopped and gone on from a checkpoint, and replay it."""
    with StandIn(Behaviour(**ways)) as server:
        settings = Settings(endpoint=Endpoint(url=server.url), checkpoint_every=1)
        sets = ("answers=model", "model.name=standin", *sets)
        with prepare_run(load_study(study, sets), folder, settings) as run:
            if stop:
                with pytest.raises(RunStopped):
                    asyncio.run(drive(run, settings, StopAfter(stop)))
            else:
                asyncio.run(drive(run, settings, Watcher()))
        if stop:
            asyncio.run(resume(folder, settings, Watcher()))
    content = asyncio.run(replay(folder, Settings(), Watcher()))
    return Log(RunFile.open(folder)), content
