"""Collector of all questions of a study, answered by behaviour models under a model's name."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import openiir.scenarios.panel
from openiir.core.asking import Answer, OfflineAnswerer, PlacedQuestion
from openiir.core.personas import DraftPersona, PersonaDraft, generate_personas
from openiir.core.records import Place
from openiir.core.seeds import Draw
from openiir.core.storage import Log, RunFile
from openiir.core.world import WorldSpec
from openiir.plugin import Interview, Scenario
from openiir.runs.build import RunSources, build_run_context
from openiir.runs.engine import Watcher, run_steps
from openiir.runs.prepare import SourceOptions, gather_chunks, prepare_run
from openiir.runs.settings import Settings
from openiir.runs.study import load_study
from openiir.testing.probing import place_after_run

BY_MODEL = ("answers=model", "model.name=any")
AFTERWARDS = "What mattered most to you, and why?"


Replies = dict[Place, Any]


class _Model(OfflineAnswerer):
    """Answerer under a model's name that replays recorded replies and records the behaviour model's."""

    def __init__(self, name: str, replies: Replies) -> None:
        self.name = self.label = name
        self._replies = replies

    async def answer(self, asked: PlacedQuestion) -> Answer:
        if asked.place not in self._replies:
            self._replies[asked.place] = asked.question.offline(asked.draw)
        return self.wrap(self._replies[asked.place])


def asked_in(
    study: str, sets: Sequence[str], replies: Replies | None = None
) -> dict[str, list[PlacedQuestion]]:
    """Collect all questions of a study and of interviews after it, by kind, in the order asked.

    `replies` holds those on record by place, and takes up the others.
    """
    found: dict[str, list[PlacedQuestion]] = {}
    on_record: Replies = {} if replies is None else replies

    async def rehearse(run: RunFile) -> None:
        async with AsyncExitStack() as exits:
            machine = await build_run_context(run, Settings(), RunSources(live=False), exits)
            answering = machine.stage.answering
            answering.answerers = {name: _Model(name, on_record) for name in answering.answerers}
            answering.watch = lambda batch, answers: [
                found.setdefault(asked.question.kind, []).append(asked) for asked in batch
            ]
            await run_steps(machine, run, Watcher())
            for one in _interviews(machine.scenario, Log(run)):
                found.setdefault(one.question.kind, []).append(one)

    with (
        TemporaryDirectory() as scratch,
        prepare_run(load_study(study, [*BY_MODEL, *sets]), Path(scratch) / "run", Settings()) as run,
    ):
        asyncio.run(rehearse(run))
    return found


def _interviews(scenario: Scenario, log: Log) -> Iterator[PlacedQuestion]:
    for surface in scenario.surfaces():
        if isinstance(surface, Interview):
            for persona in log.personas:
                yield place_after_run(surface.question(log, persona, AFTERWARDS), persona)


def drafts_asked() -> list[PlacedQuestion]:
    """Collect the questions that draft a cast of eight from the sources of the panel's reference study."""
    study = Path(openiir.scenarios.panel.__file__).parent / "reference"
    chunks = gather_chunks("main", WorldSpec(sources=("sources",)), study, Settings(), SourceOptions())
    found: list[PlacedQuestion] = []

    async def ask(question: DraftPersona) -> PersonaDraft:
        place = Place(
            lane="main", asker="generator", kind=question.kind, subject=question.subject, step=0, ordinal=0
        )
        found.append(PlacedQuestion(place, question, None, Draw(1, question.kind, item=question.subject)))
        return question.offline(found[-1].draw)

    asyncio.run(generate_personas(chunks, "Language models should replace human assessors", 8, ask))
    return found
