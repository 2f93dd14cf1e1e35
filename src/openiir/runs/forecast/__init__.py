"""Forecast the calls and tokens of a run: from a rehearsal offline, from a pilot, or from an earlier run."""

from collections.abc import Callable, Sequence
from pathlib import Path

from openiir.core.errors import InputError, RunStopped
from openiir.core.storage import RunFile
from openiir.core.sums import int_sum
from openiir.runs.build import RunSources
from openiir.runs.engine import Watcher, drive
from openiir.runs.forecast.earlier import forecast_from_earlier_run
from openiir.runs.forecast.expected import Forecast, forecast_piloted, forecast_rehearsed
from openiir.runs.forecast.pilot import Pilot, plan_pilot
from openiir.runs.forecast.rehearsal import rehearse
from openiir.runs.forecast.report import forecast_lines
from openiir.runs.settings import Settings

__all__ = ["Forecast", "forecast_by_pilot", "forecast_lines", "forecast_run"]


REHEARSALS = 3
"""Rehearsals after a pilot, whose mean is the forecast."""


async def forecast_run(run: RunFile, settings: Settings, earlier: Sequence[Path] = ()) -> list[Forecast]:
    """Forecast a prepared run by rehearsal, and by the tokens of an earlier run where there is one."""
    rehearsal = forecast_rehearsed(await rehearse(run, settings))
    known = forecast_from_earlier_run(earlier, rehearsal.calls)
    return [rehearsal, known] if known else [rehearsal]


async def forecast_by_pilot(
    run: RunFile,
    settings: Settings,
    size: int,
    watcher: Watcher,
    tell: Callable[[Forecast], None],
    sources: RunSources | None = None,
) -> None:
    """Forecast a prepared run, execute its first `size` steps or `size` lanes, and forecast it from them.

    `tell` gets the forecast without the pilot before it begins, and the one with it. The run is left stopped,
    for `resume` to go on with; where a limit of the settings stops it before, the forecast is from what was
    asked until then. A run that asks no model is withdrawn, with InputError.
    """
    rehearsed = await rehearse(run, settings)
    if not rehearsed:
        name = run.study()["name"]
        run.withdraw()
        raise InputError(
            f"{name} asks no model, so a pilot has nothing to try; let one answer, such as by "
            "--set answers=model --set model.name=qwen3:8b"
        )
    tell(forecast_rehearsed(rehearsed))
    pilot = Pilot(watcher, plan_pilot(rehearsed, size))
    asked = pilot.extent.count(rehearsed)
    watcher.note(f"the pilot takes {pilot.extent}: {asked:,.0f} of the {len(rehearsed):,} calls rehearsed")
    try:
        await drive(run, settings, pilot, sources=sources)
    except RunStopped as stop:
        watcher.note(str(stop))
    again = [await rehearse(run, settings, pilot.asked, number) for number in range(REHEARSALS)]
    forecast = forecast_piloted(again, f"a pilot ({pilot.extent}) and rehearsals of the rest")
    forecast.seconds = pilot.scale_seconds(forecast, int_sum(one.width for one in settings.endpoint))
    tell(forecast)
