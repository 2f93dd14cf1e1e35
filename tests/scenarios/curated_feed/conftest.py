"""Small feeds: a study written, run in this process, and read from what it left."""

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
import tomli_w

from openiir.core.storage import Log, RunFile
from openiir.plugin import Measure
from openiir.runs.settings import Settings
from openiir.scenarios.curated_feed import CuratedFeed

SMALL: dict[str, Any] = {
    "users": 30,
    "weeks": 3,
    "sessions": 2,
    "topics": 4,
    "slots": 5,
    "candidates": 12,
    "audit_items": 10,
    "audit_users": 5,
    "items": {"per_week": 40},
    "beside": ["random", "none"],
}


@dataclass(frozen=True)
class Feed:
    """A run that has ended."""

    folder: Path
    content: str
    run: RunFile

    @property
    def log(self) -> Log:
        return Log(self.run)

    @cached_property
    def measures(self) -> Mapping[str, Measure]:
        return CuratedFeed().metrics(self.log)

    def value(self, name: str) -> float:
        return self.measures[name].value

    def rows(self, table: str, feed: str | None = "main", **where: Any) -> dict[str, Any]:
        """Columns of a table, of one feed, with these values."""
        columns = self.log.columns(table)
        where = where if feed is None else {"feed": feed, **where}
        for name, value in where.items():
            mine = columns[name] == value
            columns = {key: column[mine] for key, column in columns.items()}
        return columns


@pytest.fixture
def study(tmp_path: Path) -> Callable[..., Path]:
    """Writes a small study with these keys of `[config]` and these `[[change]]` and `[[event]]` entries."""

    def write(
        config: Mapping[str, Any] | None = None,
        *,
        seed: int = 5,
        change: Any = (),
        event: Any = (),
        whole: bool = False,
    ) -> Path:
        keys = {**({} if whole else SMALL), **(config or {})}
        place = tmp_path / f"study-{len(list(tmp_path.glob('study-*')))}.toml"
        values = {
            "type": "curated_feed",
            "name": "small",
            "seed": seed,
            "config": keys,
            "change": list(change),
            "event": list(event),
        }
        place.write_text(tomli_w.dumps(values))
        return place

    return write


@pytest.fixture
def feed(
    study: Callable[..., Path], sit: Callable[..., str], tmp_path: Path
) -> Iterator[Callable[..., Feed]]:
    """Runs a small study; what it takes is what `study` takes, and settings."""
    made: list[Feed] = []

    def ran(
        config: Mapping[str, Any] | None = None, *, settings: Settings | None = None, **ways: Any
    ) -> Feed:
        out = tmp_path / f"run-{len(made)}"
        content = sit(study(config, **ways), out, settings)
        made.append(Feed(out, content, RunFile.open(out)))
        return made[-1]

    yield ran
    for one in made:
        one.run.close()


@pytest.fixture
def own_ranker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """Writes a ranker with this body where imports find it, and gives its name."""

    def write(body: str) -> str:
        (tmp_path / "rankers_of_mine.py").write_text(f"import numpy as np\n\n\ndef rank(view):\n    {body}\n")
        monkeypatch.syspath_prepend(str(tmp_path))
        monkeypatch.delitem(sys.modules, "rankers_of_mine", raising=False)
        return "rankers_of_mine:rank"

    return write
