"""Small studies of the social medium, run offline."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
import tomli_w
from small_medium import CONFIG, Run

from openiir.scenarios.social_media import SocialMedia
from openiir.testing import Finished, run_offline


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """Runs a small study with these events, personas and keys, each once unless `fresh`; tests read it."""
    made: dict[str, tuple[Finished, Any]] = {}

    def start(
        *events: Any, personas: Any = (), seed: int = 3, fresh: bool = False, **config: Any
    ) -> tuple[Finished, Any]:
        key = json.dumps([events, personas, seed, fresh, config])
        if key not in made:
            folder = tmp_path_factory.mktemp("medium")
            (folder / "personas.toml").write_text(tomli_w.dumps({"persona": list(personas)}))
            cast = str(folder / "personas.toml") if personas else []
            study = {"type": "social_media", "seed": seed, "event": list(events), "config": CONFIG | config}
            finished = run_offline({**study, "personas": cast}, folder / "run")
            made[key] = finished, SocialMedia().metrics(finished.log)
        return made[key]

    yield start
    for finished, _ in made.values():
        finished.run.close()
