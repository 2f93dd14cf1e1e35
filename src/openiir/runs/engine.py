"""Execute a run's schedule step by step: apply changes before a step, commit or compare the step after it."""

import asyncio
import gc
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from pathlib import Path

from openiir.core.asking import FactsRecorder
from openiir.core.clock import timed_label
from openiir.core.errors import InputError, OpeniirError, OwnCodeFailed, ReplayDifference, RunStopped
from openiir.core.storage import RunFile, receipts
from openiir.core.storage.live_file import LiveFile
from openiir.plugin import Stage, Step
from openiir.runs.build import RunContext, RunSources, build_run_context, run_permissions
from openiir.runs.changes import Terms, apply_change, find_terms
from openiir.runs.difference import first_difference
from openiir.runs.meter import Spending
from openiir.runs.mirror import mirror_run
from openiir.runs.moments import count_steps, list_missed
from openiir.runs.reasons import withhold_addresses
from openiir.runs.retrievers import list_unasked
from openiir.runs.run_io import finish_run, open_checked
from openiir.runs.settings import Settings, apply_settings
from openiir.runs.tools import build_tools


class Watcher:
    """Watcher of the progress of a run; its methods do nothing unless overridden."""

    def begin(self, title: str, spending: Spending) -> None:
        """Handle the start or resumption of a run; `spending` is updated while the run goes on."""

    def attach(self, stage: Stage) -> None:
        """Handle the run's stage, before its first step."""

    def step(self, number: int, label: str) -> None:
        """Handle a committed step."""

    def lane(self, name: str, done: int, of: int) -> None:
        """Handle the end of a lane (a concurrent part of the step); `done` of `of` lanes have ended."""

    def note(self, text: str) -> None:
        """Handle a message to the user that is not an error."""

    def end(self) -> None:
        """Handle the end of the run, successful or not."""


class ForwardingWatcher(Watcher):
    """Watcher that passes everything on to another watcher."""

    def __init__(self, inner: Watcher) -> None:
        self.inner = inner

    def begin(self, title: str, spending: Spending) -> None:
        self.inner.begin(title, spending)

    def attach(self, stage: Stage) -> None:
        self.inner.attach(stage)

    def step(self, number: int, label: str) -> None:
        self.inner.step(number, label)

    def lane(self, name: str, done: int, of: int) -> None:
        self.inner.lane(name, done, of)

    def note(self, text: str) -> None:
        self.inner.note(text)

    def end(self) -> None:
        self.inner.end()


class LiveWatcher(ForwardingWatcher):
    """Watcher that passes progress on to another watcher and writes it to the run's live file."""

    def __init__(self, inner: Watcher, run: RunFile) -> None:
        super().__init__(inner)
        self.run = run
        self.file: LiveFile | None = None
        self.spending: Spending | None = None

    def begin(self, title: str, spending: Spending) -> None:
        super().begin(title, spending)
        self.file, self.spending = LiveFile(self.run.folder), spending

    def plan(self, steps: int) -> None:
        """Note the largest number of steps that the run can take; 0 if unknown."""
        self._update(at_once=True, planned=steps or None)

    def step(self, number: int, label: str) -> None:
        super().step(number, label)
        self._update(step=number, label=label, lane="", done=0, of=0)

    def lane(self, name: str, done: int, of: int) -> None:
        super().lane(name, done, of)
        self._update(lane=name, done=done, of=of)

    def end(self) -> None:
        self._update(at_once=True)
        super().end()

    def _update(self, at_once: bool = False, **changed: object) -> None:
        if self.file is not None:
            self.file.update(at_once, **changed, spent=self.spending or "")


