"""Forecast a study without and with a pilot, run it to its end, and compare: for tests and a benchmark."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from openiir.core.storage import RunFile
from openiir.runs.engine import Watcher, resume
from openiir.runs.forecast import Forecast, forecast_by_pilot
from openiir.runs.prepare import prepare_run
from openiir.runs.settings import Settings
from openiir.runs.study import load_study

BY_MODEL = ("answers=model", "model.name=small")


@dataclass(frozen=True)
class Piloted:
    """The forecasts of a run without and with a pilot, and what pilot and run took."""

    rehearsed: Forecast
    piloted: Forecast
    piloting: int
    """Calls of the pilot."""
    calls: int
    prompt_tokens: int
    reply_tokens: int

    def errors(self, forecast: Forecast) -> tuple[float, float]:
        """Relative errors of a forecast's calls and prompt tokens."""
        return forecast.calls.total() / self.calls - 1, forecast.prompt_tokens / self.prompt_tokens - 1

    @property
    def replies_hold(self) -> bool:
        """Whether the reply tokens are in the forecast range."""
        low, high = self.piloted.replies or (0, 0)
        return low <= self.reply_tokens <= high


def run_piloted(study: str, size: int, sets: Sequence[str], settings: Settings, folder: Path) -> Piloted:
    """Pilot `size` steps or lanes of a study that a model answers, forecast it, and run it to its end."""
    told: list[Forecast] = []
    with prepare_run(load_study(study, [*BY_MODEL, *sets]), folder, settings) as run:
        asyncio.run(forecast_by_pilot(run, settings, size, Watcher(), told.append))
        piloting = run.usage()["calls"]
    asyncio.run(resume(folder, settings, Watcher()))
    with RunFile.open(folder) as run:
        return Piloted(told[0], told[1], piloting, **run.usage())
