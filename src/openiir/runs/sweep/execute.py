"""Whole commands: a study swept, and a sweep that was stopped gone on with, from the settings to the end.

They block, and start event loops of their own: within a running one call them through `runs.edge`.
"""

import os
from pathlib import Path

from openiir.core.errors import InputError
from openiir.runs.edge import wait_for
from openiir.runs.execute import LocalOptions, free_folders
from openiir.runs.prepare import SourceOptions
from openiir.runs.progress import sweep_progress
from openiir.runs.settings import Settings, load_settings, with_leave
from openiir.runs.sweep.conducting import (
    check_place,
    check_plan,
    engine_named,
    hold_folder,
    run_cells,
    write_or_find_plan,
)
from openiir.runs.sweep.planning import PlannedSweep, SweepOrder, plan_sweep
from openiir.runs.sweep.record import SweepRecord


def run_sweep(
    order: SweepOrder,
    out: Path | None,
    local: LocalOptions,
    *,
    engine: str = "local",
    skip_bad: bool = False,
    fetch: bool = False,
) -> tuple[Path, SweepRecord]:
    """Plan a sweep and run it, `local.workers` runs at a time; one that is at `out` already, and is the same, goes on."""
    settings = load_settings(local.settings_file)
    engine_named(engine), _count_workers(local)
    if out is not None:
        check_place(out)
    gathering = SourceOptions(skip_bad, fetch, local.tell)
    settings, planned = with_leave(settings, local.trust, lambda leave: plan_sweep(order, leave, gathering))
    names = [] if out else [planned.name.replace(" ", "-") + "-sweep"]
    with free_folders(settings.runs, names) as free:
        folder = out or free[0]
        with hold_folder(folder):
            write_or_find_plan(folder, planned)
            _tell_limits(planned, settings, local)
            return folder, _conduct(folder, settings, engine, local)


def resume_sweep(folder: Path, recording: Path | None, local: LocalOptions) -> SweepRecord:
    """Run what a sweep lacks, on worker processes of this machine."""
    if recording is not None:
        raise InputError("a sweep plays no recording; leave --recording out")
    settings = load_settings(local.settings_file)
    with hold_folder(folder):
        check_plan(folder)
        return with_leave(settings, local.trust, lambda leave: _conduct(folder, leave, "local", local))[1]


def _count_workers(local: LocalOptions) -> int:
    """How many runs at a time, as many as there are cores by default; raises InputError for a number that cannot be."""
    if local.workers is not None and local.workers < 1:
        raise InputError(f"--workers {local.workers}: at least 1 is needed")
    return local.workers or os.cpu_count() or 1


def _tell_limits(planned: PlannedSweep, settings: Settings, local: LocalOptions) -> None:
    limits = {name: value for name, value in settings.limits if value is not None}
    if planned.asking:
        each = ", ".join(f"{value:g} {name}" for name, value in limits.items()) or "no limit"
        local.tell(
            f"{planned.asking} runs ask a model; each by itself may use what the settings allow: {each}"
        )


def _conduct(folder: Path, settings: Settings, engine: str, local: LocalOptions) -> SweepRecord:
    with sweep_progress(local.shown) as witness:
        try:
            return wait_for(run_cells(folder, settings, engine_named(engine), _count_workers(local), witness))
        except KeyboardInterrupt:
            local.tell(f"sweep: {folder}")
            raise
