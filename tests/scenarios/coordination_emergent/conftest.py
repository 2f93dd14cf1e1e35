"""Runs of small studies, each executed once for all tests of the type."""

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from openiir.runs.build import RunSources, build_run_context
from openiir.runs.prepare import prepare_run
from openiir.runs.settings import Settings
from openiir.runs.study import load_study
from openiir.scenarios.coordination_emergent import CoordinationEmergent
from openiir.scenarios.coordination_emergent.model.sources import InformationSources, find_sources
from openiir.testing import Finished, run_offline


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Finished]:
    """Run the reference study with these keys of its configuration, or other assignments."""
    done: dict[Any, Finished] = {}

    def execute(*sets: str, seed: int = 1, **config: object) -> Finished:
        size = {"members": 40, "rounds": 10, "sources": 12, **config}
        words = (*(f"config.{key}={value}" for key, value in size.items()), f"seed={seed}", *sets)
        if words not in done:
            folder = tmp_path_factory.mktemp("access") / "run"
            done[words] = run_offline("coordination_emergent", folder, *words)
        return done[words]

    return execute


@pytest.fixture
def documents(tmp_path: Path) -> Callable[..., InformationSources]:
    """Find the sources of the study of documents with these assignments."""
    study = CoordinationEmergent.reference / "documents.toml"

    async def find(loaded: Any, run: Any) -> InformationSources:
        async with AsyncExitStack() as exits:
            machine = await build_run_context(run, Settings(), RunSources(live=False), exits)
            machine.stage.config = loaded.config
            return await find_sources(machine.stage, study.parent)

    def start(*sets: str) -> InformationSources:
        loaded = load_study(str(study), sets)
        with prepare_run(loaded, tmp_path / f"run-{len(list(tmp_path.iterdir()))}", Settings()) as run:
            return asyncio.run(find(loaded, run))

    return start
