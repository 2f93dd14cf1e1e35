"""Drives a schedule: changes before a step, one commit after it, a clean stop at any moment."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Protocol

from openiir.core.errors import OpeniirError, ReplayDifference, RunStopped
from openiir.core.hashing import canonical
from openiir.core.storage import RunFile, StepRows
from openiir.runs.artefact import finish, open_run
from openiir.runs.assemble import Machine, Sources, assemble
from openiir.runs.meter import Spending
from openiir.runs.settings import Settings
from openiir.runs.study import changed


class Watcher(Protocol):
    """Who is told how a run goes on."""

    def begin(self, title: str, spending: Spending) -> None:
        """A run starts or goes on; `spending` stays live."""

    def step(self, number: int, label: str) -> None:
        """A step was committed."""

    def end(self) -> None:
        """The run ended, in whatever way."""


class Silent:
    """Watches and says nothing."""

    def begin(self, title: str, spending: Spending) -> None: ...

    def step(self, number: int, label: str) -> None: ...

    def end(self) -> None: ...


async def drive(
    run: RunFile, settings: Settings, watcher: Watcher, *, sources: Sources | None = None, origin: Any = None
) -> str:
    """Drive a declared run to its end and return its content hash.

    Steps that are committed already are executed again from the ledger and compared. Raises RunStopped at a limit,
    ReplayDifference at the first departure from the record; whatever happens, what was committed stays.
    """
    async with AsyncExitStack() as exits:
        try:
            machine = await assemble(run, settings, sources or Sources(), exits)
            watcher.begin(f"{run.study()['type']}: {run.study()['name']}", machine.spending)
            exits.callback(watcher.end)
            run.drop_unnamed_parts()
            run.set_state(status="running", reason="")
            recorded = sources.recorded if sources and sources.recorded else run
            await run_steps(machine, recorded, watcher)
        except (RunStopped, asyncio.CancelledError) as stop:
            run.set_state(status="stopped", reason=str(stop) or "interrupted")
            raise
        except Exception as error:
            _mark_failed(run, error)
            raise
        return finish(run, origin or {"from": "study"})


def _mark_failed(run: RunFile, error: Exception) -> None:
    try:
        run.set_state(status="failed", reason=f"{type(error).__name__}: {error}")
    except OpeniirError:
        return  # the disk that failed the run may refuse this as well; the first error is the one to tell


async def run_steps(machine: Machine, recorded: RunFile, watcher: Watcher) -> None:
    stage, known = machine.stage, recorded.steps()
    schedule = machine.scenario.schedule(stage)
    number = 0
    try:
        while True:
            number += 1
            _apply_changes(machine, number)
            stage.log.until = number - 1
            stage.begin(number)
            try:
                stage.rows.label = (await anext(schedule)).label
            except StopAsyncIteration:
                if stage.rows.is_empty():
                    break
                stage.rows.label = "end"
                _keep(machine.run, recorded, known, stage.rows)
                break
            _keep(machine.run, recorded, known, stage.rows)
            watcher.step(number, stage.rows.label)
    finally:
        await schedule.aclose()  # type: ignore[attr-defined]
    if len(known) > stage.step:
        raise ReplayDifference(f"first difference: the record goes on after step {stage.step}, this run ends")


def _apply_changes(machine: Machine, number: int) -> None:
    for change in machine.changes:
        if change.step == number:
            where = f"[[change]] at step {number}"
            machine.stage.config = changed(machine.scenario, machine.stage.config, change.set, where)
            machine.stage.changed = dict(change.set)


def _keep(run: RunFile, recorded: RunFile, known: dict[int, str], rows: StepRows) -> None:
    """Commit a step, or compare it with the one on record."""
    digest = known.get(rows.number)
    if digest is not None and digest != rows.digest():
        raise ReplayDifference(f"first difference: {_difference(recorded, rows)}")
    if run is not recorded or digest is None:
        run.commit_step(rows)


def _difference(recorded: RunFile, rows: StepRows) -> str:
    """The first entry of a step that is not as recorded."""
    sql = "select lane, kind, actor, payload from event where step = ? order by seq"
    stored = [tuple(row) for row in recorded.db.execute(sql, (rows.number,))]
    for n, (was, now) in enumerate(zip(stored, rows.events, strict=False), start=1):
        if was != now:
            return f"step {rows.number}, event {n}: the record has {_short(was)}, this run {_short(now)}"
    if len(stored) != len(rows.events):
        return f"step {rows.number}: the record has {len(stored)} events, this run {len(rows.events)}"
    return f"step {rows.number}: its events agree, but its claims, edges, searches or table rows do not"


def _short(event: Any) -> str:
    lane, kind, actor, payload = event
    text = canonical([kind, actor, payload])
    return text if len(text) <= 300 else f"{text[:297]}..."


async def resume(folder: Path, settings: Settings, watcher: Watcher, played: RunFile | None = None) -> str:
    """Go on with a run that was stopped or killed; a finished one just gives its content hash."""
    run = open_run(folder, writable=True)
    with run:
        if run.state("status") == "done":
            return str(run.state("content"))
        return await drive(run, settings, watcher, sources=Sources(played=played))
