from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import PIL.Image
import PIL.ImageDraw
import pytest

from openiir.core.agents import AnswerRouter, Knowledge, Lane
from openiir.core.asking import AnswererChoice, Ledger, ModelAnswerer, OfflineAnswerer
from openiir.core.llm import Sampling
from openiir.core.storage import RunFile
from openiir.kit.items import Collection
from openiir.plugin import Image, picture


@pytest.fixture
def drawn() -> PIL.Image.Image:
    """A small picture with light, colour and edges."""
    image = PIL.Image.new("RGB", (60, 90), (20, 40, 120))
    brush = PIL.ImageDraw.Draw(image)
    brush.ellipse((10, 30, 50, 70), fill=(230, 120, 30))
    brush.text((8, 6), "HEAT", fill="white")
    return image


@pytest.fixture
def saved(tmp_path: Path) -> Callable[..., Image]:
    """Writes a picture, or bytes, and reads it as an Image."""

    def save(image: Any, name: str = "a.png", **options: Any) -> Image:
        if isinstance(image, bytes):
            (tmp_path / name).write_bytes(image)
        else:
            image.save(tmp_path / name, **options)
        return picture(tmp_path / name)

    return save


@pytest.fixture
def films() -> Callable[..., Collection]:
    """A collection with a picture each, by file name; captions by keyword."""

    def make(*images: str, **more: Any) -> Collection:
        n = len(images)
        titles = tuple(f"Film {k}" for k in range(n))
        genres = tuple((genre,) for genre in (["Comedy", "Horror", "Sci-Fi"] * n)[:n])
        ids = tuple(f"f{k}" for k in range(n))
        return Collection("movie", ids, titles, {"genre": genres}, images=images, **more)

    return make


@pytest.fixture
def lane(tmp_path: Path) -> Iterator[Callable[..., Lane]]:
    """A lane whose captioner is the offline one, or a model behind this provider."""
    opened = []

    def make(provider: Any = None) -> Lane:
        opened.append(RunFile.create(tmp_path / f"run-{len(opened)}"))
        ledger = Ledger(opened[-1])
        model = ModelAnswerer(ledger, provider, "standin", Sampling())
        choice = AnswererChoice(kind={"recommender.caption": "model"}) if provider else AnswererChoice()
        made = Lane(
            "main",
            AnswerRouter(5, choice, {"offline": OfflineAnswerer(), "model": model}),
            Knowledge({}, ledger, None),
        )
        made.begin(1)
        return made

    yield make
    for run in opened:
        run.close()