async def drive(
    run: RunFile, settings: Settings, watcher: Watcher, *, sources: RunSources | None = None
) -> str:
    """Execute a prepared run to its end and return its content hash.

    Steps that are committed already are executed again from the ledger and compared, except those up to a
    checkpoint, which are taken as recorded. Raises RunStopped at a limit, ReplayDifference at the first
    difference from the record; committed steps are always kept. A run that is refused (InputError), or whose
    own code raises, before anything was added to its record, leaves no folder behind.
    """
    begun = (len(run.steps()), run.usage())
    try:
        return await _run_to_end(run, settings, watcher, sources or RunSources())
    except (InputError, OwnCodeFailed):
        if begun == (len(run.steps()), run.usage()):
            run.withdraw()
        raise


async def _run_to_end(run: RunFile, settings: Settings, watcher: Watcher, sources: RunSources) -> str:
    live = LiveWatcher(watcher, run) if run.commit_each_call else None  # nobody looks at a scratch run
    watcher = live or watcher
    async with AsyncExitStack() as exits:
        try:
            machine = await _start(run, settings, watcher, sources, exits)
            machine.stage.lane_ended = watcher.lane
            watcher.attach(machine.stage)
            if live is not None:
                machine.stage.answering.recorder = FactsRecorder()
                live.plan(count_steps(machine.scenario.planned_steps(machine.stage.config)))
            run.delete_unlisted_files()
            run.set_state(status="running", reason="")
            if live is not None and settings.mirror is not None:
                await exits.enter_async_context(mirror_run(run, settings.mirror, watcher.note))
            await run_steps(machine, run, watcher)
        except (RunStopped, asyncio.CancelledError) as stop:
            run.set_state(status="stopped", reason=str(stop) or "interrupted")
            raise
        except Exception as error:
            with suppress(OpeniirError):  # the disk that failed the run may refuse this as well
                why = withhold_addresses(f"{type(error).__name__}: {error}", run.study())
                run.set_state(status="failed", reason=why)
            raise
        return finish_run(run)


async def repeat_run(run: RunFile, settings: Settings, watcher: Watcher) -> None:
    """Execute a finished run again from its ledger alone and compare; writes nothing, calls nothing.

    Raises ReplayDifference at the first step that differs, and for a recorded call that is not made again.
    Without one, the content is the same: a step's digest covers everything that the step adds to the content
    except its calls.
    """
    async with AsyncExitStack() as exits:
        machine = await _start(run, settings, watcher, RunSources(live=False), exits)
        await run_steps(machine, run, watcher)
        machine.ledger.check_all_used()


async def _start(
    run: RunFile, settings: Settings, watcher: Watcher, sources: RunSources, exits: AsyncExitStack
) -> RunContext:
    machine = await build_run_context(run, settings, replace(sources, tell=watcher.note), exits)
    watcher.begin(f"{run.study()['type']}: {run.study()['name']}", machine.spending)
    exits.callback(watcher.end)
    if run.study_folder() == run.folder:
        watcher.note(
            f"{run.folder} was not made here, or was moved or copied since: files that its study names are "
            f"looked for in it alone, until `openiir trust {run.folder}`"
        )
    if not machine.scenario.folder.is_dir():
        watcher.note(
            f"{machine.scenario.folder}, where the study lay, is not there, nor are files that it names"
        )
    return machine


async def run_steps(machine: RunContext, recorded: RunFile, watcher: Watcher) -> None:
    """Execute the schedule step by step: apply changes before a step, commit or compare the step after it."""
    stage, known = machine.stage, recorded.steps()
    number, ended = await _restore(machine, recorded, watcher), False
    schedule = machine.scenario.schedule(stage)
    # What is loaded by now stays: looking through it for garbage is a fifth of the time of a call.
    gc.freeze()
    try:
        while not ended:
            number += 1
            _apply_changes(machine, number)
            stage.log.until = number - 1
            events = machine.events.get(number, ())
            stage.begin(number, events)
            try:
                shown = _end_step(machine, await anext(schedule))
            except StopAsyncIteration:
                ended, shown = True, "end"
                stage.rows.label = shown
                if replace(stage.rows, events=stage.rows.events[len(events) :]).is_empty():
                    number -= 1
                    break
            _commit_or_compare(machine, recorded, known)
            watcher.step(number, shown)
    finally:
        gc.unfreeze()
        await schedule.aclose()  # type: ignore[attr-defined]
    for missed in list_missed(machine.run.study(), number):
        watcher.note(missed)
    for world in list_unasked(recorded, machine.stage.knowledge.retrievers):
        watcher.note(f"the retriever of the world {world} was never asked: nobody searched by the mode own")
    if len(known) > number:
        raise ReplayDifference(
            f"first difference: the record has a step {number + 1}, this run ends before it"
        )


