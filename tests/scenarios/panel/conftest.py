import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from openiir.core.storage import Log
from openiir.runs.engine import Watcher, drive
from openiir.runs.prepare import prepare_run
from openiir.runs.run_io import open_checked
from openiir.runs.settings import Settings
from openiir.runs.study import load_study


@pytest.fixture(scope="session")
def run_panel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Log]]:
    """Runs the reference study offline with keys replaced (`"seed=3"`); the same keys run once a session."""
    runs: dict[tuple[str, ...], Path] = {}
    opened = []

    def play(*sets: str) -> Log:
        if sets not in runs:
            folder = tmp_path_factory.mktemp("panel") / "run"
            run = prepare_run(load_study("panel", sets), folder, Settings())
            asyncio.run(drive(run, Settings(), Watcher()))
            run.close()
            runs[sets] = folder
        run = open_checked(runs[sets], finished=True)
        opened.append(run)
        return Log(run)

    yield play
    for run in opened:
        run.close()


@pytest.fixture(scope="session")
def log(run_panel: Callable[..., Log]) -> Log:
    return run_panel()
