"""Small studies of three worlds, run offline."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from openiir.testing import Finished, run_offline


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Finished]]:
    """Runs the reference study with these keys of its configuration, each once; tests read it."""
    made: dict[str, Finished] = {}

    def start(seed: int = 1, *sets: str, **config: Any) -> Finished:
        key = json.dumps([seed, sets, config])
        if key not in made:
            words = [f"config.{name}={json.dumps(value)}" for name, value in config.items()]
            folder = tmp_path_factory.mktemp("memory")
            made[key] = run_offline("asymmetric_memory", folder, f"seed={seed}", *words, *sets)
        return made[key]

    yield start
    for finished in made.values():
        finished.run.close()