def _end_step(machine: RunContext, step: Step) -> str:
    """Give the step's rows its label and simulated time; returns the label with the time."""
    stage = machine.stage
    stage.rows.label = step.label
    try:
        stage.set_clock(step.at)
    except InputError as error:
        raise InputError(
            f"the type {machine.scenario.name!r} ends step {stage.step} ({step.label!r}) with {error}"
        ) from None
    return timed_label(step.label, None if step.at is None else stage.clock)


def _apply_changes(machine: RunContext, number: int) -> None:
    stage = machine.stage
    for change in machine.changes:
        if change.step == number:
            where = f"[[change]] at step {number}"
            _set_terms(machine, apply_change(machine.scenario, machine.terms, change.set, where))
            stage.changed = {**stage.changed, **change.set}


def _set_terms(machine: RunContext, terms: Terms) -> None:
    stage, machine.terms = machine.stage, terms
    stage.config, stage.answering.choice = terms.config, terms.answers
    stage.knowledge.tools = build_tools(terms.tools, stage.knowledge.worlds)


async def _restore(machine: RunContext, recorded: RunFile, watcher: Watcher) -> int:
    """Restore the newest checkpoint and return its step; 0 where there is none."""
    run, stage = machine.run, machine.stage
    found = run.checkpoint() if run is recorded and run.writable else None
    if found is None:
        return 0
    step, arrays = found
    await stage.restore(step, arrays)
    where = f"{run.folder} at step {step}"
    _set_terms(machine, find_terms(machine.scenario, machine.terms, machine.changes, step, where))
    machine.checkpointing.note_checkpoint(step)
    watcher.note(f"goes on from the checkpoint of step {step}")
    return step


def _commit_or_compare(machine: RunContext, recorded: RunFile, known: dict[int, str]) -> None:
    """Commit a step, or compare it with the recorded step."""
    run, stage = machine.run, machine.stage
    rows = stage.rows
    digest = known.get(rows.number)
    found = None if digest is None else rows.digest()
    if found != digest:
        raise ReplayDifference(f"first difference: {first_difference(recorded, rows)}")
    if run is recorded and digest is not None:
        return
    if digest is None and not (run is recorded and run.writable):
        raise ReplayDifference(f"first difference: the record ends before step {rows.number} ({rows.label})")
    due = run.commit_each_call and machine.checkpointing.is_due(stage)
    run.commit_step(rows, found, stage.collect_checkpoint() if due else None)
    if due:
        machine.checkpointing.note_checkpoint(rows.number)


async def resume(folder: Path, settings: Settings, watcher: Watcher, played: RunFile | None = None) -> str:
    """Resume a run that was stopped or killed, returning its content hash; a finished run stays as it is.

    Nothing is written before the record has been checked, but for what a killed process left half written,
    which is undone first where the run was made here. Raises Untrusted for a run that lacks permissions.
    """
    apply_settings(settings)
    RunFile.undo_half_written(folder)
    with open_checked(folder) as run:
        if run.state("status") == "done":
            watcher.note("the run has ended already; nothing is left to do")
            return str(run.state("content"))
        receipts.check_has_receipt(folder)
        settings.trust.check(run_permissions(run), str(folder))
    with RunFile.open(folder, writable=True) as run:
        return await _run_to_end(run, settings, watcher, RunSources(played=played))
