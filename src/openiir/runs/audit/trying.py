"""Run a configuration against a recorded run, and find where it first differs."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from openiir.core.asking import PlacedQuestion
from openiir.core.errors import ReplayDifference
from openiir.core.hashing import canonical, sha256
from openiir.core.records import Measure, Persona
from openiir.core.storage import Log, RunFile
from openiir.plugin import Scenario
from openiir.runs.build import RunSources, assemble, run_permissions
from openiir.runs.edge import wait_for
from openiir.runs.engine import Silent, run_steps
from openiir.runs.replay import copy_of
from openiir.runs.settings import Settings
from openiir.runs.trust import Trust


@dataclass(frozen=True)
class Departure:
    """Where something came out otherwise."""

    step: int | None
    """The first step that differs; None for a measure."""
    words: str


def record_run(declared: RunFile, config: Mapping[str, Any], folder: Path) -> None:
    """Run what `declared` starts from under a configuration, into a throw-away folder."""
    with copy_of(declared, folder, config) as run:
        wait_for(_run(run, None))
        run.settle()


def find_departure(
    recorded: RunFile, config: Mapping[str, Any], personas: Sequence[Persona] | None = None
) -> Departure | None:
    """Where a run under another configuration, or of others, first differs from the one on record; None where it never does.

    It ends there. What happened is compared, not the study; the configuration holds from the start, so that
    structural keys can be tried too.
    """
    with (
        TemporaryDirectory(prefix="openiir-audit-") as scratch,
        copy_of(recorded, Path(scratch) / "run", config, personas) as run,
    ):
        found = wait_for(_run(run, recorded))
    return found or _find_prompt_departure(recorded, config, personas)


def _find_prompt_departure(
    recorded: RunFile, config: Mapping[str, Any], personas: Sequence[Persona] | None
) -> Departure | None:
    """Where somebody is first told otherwise, though what happened offline is the same: what a model answers would change."""
    was, now = _prompts(recorded, recorded.study()["config"]), _prompts(recorded, config, personas)
    step, kind = next((one[:2] for old, one in zip(was, now, strict=False) if old != one), (None, ""))
    return Departure(step, f"the prompt of {kind} is another") if kind else None


def _prompts(
    recorded: RunFile, config: Mapping[str, Any], personas: Sequence[Persona] | None = None
) -> list[tuple[int, str, str]]:
    """Step, kind and hash of all that is asked under a configuration, of its own personas or others."""
    found: list[tuple[int, str, str]] = []

    def note(asked: PlacedQuestion, name: str) -> None:
        words = canonical([message.text for message in asked.messages()])
        found.append((asked.place.step, asked.place.kind, sha256(words)))

    with (
        TemporaryDirectory(prefix="openiir-audit-") as scratch,
        copy_of(recorded, Path(scratch) / "run", config, personas) as run,
    ):
        wait_for(_run(run, None, note))
    return found


async def _run(
    run: RunFile, recorded: RunFile | None, watch: Callable[[PlacedQuestion, str], None] | None = None
) -> Departure | None:
    async with AsyncExitStack() as exits:
        # What it names, the study had leave for or the type itself sets.
        granted = Settings(trust=Trust().with_leave(run_permissions(run)))
        machine = await assemble(run, granted, RunSources(recorded, live=False), exits)
        machine.stage.answering.watch = watch
        try:
            await run_steps(machine, recorded or run, Silent())
        except ReplayDifference as difference:
            return Departure(machine.stage.step, str(difference).removeprefix("first difference: "))
    return None


def find_measure_departure(
    scenario: Scenario, recorded: RunFile, held: Any, measuring: Any
) -> Departure | None:
    """The first measure that comes out otherwise when measured otherwise; None where none does."""
    was = scenario.metrics(Log(recorded, measuring=held))
    now = scenario.metrics(Log(recorded, measuring=measuring))
    for name in sorted(was.keys() | now.keys()):
        old, new = (_format_measure(found.get(name)) for found in (was, now))
        if old != new:
            return Departure(None, f"the measure {name} is {new}, was {old}")
    return None


def _format_measure(measure: Measure | None) -> str:
    if measure is None:
        return "left out"
    return repr(measure.value) if measure.defined else f"undefined ({measure.reason})"
