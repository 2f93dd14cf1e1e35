"""Captions within whole runs: by a model over the wire, replayed without it, resumed, and offline."""

import asyncio
import base64
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, ClassVar

import pytest

from openiir.core.errors import ReplayDifference
from openiir.core.llm import Endpoint
from openiir.core.storage import Log
from openiir.kit.items import Collection
from openiir.plugin import Action, Interview, Measure, Record, Scenario, Stage, Step, Surface
from openiir.runs import types
from openiir.runs.engine import Watcher
from openiir.runs.forecast import forecast_run
from openiir.runs.replay import replay
from openiir.runs.settings import Settings
from openiir.scenarios.recommender.run.captions import captions
from openiir.testing.standin import StandIn

STUDY = """type = "gallery"
name = "gallery"
seed = 4
answers = "{answers}"
personas = "people.toml"
[config]
folder = "{folder}"
[model]
name = "standin"
"""
PEOPLE = '[[persona]]\nid = "ada"\nname = "Ada"\nbio = "Looks at posters."\n'


class GalleryConfig(Record):
    folder: str


class Gallery(Scenario):
    """Puts two posters into words."""

    name: ClassVar[str] = "gallery"
    Config: ClassVar[type[Record]] = GalleryConfig

    def actions(self) -> Sequence[type[Action]]:
        return []

    async def schedule(self, stage: Stage) -> AsyncIterator[Step]:
        films = Collection("movie", ("1", "2"), ("One", "Two"), images=("a.png", "b.jpg"))
        for caption in await captions(stage, films, Path(stage.config.folder)):
            stage.row("captions", caption=caption)
        yield Step("looked")

    def metrics(self, log: Log) -> Mapping[str, Measure]:
        return {"captions": Measure(value=float(len(log.table("captions"))))}

    def surfaces(self) -> Sequence[Surface | Interview]:
        return []


@pytest.fixture
def gallery(tmp_path: Path, saved: Any, drawn: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Writes a study by who answers it; its pictures are `a.png` and `b.jpg` beside it."""
    saved(drawn, "a.png")
    saved(drawn.convert("L"), "b.jpg")
    monkeypatch.setitem(sys.modules, "openiir_tests_gallery", sys.modules[__name__])
    entry, installed = EntryPoint("gallery", "openiir_tests_gallery:Gallery", types.GROUP), types._entries()
    monkeypatch.setattr(types, "_entries", lambda: [*installed, entry])

    def write(answers: str) -> Path:
        (tmp_path / "people.toml").write_text(PEOPLE)
        (tmp_path / "study.toml").write_text(STUDY.format(answers=answers, folder=tmp_path))
        return tmp_path / "study.toml"

    return write


def again(folder: Path) -> str:
    return asyncio.run(replay(folder, Settings(), Watcher()))


def test_a_run_by_model_keeps_hashes_and_is_replayed_from_them(
    gallery: Any, sit: Any, tmp_path: Path
) -> None:
    with StandIn() as server:
        content = sit(gallery("model"), tmp_path / "run", Settings(endpoint=Endpoint(url=server.url)))
        assert server.counts.requests >= 2
    assert again(tmp_path / "run") == content
    stored = b"".join(file.read_bytes() for file in (tmp_path / "run").glob("run.db*"))
    for name in ("a.png", "b.jpg"):
        data = (tmp_path / name).read_bytes()
        assert base64.b64encode(data)[:60] not in stored and data[:60] not in stored


def test_a_replay_notices_pictures_that_are_gone_or_others(
    gallery: Any, sit: Any, saved: Any, drawn: Any, tmp_path: Path
) -> None:
    with StandIn() as server:
        content = sit(gallery("model"), tmp_path / "run", Settings(endpoint=Endpoint(url=server.url)))
    kept = (tmp_path / "a.png").read_bytes()
    (tmp_path / "a.png").unlink()
    with pytest.raises(ReplayDifference):
        again(tmp_path / "run")
    saved(drawn.rotate(180), "a.png")
    with pytest.raises(ReplayDifference):
        again(tmp_path / "run")
    (tmp_path / "a.png").write_bytes(kept)
    assert again(tmp_path / "run") == content


def test_a_forecast_rehearses_with_pictures(gallery: Any, tmp_path: Path) -> None:
    from openiir.runs.prepare import prepare_run
    from openiir.runs.study import load_study

    with prepare_run(load_study(str(gallery("model"))), tmp_path / "run", Settings()) as run:
        (rehearsal,) = asyncio.run(forecast_run(run, Settings()))
    assert rehearsal.calls == {"recommender.caption": 2} and rehearsal.prompt_tokens > 100
