"""Small recommender studies: written, run in this process, and read from what they left."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import tomli_w

from openiir.runs.engine import Watcher, drive
from openiir.runs.prepare import prepare_run
from openiir.runs.run_io import open_checked
from openiir.runs.settings import Settings
from openiir.runs.study import load_study, study_permissions
from openiir.testing.offline import Finished, run_offline

SMALL: dict[str, Any] = {
    "data": {"name": "synthetic", "synthetic": {"users": 60, "items": 90}},
    "users": 4,
    "systems": ["popularity"],
    "page": {"most": 3, "items": 4},
}


def merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Tables within tables, the second one's values first."""
    found = dict(base)
    for key, value in over.items():
        old = found.get(key)
        found[key] = merged(old, value) if isinstance(old, Mapping) and isinstance(value, Mapping) else value
    return found


Study = Callable[..., Path]


@pytest.fixture
def small(tmp_path: Path) -> Study:
    """Writes a small study: keys of its configuration, and further tables of the file under `top`."""

    def write(top: Mapping[str, Any] | None = None, **config: Any) -> Path:
        values = {
            "type": "recommender",
            "name": "small",
            "seed": 3,
            "config": merged(SMALL, config),
            **(top or {}),
        }
        (tmp_path / "study.toml").write_text(tomli_w.dumps(values))
        return tmp_path / "study.toml"

    return write


@pytest.fixture
def offline(small: Study, tmp_path: Path) -> Iterator[Callable[..., Finished]]:
    """Runs a small study offline."""
    done: list[Finished] = []

    def run(top: Mapping[str, Any] | None = None, **config: Any) -> Finished:
        done.append(run_offline(small(top, **config), tmp_path / f"run-{len(done)}"))
        return done[-1]

    yield run
    for one in done:
        one.run.close()


@pytest.fixture
def live(small: Study, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Runs a small study with settings of its own; gives folder, content and the run, open for reading."""
    done: list[Any] = []

    def run(settings: Settings, top: Mapping[str, Any], **config: Any) -> Any:
        folder, study = tmp_path / f"live-{len(done)}", str(small(top, **config))
        trust = settings.trust.with_leave(study_permissions(study))
        settings = settings.model_copy(update={"trust": trust})
        with prepare_run(load_study(study, trust=trust), folder, settings) as begun:
            content = asyncio.run(drive(begun, settings, Watcher()))
        done.append(open_checked(folder, finished=True))
        return folder, content, done[-1]

    yield run
    for one in done:
        one.close()
