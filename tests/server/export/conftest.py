"""Exports of golden runs, each made once."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from openiir.server.export.left_out import Part
from openiir.server.export.write import write_export

GOLDEN = Path(__file__).parents[2] / "golden"
Export = Callable[..., Path]


@pytest.fixture(scope="session")
def golden(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Copies a golden run, once; the copy is for reading."""
    folders: dict[str, Path] = {}

    def copy(name: str) -> Path:
        if name not in folders:
            folders[name] = shutil.copytree(GOLDEN / name, tmp_path_factory.mktemp("golden") / name)
        return folders[name]

    return copy


@pytest.fixture(scope="session")
def exported(golden: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Export:
    """Exports a golden run as FORM without some parts, once; the export is for reading."""
    made: dict[tuple[str, str, tuple[Part, ...]], Path] = {}

    def export(name: str, form: str = "run.html", *without: Part) -> Path:
        key = name, form, without
        if key not in made:
            made[key] = tmp_path_factory.mktemp("exported") / form
            write_export(golden(name), made[key], without)
        return made[key]

    return export


@pytest.fixture
def own_export(exported: Export, tmp_path: Path) -> Export:
    """As `exported`, with a copy that a test may change."""

    def export(name: str, form: str = "run.html", *without: Part) -> Path:
        place = exported(name, form, *without)
        return Path((shutil.copytree if place.is_dir() else shutil.copy)(place, tmp_path / form))

    return export
